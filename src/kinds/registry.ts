// Every kind. The engine, the sources, the CRDs and the reference pages read this list.
import type { Effect, Reader } from '../api/routes.ts';
import type { SealedKind } from '../core/kind/sealed-kind.ts';
import type { Declaration } from '../schema/declaration.ts';
import type { ResourceType } from '../schema/terraform.ts';
import { allocationAction } from './allocation-action/kind.ts';
import { declaration as allocationActionDeclaration } from './allocation-action/schema.ts';
import { csiSnapshot } from './csi-snapshot/kind.ts';
import { declaration as csiSnapshotDeclaration } from './csi-snapshot/schema.ts';
import { csiSnapshotSchedule } from './csi-snapshot-schedule/kind.ts';
import { declaration as csiSnapshotScheduleDeclaration } from './csi-snapshot-schedule/schema.ts';
import { csiVolume } from './csi-volume/kind.ts';
import { declaration as csiVolumeDeclaration } from './csi-volume/schema.ts';
import { resources as csiVolumeResources } from './csi-volume/terraform.ts';
import { kmsProvider } from './kms-provider/kind.ts';
import { declaration as kmsProviderDeclaration } from './kms-provider/schema.ts';
import { resources as kmsProviderResources } from './kms-provider/terraform.ts';
import { ldapConfig } from './ldap-config/kind.ts';
import { declaration as ldapConfigDeclaration } from './ldap-config/schema.ts';
import { resources as ldapConfigResources } from './ldap-config/terraform.ts';
import { ldapStaticRole } from './ldap-static-role/kind.ts';
import { declaration as ldapStaticRoleDeclaration } from './ldap-static-role/schema.ts';
import { resources as ldapStaticRoleResources } from './ldap-static-role/terraform.ts';
import { oidcConfig } from './oidc-config/kind.ts';
import { declaration as oidcConfigDeclaration } from './oidc-config/schema.ts';
import { resources as oidcConfigResources } from './oidc-config/terraform.ts';
import { oidcRole } from './oidc-role/kind.ts';
import { declaration as oidcRoleDeclaration } from './oidc-role/schema.ts';
import { resources as oidcRoleResources } from './oidc-role/terraform.ts';
import { schedulerConnection } from './scheduler-connection/kind.ts';
import { declaration as schedulerConnectionDeclaration } from './scheduler-connection/schema.ts';
import { secretsConnection } from './secrets-connection/kind.ts';
import { declaration as secretsConnectionDeclaration } from './secrets-connection/schema.ts';

export interface Registered {
  readonly declaration: Declaration;
  readonly kind: SealedKind<Effect, Reader>;
  /** The resource types that `holdfast import` reads from a Terraform state. Absent: none. */
  readonly resources?: ResourceType;
}

export const registry: readonly Registered[] = [
  { declaration: schedulerConnectionDeclaration, kind: schedulerConnection },
  { declaration: secretsConnectionDeclaration, kind: secretsConnection },
  { declaration: csiVolumeDeclaration, kind: csiVolume, resources: csiVolumeResources },
  { declaration: csiSnapshotDeclaration, kind: csiSnapshot },
  { declaration: csiSnapshotScheduleDeclaration, kind: csiSnapshotSchedule },
  { declaration: ldapConfigDeclaration, kind: ldapConfig, resources: ldapConfigResources },
  { declaration: ldapStaticRoleDeclaration, kind: ldapStaticRole, resources: ldapStaticRoleResources },
  { declaration: oidcConfigDeclaration, kind: oidcConfig, resources: oidcConfigResources },
  { declaration: oidcRoleDeclaration, kind: oidcRole, resources: oidcRoleResources },
  { declaration: kmsProviderDeclaration, kind: kmsProvider, resources: kmsProviderResources },
  { declaration: allocationActionDeclaration, kind: allocationAction },
];
