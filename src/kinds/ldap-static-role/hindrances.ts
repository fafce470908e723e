// LDAPStaticRole: what keeps a password from being rotated or published until somebody else does something about it. PURE.
import { blocked, stalled, type Blocked } from '../../core/planning/plan.ts';
import { configOf, type RoleSituation } from './body.ts';

type S = RoleSituation;

/** Nobody tells when somebody else's files go, when those of ours were only half removed, or when a service is set right. */
const lookMs = 60_000;

const lookedAt = (plan: Blocked, restMs: number): Blocked => ({ ...plan, dueMs: Math.min(lookMs, restMs) });

export function taken({ spec, policy, published }: S): Blocked | undefined {
  if (!spec.output || published?.is !== 'foreign') return undefined;
  const message = `/output/secretName: ${spec.output.secretName} belongs to ${published.owner}`;
  return lookedAt(blocked('OutputConflict', message, { on: 'object' }), policy.drift.intervalMs);
}

/**
 * No bind tells that the password of the earlier rotation works, so the published one stays: it may be the one that does. Who
 * was not told of it yet has been told by then.
 */
export function earlier({ policy }: S): Blocked {
  const message =
    'the service shows an earlier rotation than the published one, whose password stays: it may be the one that works';
  return lookedAt(blocked('EarlierRotation', message, { on: 'live' }), policy.drift.intervalMs);
}

/** A rotation would set a password at another server, and the declared directory would not know it. */
export const elsewhere = (s: S, restMs?: number): Blocked | undefined =>
  whileAstray(s, 'a rotation was asked for, and the password is not rotated', restMs);

/** So would the making of a role that rotates. */
export const unmade = (s: S): Blocked | undefined =>
  whileAstray(s, 'the role is not made, because that rotates its password');

function whileAstray({ resolved }: S, what: string, restMs = lookMs): Blocked | undefined {
  const { astray } = configOf(resolved);
  if (astray === undefined) return undefined;
  const message = `/configRef: ${what}: ${astray}. Have the configuration corrected, or declare what is there`;
  return lookedAt(stalled('AnotherServer', message, { on: 'object' }), restMs);
}
