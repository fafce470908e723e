// Classifies the secrets service's errors (services.md#secrets-errors), by text as well as by status: its LDAP engine
// reports most errors with a 500. Substrings are matched, because services wrap texts in other texts.
import { ApiError, type ApiErrorClass } from '../../core/errors.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { oneLine, unframed } from '../http/request.ts';
import type { SecretsOperations } from './routes.ts';

export type SecretsOp = keyof SecretsOperations;

export interface Refused {
  readonly op: SecretsOp;
  /** The mount of the call, if it has one. */
  readonly mount: string | undefined;
  /** Of the connection. Empty: none is named. */
  readonly namespace: string;
  readonly status: number;
  /** As received; used only to classify the error. */
  readonly text: string;
  /** The text without the secrets of the request. */
  readonly shown: string;
  readonly retryAfterMs: number | undefined;
  /** Target of a redirect; may be empty. */
  readonly location: string;
}

interface Meaning {
  readonly text: RegExp;
  readonly class: ApiErrorClass;
  readonly reason: Reason;
  readonly ops?: ReadonlySet<string>;
  readonly acted?: (text: string) => boolean;
}

/** Operations that change a password in the directory. */
const rotating = new Set(['ldap.role.write', 'ldap.role.rotate', 'ldap.root.rotate']);
const configuring = new Set(['ldap.config.write']);

/** The service goes on trying, so the rotation may still happen. */
const goesOn = (text: string) => text.includes('unable to finish rotating');
/**
 * Errors that occur before the directory changes the password, or by which it refuses the change. The LDAP result codes
 * left out are those of lost answers and timeouts. A match of `late` overrides a match of `early`.
 */
const early =
  /LDAP Result Code (?!(?:3|51|52|80|8[1-9]|9\d|\d{3,})\b)\d|one matching entry|connection refused|no such host/i;
const late =
  /roll(ing )?\s?back|storage|\bWAL\b|timeout|timed out|deadline|\bEOF\b|reset by peer|broken pipe/i;
const mayHaveRotated = (text: string) => goesOn(text) || late.test(text) || !early.test(text);

const invalidConfig = new RegExp(
  [
    "cannot set both 'password_policy' and 'length'",
    'the configured schema .{0,256} is not valid',
    'schema is required',
    'cannot derive UserBindDN',
    "invalid 'tls_m(in|ax)_version'",
    "'tls_max_version' must be greater",
    'failed to parse server tls cert',
    'both client_tls_cert and client_tls_key',
    'failed to (parse|load) client',
  ].join('|'),
);

const meanings: readonly Meaning[] = [
  { text: /the config is currently unset/, class: 'waiting', reason: 'ConfigNotFound', acted: goesOn },
  { text: /couldn't find configuration|missing LDAP config/, class: 'waiting', reason: 'ConfigNotFound' },
  { text: /unable to generate password/, class: 'waiting', reason: 'PasswordNotGenerated', acted: goesOn },
  { text: invalidConfig, class: 'refused', reason: 'Rejected', ops: configuring },
  { text: /provider_config/, class: 'refused', reason: 'Rejected', ops: new Set(['oidc.config.read']) },
  { text: /role doesn't exist|unknown role/, class: 'waiting', reason: 'RoleNotFound' },
  {
    text: /one matching entry|LDAP Result Code 32\b|unsupported userattr/i,
    class: 'waiting',
    reason: 'EntryNotFound',
    ops: rotating,
    acted: goesOn,
  },
  {
    text: /unable to finish rotating|ldap|directory|bind|dial|connect|certificate|x509|tls|i\/o timeout/i,
    class: 'unavailable',
    reason: 'DirectoryError',
    ops: rotating,
    acted: mayHaveRotated,
  },
];

const noLeader = /no active Vault instance|node is not active|active cluster node not found/;
const sealed = /\bis sealed\b/;

/** What some services quote of an answer of the issuer after its status: the URL may lead to any page that the service can reach. */
const page = /(?<=: [1-5]\d\d) .*/s;

export function refusal(refused: Refused): ApiError {
  const { op, status, retryAfterMs } = refused;
  const said = refused.text;
  const shown = unframed(refused.shown);
  const usual = shown === '' ? `${op}: status ${status}` : `${op}: ${shown}`;
  const error = (kind: ApiErrorClass, reason: Reason, mayHaveHadEffect = false, message = usual) =>
    new ApiError(kind, reason, message, { status, mayHaveHadEffect, retryAfterMs });
  if (status === 429) return error('throttled', 'Throttled');
  if (status >= 300 && status < 400) {
    return error(status === 307 ? 'unavailable' : 'refused', 'Redirected', false, redirected(refused));
  }
  if (isMountMissing(status, said)) return error('waiting', 'MountNotFound', false, mountMissing(refused));
  if (status === 404 && said.includes('namespace not found')) return error('waiting', 'NamespaceNotFound');
  if (status === 412) return error('unavailable', 'NotYetConsistent');
  if (status === 400 && /error checking (oidc discovery|jwks) URL/.test(said))
    return error('unavailable', 'DiscoveryUnavailable', false, usual.replace(page, ''));
  if (op === 'kms.provider.delete' && status === 405)
    return error('refused', 'DeletionBlocked', false, `${usual}; deletionPolicy: Retain lets it stay`);
  if (op === 'kms.provider.delete' && status !== 403 && /\bkeys?\b/i.test(said))
    return error('waiting', 'KeysInUse');
  if (status === 400 || status >= 500) {
    const known = meanings.find((m) => (status >= 500 || m.class === 'waiting') && applies(m, op, said));
    if (known) return error(known.class, known.reason, status >= 500 && (known.acted?.(said) ?? false));
  }
  if (status >= 500 && noLeader.test(said)) return error('unavailable', 'NoLeader');
  // A service that is sealed during a call reports this with a 500, and the call may have had an effect.
  if (status >= 500 && sealed.test(said)) return error('unavailable', 'Sealed', status !== 503);
  if (isDenial(status, said)) return error('refused', 'PermissionDenied');
  if (status < 500) return error('refused', 'Rejected');
  return error('unavailable', 'ServerError', true);
}

const applies = (meaning: Meaning, op: string, text: string): boolean =>
  (meaning.ops?.has(op) ?? true) && meaning.text.test(text);

/** The token is missing, unknown or expired, or lacks the permission. The call had no effect. */
export const isDenial = (status: number, text: string): boolean =>
  status === 403 || (status === 400 && text.includes('missing client token'));

/** Whether the object is absent: a 404 with an empty list of errors, or the text of a credential's path. */
export const saysAbsent = (op: SecretsOp, status: number, errors: readonly string[] | undefined): boolean =>
  (status === 404 && errors?.length === 0) ||
  (op === 'ldap.credential.read' &&
    status === 400 &&
    (errors ?? []).some((text) => text.includes('unknown role')));

/** What the document does not have: a service that was made from it alone tells neither its health nor anything about a token. */
const undocumented: ReadonlyMap<string, readonly number[]> = new Map([
  ['sys.health', [401, 403, 404, 405]], // sent without a token
  ['token.lookup', [404, 405]],
]);

export const saysUndocumented = (op: SecretsOp, status: number, text: string): boolean =>
  undocumented.get(op)?.includes(status) === true && !text.includes('namespace not found');

/** Whether this is OpenBao's answer to the deletion of a role that is missing, or is being rotated. */
export const saysNothingIsDue = (op: SecretsOp, status: number, text: string): boolean =>
  op === 'ldap.role.delete' && status === 500 && text.includes('queue is empty');

const isMountMissing = (status: number, text: string): boolean =>
  (status === 404 && text.includes('no handler for route')) ||
  (status === 400 && /No (secret engine mount|auth engine) at/i.test(text));

const engines: Readonly<Record<string, string>> = { ldap: 'ldap', kms: 'keymgmt' };

/** Users must be able to trust a command that they copy. */
const isPlain = (path: string): boolean => /^[\w.-]+(\/[\w.-]+)*$/.test(path);

function mountMissing({ op, mount = '', namespace }: Refused): string {
  const [family = '', login] = op.split('.');
  const [sort, type] =
    family === 'login' || family === 'oidc'
      ? ['auth', family === 'login' ? login : family]
      : ['secrets', engines[family] ?? '<type>'];
  const where = `${op}: nothing is mounted at ${sort === 'auth' ? 'auth/' : ''}${oneLine(mount)}`;
  if (!isPlain(mount) || (namespace !== '' && !isPlain(namespace))) return where;
  const within = namespace === '' ? '' : `-namespace=${namespace} `;
  const command = `${where}: enable it with \`vault\` or \`bao\`: \`${sort} enable ${within}-path=${mount} ${type}\``;
  return family === 'kms' ? `${command}; OpenBao and Vault Community have no such engine` : command;
}

function redirected({ op, status, location }: Refused): string {
  const where = URL.canParse(location) ? new URL(location).origin : '';
  const to = where === '' || where === 'null' ? 'another address' : oneLine(where);
  const advice =
    status === 307
      ? 'this node is a standby that does not forward: name the active node or a load balancer in spec.addresses'
      : 'name that address in spec.addresses if it is the right one';
  return `${op}: redirected to ${to}, which is never followed; ${advice}`;
}
