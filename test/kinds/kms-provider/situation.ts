// A provider that is declared, ours, there and as it should be; what differs from that; and its plan in one line.
import type { KMSProviderRead } from '../../../src/api/secrets/wire.ts';
import type { Resolution, Resolved } from '../../../src/core/resource.ts';
import { publicOf, Secret, type Json } from '../../../src/core/secret.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own, ProviderSituation } from '../../../src/kinds/kms-provider/body.ts';
import { plan } from '../../../src/kinds/kms-provider/plan.ts';
import type { Spec } from '../../../src/kinds/kms-provider/schema.ts';
import { common, planning, type Common } from '../planning.ts';

export const canary = 'canary-kms-2c88';
export const key = { kind: 'KMSProvider', namespace: 'shop', name: 'invoices' };

const entry = (name: string) => ({ name: 'kms', key: name });
export const credentials = {
  tenantIDSecretRef: entry('tenant'),
  clientIDSecretRef: entry('client'),
  clientSecretSecretRef: entry('secret'),
} as const;

export const declared: Spec = {
  connectionRef: { name: 'production' },
  mount: 'keymgmt',
  provider: 'cloud_keystore',
  keyCollection: 'invoices-keys',
  credentials,
};

/** As the service shows it once it is written. */
export const existing: KMSProviderRead = { provider: 'cloud_keystore', key_collection: 'invoices-keys' };

const ref = { backend: 'b1', mount: 'keymgmt', name: 'invoices' };
export const secretOf = (name: string, version = '1'): Json => ({ $secret: `kms/${name}`, version });

const writtenCredentials: Readonly<Record<string, Json>> = {
  '/credentials/tenantIDSecretRef': secretOf('tenant'),
  '/credentials/clientIDSecretRef': secretOf('client'),
  '/credentials/clientSecretSecretRef': secretOf('secret'),
};

/** What is remembered once it was written as declared. */
export const recorded: Status<Own> = {
  ...noStatus,
  externalRef: ref,
  applied: { '/provider': 'cloud_keystore', '/keyCollection': 'invoices-keys', ...writtenCredentials },
  identity: 'cloud_keystore for invoices-keys',
  own: { written: true },
};

/** Versions of the Secrets' keys; default 1. */
export type Versions = Readonly<Partial<Record<'tenant' | 'client' | 'secret', string>>>;

export function resolvedOf(
  { credentials: given = {} }: Spec,
  versions: Versions,
  value = canary,
  dialect = 'vault',
): Resolved {
  const found = (['tenant', 'client', 'secret'] as const).flatMap((name, at): [string, Resolution][] => {
    const field = Object.keys(credentials)[at] ?? '';
    const secret = Secret.of(`kms/${name}`, versions[name] ?? '1', `${value}-${name}`);
    return Object.hasOwn(given, field) ? [[`/credentials/${field}`, { state: 'secret', secret }]] : [];
  });
  const outputs = { dialect, probeHosts: '' };
  return new Map<string, Resolution>([['/connectionRef', { state: 'ready', outputs }], ...found]);
}

/** What differs from a provider that is declared, ours, there, and as it should be. */
export interface Given extends Common<Own> {
  readonly spec?: Partial<Spec>;
  /** No credentials are declared after all. */
  readonly bare?: true;
  /** unknown: the service can't tell. */
  readonly live?: Partial<KMSProviderRead> | 'absent' | 'unknown';
  readonly versions?: Versions;
}

export function situation({ live = {}, ...given }: Given): ProviderSituation {
  const spec: Spec = { ...declared, ...given.spec };
  if (given.bare) Reflect.deleteProperty(spec, 'credentials');
  return {
    key,
    ...common(given, { memory: recorded, ref }),
    spec,
    resolved: resolvedOf(spec, given.versions ?? {}),
    observed:
      typeof live === 'string' ? { state: live } : { state: 'present', live: { ...existing, ...live } },
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);

/** What the first step sends, as it may be shown. */
export function sent(given: Given): Json {
  const { effect } = firstStep(given);
  if (effect?.op !== 'kms.provider.write') throw new Error(`nothing is written: ${outline(given)}`);
  return publicOf({ ...effect.body });
}
