// The lives of all kinds. A kind of the registry without one fails the suite.
import type { Life } from './journey.ts';
import { allocationAction } from './allocation-action.ts';
import { csiSnapshot } from './csi-snapshot.ts';
import { csiSnapshotSchedule } from './csi-snapshot-schedule.ts';
import { csiVolume } from './csi-volume.ts';
import { kmsProviderLife } from './kms-provider.ts';
import { ldapConfigLife } from './ldap-config.ts';
import { ldapStaticRoleLife } from './ldap-static-role.ts';
import { oidcConfigLife } from './oidc-config.ts';
import { oidcRoleLife } from './oidc-role.ts';
import { schedulerConnectionLife } from './scheduler-connection.ts';
import { secretsConnectionLife } from './secrets-connection.ts';

export const lives: readonly Life[] = [
  schedulerConnectionLife,
  secretsConnectionLife,
  csiVolume,
  csiSnapshot,
  csiSnapshotSchedule,
  ldapConfigLife,
  ldapStaticRoleLife,
  oidcConfigLife,
  oidcRoleLife,
  kmsProviderLife,
  allocationAction,
];
