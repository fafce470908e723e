// LDAPStaticRole: whether and how a new password is tested in a bind. PURE.
import type { BindEffect } from '../../api/routes.ts';
import type { CredentialRead, RoleRead } from '../../api/secrets/wire.ts';
import type { Reason } from '../../core/status/reasons.ts';
import type { Resolved } from '../../core/resource.ts';
import { hostOf, listed, mayProbe } from '../../schema/connection/connection.ts';
import { configOf } from './body.ts';
import type { Spec } from './schema.ts';

export type Check =
  | { readonly is: 'not asked' }
  | { readonly is: 'impossible'; readonly reason: Reason; readonly message: string }
  | { readonly is: 'possible'; readonly urls: readonly string[]; readonly dn: string };

/** Maximum timeout of a bind. */
const timeoutSecondsMax = 30;

const impossible = (reason: Reason, message: string): Check => ({ is: 'impossible', reason, message });

export function checkOf(spec: Spec, resolved: Resolved, role: RoleRead): Check {
  if (spec.verify?.bind !== true) return { is: 'not asked' };
  const config = configOf(resolved);
  const urls = listed(config['url']);
  const real = urls.filter((one) => hostOf(one) !== 'embedded');
  const dn = spec.dn ?? role.dn;
  if (real.length === 0) return impossible('NotVerifiable', 'the directory is an embedded one');
  if (dn === '') return impossible('NotVerifiable', '/dn: without it, there is no name to bind as');
  const allowed = real.filter((one) => mayProbe(config, one));
  if (allowed.length > 0) return { is: 'possible', urls: allowed, dn };
  const names = real.map(hostOf).join(', ');
  return impossible('HostNotAllowed', `${names}: not among the connection's probeHosts`);
}

export function bindOf(
  { urls, dn }: Extract<Check, { readonly is: 'possible' }>,
  resolved: Resolved,
  { password }: CredentialRead,
): BindEffect {
  const { startTLS, insecureTLS, certificate = '', requestTimeout } = configOf(resolved);
  const seconds = Number(requestTimeout ?? '') || timeoutSecondsMax;
  return {
    port: 'ldap',
    op: 'ldap.bind',
    urls,
    dn,
    password,
    startTLS: startTLS === 'true',
    insecureTLS: insecureTLS === 'true',
    ...(certificate !== '' && { certificate }),
    timeoutSeconds: Math.min(seconds, timeoutSecondsMax),
  };
}
