// A role that is declared, ours, there, published and as it should be; what differs from that; and its plan in one line.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Effect } from '../../../src/api/routes.ts';
import type { CredentialRead } from '../../../src/api/secrets/wire.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { managing, mergePolicy, type PolicyChoice } from '../../../src/core/planning/policy.ts';
import type { Published } from '../../../src/core/source/output.ts';
import { type Resolution } from '../../../src/core/resource.ts';
import { Secret, type Json } from '../../../src/core/secret.ts';
import type { Live, RoleSituation } from '../../../src/kinds/ldap-static-role/body.ts';
import { consumersOf, isJob, viaOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { Own } from '../../../src/kinds/ldap-static-role/own.ts';
import { plan } from '../../../src/kinds/ldap-static-role/plan.ts';
import { revisionOf } from '../../../src/kinds/ldap-static-role/publication.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { firstStepOf, outlineOf } from '../outline.ts';
import { declared, roleKey, startMs, uid } from './surroundings.ts';

export const instant = '2026-03-01T00:00:00.000Z';
/** An hour later it is rotated again. */
export const later = '2026-03-01T01:00:00.000Z';
const located = { backend: 'b1', mount: 'ldap', role: 'app' };

const existing: Live = {
  role: { username: 'app', dn: 'uid=app,dc=example,dc=org', rotation_period: 3_600 },
  rotated: { instant, wallMs: startMs },
  answers: { restarts: false, problems: {} },
};

export const recorded: Status<Own> = {
  ...noStatus,
  externalRef: located,
  applied: {
    '/username': 'app',
    '/dn': 'uid=app,dc=example,dc=org',
    '/rotationPeriod': 3_600,
    '/onCreate': 'Rotate',
  },
  identity: 'app as uid=app,dc=example,dc=org',
  own: { published: instant },
  observed: { lastRotation: instant },
};

/** What the service tells of the last rotation, as it is asked for it. */
export const credential: CredentialRead = {
  username: 'app',
  dn: 'uid=app,dc=example,dc=org',
  rotation_period: 3_600,
  password: Secret.of('ldap/app', '1', 'canary-words'),
  last_service_rotation: instant,
  ttl: 0,
};

export interface Given {
  readonly spec?: Partial<Spec>;
  /** Only its user is declared, not under which name the directory has it. */
  readonly nameless?: true;
  /** As the service shows it. */
  readonly role?: Partial<Live['role']> | 'absent' | 'never rotated';
  readonly memory?: Status<Own>;
  readonly policy?: PolicyChoice;
  readonly held?: boolean;
  readonly deleting?: boolean;
  readonly published?: Published | 'not looked at';
  readonly mount?: string;
  readonly requests?: Readonly<Record<string, string>>;
  readonly nowMs?: number;
  /** What has been so since when; the rest has been so since the start. */
  readonly facts?: Readonly<Record<string, number>>;
  /** The rotation that the service shows last; default: that which was published. */
  readonly rotated?: string;
  /** That of the last rotation was read. */
  readonly credential?: CredentialRead;
  /** What was found out of consumers, all of whose connections can be used. */
  readonly answers?: Partial<Live['answers']>;
  /** What the config says beside its mount. */
  readonly config?: Readonly<Record<string, string>>;
}

function liveOf({ role, rotated, answers, credential: read }: Given): Live | undefined {
  if (role === 'absent') return undefined;
  const { rotated: _rotated, ...never } = existing;
  if (role === 'never rotated') return never;
  return {
    ...existing,
    role: { ...existing.role, ...role },
    ...(rotated !== undefined && { rotated: { instant: rotated, wallMs: Date.parse(rotated) } }),
    ...(read && { credential: read }),
    answers: { ...existing.answers, ...answers },
  };
}

function situation(given: Given): RoleSituation {
  const { memory = recorded, mount = 'ldap', held = true, deleting = false } = given;
  const { dn, ...nameless } = declared(given.spec ?? {});
  const spec: Spec = given.nameless || dn === undefined ? nameless : { ...nameless, dn };
  const live = liveOf(given);
  const usual = { is: 'ours', revision: revisionOf(spec, instant), whole: true } as const;
  const { published = usual } = given;
  const now = { ...located, mount };
  return {
    key: roleKey,
    uid,
    deleting,
    held,
    requests: given.requests ?? {},
    spec,
    ref: memory.externalRef ?? now,
    located: now,
    resolved: new Map<string, Resolution>([
      ['/configRef', { state: 'ready', outputs: { mount, ...given.config } }],
      ...consumersOf(spec, false)
        .filter(isJob)
        .map((one): [string, Resolution] => [viaOf(one), { state: 'ready', outputs: { namespace: 'prod' } }]),
    ]),
    observed: live ? { state: 'present', live } : { state: 'absent' },
    ...(published !== 'not looked at' && { published }),
    status: memory,
    policy: mergePolicy(given.policy ?? {}, {}, managing),
    nowMs: given.nowMs ?? startMs,
    nonce: '',
    wallMs: startMs,
    since: (what) => given.facts?.[what] ?? startMs,
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
export const wrote = (field: string, value: Json): Status<Own> => ({
  ...recorded,
  applied: { ...recorded.applied, [field]: value },
});

/** The password is tried out before it is published. */
export const verified: Given = {
  spec: { verify: { bind: true } },
  config: { url: 'ldap://directory', probeHosts: 'directory' },
  memory: { ...recorded, own: {} },
};
