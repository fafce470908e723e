// LDAPConfig: whether the bind password would go where it is declared to go. Whoever points the engine at another server, or
// turns off what protects the connection, would read the password. PURE.
import type { FieldChange } from '../../core/status/status.ts';
import { urlsIn, type Live, type Path } from './body.ts';
import type { Spec } from './schema.ts';

/** What the service does instead of what is declared, and the field that says so. */
export interface Astray {
  readonly path: Path;
  readonly what: string;
}

function leadsElsewhere({ urls }: Spec, { url }: Live): boolean {
  if (!urls) return false;
  const declared = new Set(urls.map((one) => one.toLowerCase()));
  const there = urlsIn(url);
  return there.length === 0 || there.some((one) => !declared.has(one));
}

/** @param written fields that are written together with the password. The others stay as found */
export function astray(spec: Spec, live: Live, written: readonly FieldChange[]): Astray | undefined {
  const found: readonly (Astray | false)[] = [
    leadsElsewhere(spec, live) && { path: '/urls', what: `binds at ${live.url}` },
    spec.startTLS === true &&
      live.starttls === false && { path: '/startTLS', what: 'binds without asking for TLS' },
    spec.insecureTLS === false &&
      live.insecure_tls === true && { path: '/insecureTLS', what: 'does not verify the server it binds at' },
  ];
  const isWritten = (path: string): boolean => written.some((c) => c.path === path);
  return found.flatMap((one) => (one && !isWritten(one.path) ? [one] : []))[0];
}

export const astrayText = ({ path, what }: Astray): string =>
  `the service ${what}, unlike ${path} declares, and drift leaves that as found`;

export const setRight = ({ path }: Astray): string =>
  `Have ${path.slice(1)} corrected, or declare what is there`;
