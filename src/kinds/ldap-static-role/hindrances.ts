// LDAPStaticRole: what keeps a password from being rotated or published until somebody else does something about it. PURE.
import { blocked, stalled, type Blocked } from '../../core/planning/plan.ts';
import { isSameDN } from '../../core/text/dn.ts';
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

/**
 * The service goes on to bind with the password that it was configured with, so after the first rotation it can rotate nothing of
 * that mount any more, this role included.
 */
export function ofBindDN({ spec, policy, deleting, resolved, observed }: S): Blocked | undefined {
  if (deleting || policy.management !== 'Full') return undefined;
  const { bindDN = '' } = configOf(resolved);
  const dn = spec.dn ?? (observed.state === 'present' ? observed.live.role.dn : '');
  if (dn === '' || !isSameDN(dn, bindDN)) return undefined;
  const message =
    '/dn: the service binds with it, and a rotation by this role would lock the service out: use rotate-root of the configuration';
  return stalled('RoleOfBindDN', message, { on: 'object' });
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
