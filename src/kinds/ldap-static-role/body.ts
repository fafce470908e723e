// LDAPStaticRole: conversion between spec and wire. PURE.
import type { CredentialRead, RoleBody, RoleRead } from '../../api/secrets/wire.ts';
import type { Have, Want } from '../../core/planning/diff.ts';
import type { Situation } from '../../core/planning/situation.ts';
import type { Resolved } from '../../core/resource.ts';
import { toMs } from '../../schema/parts.ts';
import type { Answers } from './consumers.ts';
import type { Own } from './own.ts';
import type { fields, Spec } from './schema.ts';

export interface Live {
  readonly role: RoleRead;
  /** Absent: the password was never rotated. */
  readonly rotated?: { readonly instant: string; /** By the service's clock. */ readonly wallMs: number };
  /** Credential of that rotation. Absent: not needed, or not available. */
  readonly credential?: CredentialRead;
  /** What was read about consumers. */
  readonly answers: Answers;
}

export type RoleSituation = Situation<Spec, Live, Own>;
type S = RoleSituation;
type Path = keyof typeof fields;

export const target = ({ ref }: Pick<S, 'ref'>) => ({ mount: ref['mount'] ?? '', role: ref['role'] ?? '' });

/** Outputs of the config, over those of its connection. */
export function configOf(resolved: Resolved): Readonly<Record<string, string>> {
  const config = resolved.get('/configRef');
  return config?.state === 'ready' ? config.outputs : {};
}

export const periodSeconds = (spec: Spec): number => toMs(spec.rotationPeriod) / 1_000;

export const body = (spec: Spec): RoleBody => ({
  username: spec.username,
  ...(spec.dn !== undefined && { dn: spec.dn }),
  rotation_period: periodSeconds(spec),
});

export const want = (spec: Spec): Want<Path> => ({
  '/username': spec.username,
  ...(spec.dn !== undefined && { '/dn': spec.dn }),
  '/rotationPeriod': periodSeconds(spec),
  '/onCreate': spec.onCreate,
});

export const have = ({ role }: Live): Have<Path> => ({
  '/username': role.username,
  '/dn': role.dn,
  '/rotationPeriod': role.rotation_period,
});
