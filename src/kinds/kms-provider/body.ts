// KMSProvider: conversion between spec and wire, field by field. PURE.
import type { KMSCredentials, KMSProviderBody, KMSProviderRead } from '../../api/secrets/wire.ts';
import { publicFields, type Have, type Want } from '../../core/planning/diff.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Resolved } from '../../core/resource.ts';
import { secretAt } from '../../schema/connection/connection.ts';
import { declaredIn, type Row as FieldRow } from '../../schema/rows.ts';
import type { fields, Spec } from './schema.ts';

export type Live = KMSProviderRead;
/** written: Holdfast sent the credentials. It did not if it only adopted or observed the provider. */
export type Own = { readonly written: boolean };
export type ProviderSituation = Situation<Spec, Live, Own>;

export type Path = Exclude<keyof typeof fields, '/connectionRef' | '/externalName' | '/mount'>;

type Row = FieldRow<Path, Spec, Live>;

const secretRow = (name: 'tenantID' | 'clientID' | 'clientSecret', field: string): Row => ({
  path: `/credentials/${name}SecretRef`,
  field,
  declared: (_, resolved) => secretAt(resolved, `/credentials/${name}SecretRef`)?.trimmed(),
});

/** The service returns none of these fields. */
const credentialRows: readonly Row[] = [
  secretRow('tenantID', 'tenant_id'),
  secretRow('clientID', 'client_id'),
  secretRow('clientSecret', 'client_secret'),
  { path: '/credentials/environment', field: 'environment', declared: (s) => s.credentials?.environment },
];

export const want = (spec: Spec, resolved: Resolved): Want<Path> => ({
  '/provider': spec.provider,
  '/keyCollection': spec.keyCollection,
  ...declaredIn(credentialRows, spec, resolved),
});
export const have = (live: Live): Have<Path> => ({
  '/provider': live.provider,
  '/keyCollection': live.key_collection,
});

export const target = ({ ref }: Pick<ProviderSituation, 'ref'>) => ({
  mount: ref['mount'] ?? '',
  name: ref['name'] ?? '',
});

/**
 * All declared credentials are sent each time, because the service forgets those that a write omits. If none is
 * declared any more, an empty map removes those that an earlier write sent.
 * @param keyStore the one that is there, or the declared one: a write never changes which it is
 */
export function bodyOf(
  { spec, resolved, status }: Pick<ProviderSituation, 'spec' | 'resolved' | 'status'>,
  keyStore: Live,
): KMSProviderBody {
  const declared = declaredIn(credentialRows, spec, resolved);
  const credentials: KMSCredentials = Object.fromEntries(
    credentialRows.flatMap(({ path, field }) =>
      declared[path] === undefined ? [] : [[field, declared[path]]],
    ),
  );
  const wrote = credentialRows.some(({ path }) => status.applied[path] !== undefined);
  const isEmpty = Object.keys(credentials).length === 0;
  return {
    provider: keyStore.provider,
    key_collection: keyStore.key_collection,
    ...((wrote || !isEmpty) && { credentials }),
  };
}

/** The declared credentials, in the form of `applied`. */
export const declaredCredentials = (spec: Spec, resolved: Resolved) =>
  publicFields(declaredIn(credentialRows, spec, resolved));
