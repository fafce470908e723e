// LDAPStaticRole: what keeps a password from being rotated or published until somebody else does something about it. PURE.
import type { Effect } from '../../api/routes.ts';
import { blocked, stalled, type Blocked, type Step } from '../../core/planning/plan.ts';
import { isFoundAs, isSameDN } from '../../core/text/dn.ts';
import { principalName } from '../../core/text/user-attributes.ts';
import { accountAt } from '../../schema/directory-places.ts';
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

/** Name of the entry. Empty: nothing tells which one it is. */
const dnOf = ({ spec, observed }: S): string =>
  spec.dn ?? (observed.state === 'present' ? observed.live.role.dn : '');

/** Whether it is the user as whom the service binds where the configuration has a domain: by name, or by that and the domain. */
const isPrincipal = (name: string, bindDN: string, domain: string): boolean =>
  [bindDN, `${bindDN}@${domain}`].some((one) => one.toLowerCase() === name.toLowerCase());

/** By the principal name, Vault and OpenBao look for `<dn>@<domain>`, and never for the entry that is called so. */
export function unfound({ spec, resolved }: S): Blocked | undefined {
  const { userAttr = '', documentAlone = '' } = configOf(resolved);
  const isSought = userAttr === principalName && documentAlone === 'false';
  if (spec.dn?.includes('=') !== true || !isSought) return undefined;
  const message = `/dn: by ${principalName}, the service looks for this name with @ and its upnDomain, and finds no entry: give the LDAPConfig another userAttr, such as sAMAccountName`;
  return blocked('EntryNotFound', message, { on: 'object' });
}

/**
 * The service goes on to bind with the password that it was configured with, so after the first rotation it can rotate nothing of
 * that mount any more, this role included.
 */
export function ofBindDN(s: S): Blocked | undefined {
  const { policy, deleting, resolved } = s;
  if (deleting || policy.management !== 'Full') return undefined;
  const { bindDN = '', userDN: base = '', userAttr: attribute = '', upnDomain = '' } = configOf(resolved);
  const dn = dnOf(s);
  const isSame =
    dn === '' ? isFoundAs(bindDN, { base, attribute, value: s.spec.username }) : isSameDN(dn, bindDN);
  if (!isSame && !(upnDomain !== '' && isPrincipal(dn || s.spec.username, bindDN, upnDomain)))
    return undefined;
  const message = `/${dn === '' ? 'username' : 'dn'}: the service binds with it, and a rotation by this role would lock the service out: use rotate-root of the configuration`;
  return stalled('RoleOfBindDN', message, { on: 'object' });
}

/** Another configuration that binds with the entry of the role could not know the password that the step sets. */
export function unshared(s: S, step: Step<Effect>): Step<Effect> {
  const { places } = configOf(s.resolved);
  const dn = dnOf(s);
  if (dn === '' || places === undefined) return step;
  const locksOut = places.split(',').map((place) => accountAt(dn, place));
  return { ...step, locksOut, dueMs: Math.min(lookMs, step.retryMs ?? Infinity) };
}

/** A rotation would set a password at another server, and the declared directory would not know it. */
export const elsewhere = (s: S, restMs?: number): Blocked | undefined =>
  whileAstray(s, 'a rotation was asked for, and the password is not rotated', restMs);

/** So would the making of a role that rotates, and a change of one that never did. */
export const unrotated = (s: S, what: 'made' | 'changed'): Blocked | undefined =>
  whileAstray(s, `the role is not ${what}, because that rotates its password`);

function whileAstray({ resolved }: S, what: string, restMs = lookMs): Blocked | undefined {
  const { astray } = configOf(resolved);
  if (astray === undefined) return undefined;
  const message = `/configRef: ${what}: ${astray}. Have the configuration corrected, or declare what is there`;
  return lookedAt(stalled('AnotherServer', message, { on: 'object' }), restMs);
}
