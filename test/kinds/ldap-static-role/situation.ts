// A role that is declared, ours, there, published and as it should be; what differs from that; and its plan in one line.
import type { Effect } from '../../../src/api/routes.ts';
import type { Plan, Step } from '../../../src/core/plan.ts';
import { managing, mergePolicy, type PolicyChoice } from '../../../src/core/policy.ts';
import type { Published } from '../../../src/core/output.ts';
import { noMemory, type Memory } from '../../../src/core/resource.ts';
import type { Json } from '../../../src/core/secret.ts';
import type { Live, RoleSituation } from '../../../src/kinds/ldap-static-role/body.ts';
import type { Own } from '../../../src/kinds/ldap-static-role/own.ts';
import { plan } from '../../../src/kinds/ldap-static-role/plan.ts';
import { revisionOf } from '../../../src/kinds/ldap-static-role/publication.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { firstStepOf, outlineOf } from '../outline.ts';
import { declared, roleKey, startMs, uid } from './surroundings.ts';

const instant = '2026-03-01T00:00:00.000Z';
const located = { backend: 'b1', mount: 'ldap', role: 'app' };

const existing: Live = {
  role: { username: 'app', dn: 'uid=app,dc=example,dc=org', rotation_period: 3_600 },
  rotated: { instant, atMs: startMs },
  answers: { problems: {} },
};

export const recorded: Memory<Own> = {
  ...noMemory,
  externalRef: located,
  applied: {
    '/username': 'app',
    '/dn': 'uid=app,dc=example,dc=org',
    '/rotationPeriod': 3_600,
    '/onCreate': 'Rotate',
  },
  own: { published: instant },
  observed: { lastRotation: instant },
};

export interface Given {
  readonly spec?: Partial<Spec>;
  /** As the service shows it. */
  readonly role?: Partial<Live['role']> | 'absent' | 'never rotated';
  readonly memory?: Memory<Own>;
  readonly policy?: PolicyChoice;
  readonly held?: boolean;
  readonly deleting?: boolean;
  readonly published?: Published | 'not looked at';
  readonly mount?: string;
}

function liveOf({ role }: Given): Live | undefined {
  if (role === 'absent') return undefined;
  const { rotated: _rotated, ...never } = existing;
  return role === 'never rotated' ? never : { ...existing, role: { ...existing.role, ...role } };
}

function situation(given: Given): RoleSituation {
  const { memory = recorded, mount = 'ldap', held = true, deleting = false } = given;
  const spec = declared(given.spec ?? {});
  const live = liveOf(given);
  const usual = { is: 'ours', revision: revisionOf(spec, instant), whole: true } as const;
  const { published = usual } = given;
  const now = { ...located, mount };
  return {
    key: roleKey,
    uid,
    deleting,
    held,
    requests: {},
    spec,
    ref: memory.externalRef ?? now,
    located: now,
    resolved: new Map([['/configRef', { state: 'ready', outputs: { mount } }]]),
    observed: live ? { state: 'present', live } : { state: 'absent' },
    ...(published !== 'not looked at' && { published }),
    memory,
    policy: mergePolicy(given.policy ?? {}, {}, managing),
    nowMs: startMs,
  };
}

export const planned = (given: Given): Plan<Effect> => plan(situation(given));

export const firstStep = (given: Given): Step<Effect> => firstStepOf(planned(given));

export function sent(given: Given): unknown {
  const { effect } = firstStep(given);
  return effect && 'body' in effect ? effect.body : undefined;
}

export const outline = (given: Given): string => outlineOf(planned(given));

/** What was last written of one field. */
export const wrote = (field: string, value: Json): Memory<Own> => ({
  ...recorded,
  applied: { ...recorded.applied, [field]: value },
});
