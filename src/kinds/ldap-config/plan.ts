// LDAPConfig: the verbs of its lifecycle. PURE.
import type { SecretsEffect } from '../../api/routes.ts';
import type { LDAPConfigBody } from '../../api/secrets/wire.ts';
import { fitting } from '../../core/planning/fitting.ts';
import type { Effectful, Impossible, Lifecycle } from '../../core/planning/lifecycle.ts';
import { isMadeHere } from '../../core/planning/made-here.ts';
import { managed } from '../../core/planning/planner.ts';
import { hasUnansweredCreate, type FieldChange } from '../../core/status/status.ts';
import { isSameDN } from '../../core/text/dn.ts';
import { secretAt } from '../../schema/connection/connection.ts';
import { act } from './act.ts';
import {
  changedBody,
  have,
  urlsIn,
  want,
  wholeBody,
  type ConfigSituation,
  type Live,
  type Path,
} from './body.ts';
import { isSwapped, ownAfterWrite } from './certificate.ts';
import { astrayFrom, astrayText } from './destination.ts';
import { asked, baseline, bindsAsAnother, isOwned, rootOf, type Own } from './root.ts';
import { fields, type Spec } from './schema.ts';

type S = ConfigSituation;

const mountOf = ({ ref }: S): string => ref['mount'] ?? '';

const writing = (s: S, summary: string, body: LDAPConfigBody): Effectful<SecretsEffect> => ({
  summary,
  effect: { port: 'secrets', op: 'ldap.config.write', params: { mount: mountOf(s) }, body },
});

const deleting = (s: S): Effectful<SecretsEffect> => ({
  destroys: isOwned(s.status) ? 'credential' : 'registration',
  summary: `delete the configuration of ${mountOf(s)}`,
  effect: { port: 'secrets', op: 'ldap.config.delete', params: { mount: mountOf(s) } },
});

const isPasswordThere = ({ resolved }: S): boolean =>
  secretAt(resolved, '/bindPasswordSecretRef') !== undefined;

/** A password that no Secret holds is lost with the configuration. */
function deletingWith(s: S): Effectful<SecretsEffect> {
  const step = deleting(s);
  if (step.destroys === 'credential' || isPasswordThere(s)) return step;
  const summary = `${step.summary}, and the bind password with it, which no Secret holds`;
  return { ...step, destroys: 'credential', summary };
}

/** Sends the whole configuration with the declared password, which also answers a reseed-root request. */
function making(s: S, summary: string): Effectful<SecretsEffect> {
  const token = asked(s, 'reseed-root');
  const handledRequests = { ...baseline(s), ...(token !== undefined && { 'reseed-root': token }) };
  return { ...writing(s, summary, wholeBody(s)), handledRequests };
}

function irrecoverable({ spec, status }: S): string {
  const knew = status.own?.root === 'service' ? 'knew' : 'may have known';
  return (
    `only the service ${knew} the password of ${spec.bindDN}, and the configuration is gone: ` +
    'set a password in the directory, put it where bindPasswordSecretRef points, and give reseed-root a new token'
  );
}

/** A password that only the service knew is lost: a person must set one, and request reseed-root. */
function revive(s: S): Effectful<SecretsEffect> | string {
  const summary = `configure ${mountOf(s)} again`;
  if (!isOwned(s.status)) return making(s, summary);
  if (asked(s, 'reseed-root') === undefined || !isPasswordThere(s)) return irrecoverable(s);
  const { pending } = s.status;
  const made = making(s, summary);
  const own: Own = { root: 'declared', rotation: '' };
  // This step ends the intent, whose token must not look like a new request.
  const lost = pending?.op === 'rotate-root' && { 'rotate-root': pending.token };
  return { ...made, own, handledRequests: { ...made.handledRequests, ...lost } };
}

function update(s: S, live: Live, changes: readonly FieldChange[]): Effectful<SecretsEffect> | Impossible {
  if (changes.some((c) => c.path === '/bindDN') && rootOf(s.status, live).root !== 'declared') {
    const why =
      'the service has rotated the password of the one it binds with; give reseed-root a new token, with the password of the declared one in bindPasswordSecretRef';
    return { path: '/bindDN', why };
  }
  const paths = changes.map((c) => c.path);
  const isAlone = paths.includes('/bindPasswordSecretRef') && !paths.includes('/bindDN');
  if (isAlone && bindsAsAnother(s.spec, live)) {
    const why = `it is the password of ${s.spec.bindDN}, and the service binds with ${live.binddn}, which drift leaves as found; have bindDN corrected, declare the one that is there with its password, or give reseed-root a new token, which sends both`;
    return { path: '/bindPasswordSecretRef', why };
  }
  const body = changedBody(s, live, changes);
  const wrong = body['bindpass'] === undefined ? undefined : astrayFrom(s, live, changes);
  if (wrong) return { path: '/bindPasswordSecretRef', why: `it is not sent: ${astrayText(wrong)}` };
  const isAlong = body['bindpass'] !== undefined && !paths.includes('/bindPasswordSecretRef');
  const password = isAlong ? ', with its bind password' : '';
  const summary = `update ${mountOf(s)}: ${paths.join(', ')}${password}`;
  return {
    ...writing(s, summary, body),
    own: ownAfterWrite(rootOf(s.status, live), s.status.own, body, live),
  };
}

function remove(s: S, live: Live): Effectful<SecretsEffect> | string {
  const { root } = rootOf(s.status, live);
  // A request for reseed-root means that the declared password is known and works. It may be an old one where nothing is recorded.
  const isAsked = asked(s, 'reseed-root') !== undefined && s.status.externalRef !== undefined;
  const isKnown = root === 'declared' || (isAsked && isPasswordThere(s));
  if (isKnown || s.requests['abandon-root'] !== undefined) return deletingWith(s);
  return `${mountOf(s)}: only the service knows the password of ${live.binddn}, and would forget it; to have it so: holdfast abandon-root`;
}

/** The account and the servers of the directory. */
const identity = (live: Live): string => fitting(`${live.binddn} at ${listed(urlsIn(live.url))}`);
const listed = (urls: readonly string[]): string =>
  urls
    .map((url) => url.toLowerCase())
    .toSorted()
    .join();

const isOf = (live: Live, bindDN: unknown, urls: unknown): boolean =>
  isSameDN(live.binddn, bindDN) &&
  (!Array.isArray(urls) || listed(urls.map(String)) === listed(urlsIn(live.url)));

const lifecycle: Lifecycle<Spec, Live, Own, Path, SecretsEffect> = {
  fields,
  want,
  have: (live, { own }) => ({
    ...have(live),
    ...(isSwapped(own, live) && { '/caSecretRef': 'another certificate' }),
  }),
  identity,
  identityRepeats: true,
  isOurs: (s, live) =>
    isMadeHere(s, { '/bindDN': s.spec.bindDN, '/urls': s.spec.urls }, (bindDN, urls) =>
      isOf(live, bindDN, urls),
    ),
  // A changed bind DN or URL is drift. After a create without a response, it may as well be somebody else's.
  keeps: ({ held, status }) => held && !hasUnansweredCreate(status),
  inUse: () => undefined,
  create: (s) => making(s, `configure ${mountOf(s)}`),
  // A create whose answer was lost is not repeated before the deletion: its Secret may be gone.
  retract: deleting,
  revive,
  update,
  remove,
  act,
  answersFor: ({ status }) => (isOwned(status) ? ['/bindPasswordSecretRef'] : []),
  unwatched: true,
};

export const plan = managed(lifecycle);
