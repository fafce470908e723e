// LDAPConfig: whether passwords go where they are declared to go. Whoever points the engine at another server, or turns off what
// protects the connection, would read the bind password; and a password that is set there is not one of the declared directory.
// PURE.
import type { Json } from '../../core/secret.ts';
import type { FieldChange, Status } from '../../core/status/status.ts';
import { urlsIn, type ConfigSituation, type Live, type Path } from './body.ts';
import { isSwapped } from './certificate.ts';
import type { Own } from './root.ts';
import type { Spec } from './schema.ts';

/** What the service does instead of what is declared, and the field that says so. */
export interface Astray {
  readonly path: Path;
  readonly what: string;
}

/** A value of another type is none of those that are looked for. */
interface Seen {
  readonly url: string;
  readonly starttls?: Json | undefined;
  readonly insecure_tls?: Json | undefined;
  /** It trusts another certificate than the one that was sent. */
  readonly trustsAnother: boolean;
}

/** A list that is longer than the declared one, may have been cut off where it was recorded. */
function leadsElsewhere({ urls }: Spec, { url }: Seen): boolean {
  if (!urls) return false;
  const declared = new Set(urls.map((one) => one.toLowerCase()));
  const there = urlsIn(url);
  return there.length === 0 || there.length > urls.length || there.some((one) => !declared.has(one));
}

/** @param written fields that are written together with the password. The others stay as found */
function astray(spec: Spec, seen: Seen, written: readonly FieldChange[] = []): Astray | undefined {
  const found: readonly (Astray | false)[] = [
    leadsElsewhere(spec, seen) && { path: '/urls', what: `binds at ${seen.url}` },
    spec.startTLS === true &&
      seen.starttls === false && { path: '/startTLS', what: 'binds without asking for TLS' },
    spec.insecureTLS === false &&
      seen.insecure_tls === true && { path: '/insecureTLS', what: 'does not verify the server it binds at' },
    spec.caSecretRef !== undefined &&
      seen.trustsAnother && { path: '/caSecretRef', what: 'trusts another certificate' },
  ];
  const isWritten = (path: string): boolean => written.some((c) => c.path === path);
  return found.flatMap((one) => (one && !isWritten(one.path) ? [one] : []))[0];
}

export const astrayFrom = (
  { spec, status }: Pick<ConfigSituation, 'spec' | 'status'>,
  live: Live,
  written?: readonly FieldChange[],
): Astray | undefined => astray(spec, { ...live, trustsAnother: isSwapped(status.own, live) }, written);

const unlike = ({ path, what }: Astray): string => `the service ${what}, unlike ${path} declares`;

/** Why it is so, and what helps. */
export const astrayText = (wrong: Astray): string =>
  `${unlike(wrong)}, and drift leaves that as found. Have ${wrong.path.slice(1)} corrected, or declare what is there`;

/** What a status shows to be astray, for roles. `undefined`: nothing, or it shows no configuration. */
export function astrayIn(
  spec: Spec,
  { observed = {}, own }: Pick<Status<Own>, 'observed' | 'own'>,
  written?: readonly FieldChange[],
): string | undefined {
  const { urls, startTLS, insecureTLS, certificate, requestTimeout } = observed;
  if (!Array.isArray(urls)) return undefined;
  const trustsAnother = isSwapped(own, { certificate, request_timeout: requestTimeout });
  const seen = { url: urls.join(','), starttls: startTLS, insecure_tls: insecureTLS, trustsAnother };
  const wrong = astray(spec, seen, written);
  return wrong && unlike(wrong);
}
