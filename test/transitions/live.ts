// What is there of an object, by the services' own word, and without what they made up themselves: two objects with the same
// declaration are there alike.
import { shown } from '../../src/embedded/secrets/oidc/role-fields.ts';
import { below, type OIDCRoleRow } from '../../src/embedded/secrets/store/model.ts';
import type { VolumeRow } from '../../src/embedded/scheduler/store/model.ts';
import { undrawn } from '../support/drawn.ts';
import type { World } from './world.ts';

/** @param name of the object, in `shop` @param externalName where it is declared */
export function liveOf(world: World, kind: string, name: string, externalName = name): string {
  const found = whole(world, kind, name, externalName);
  const text = JSON.stringify(found === undefined ? 'nothing' : undrawn(masked(found)), undefined, 1);
  return text.replaceAll(name, '<name>');
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/;

/** What is empty is not set, for services and people alike. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0);

function masked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(masked);
  if (typeof value === 'string') return instant.test(value) ? '<time>' : value;
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, held]) => {
      const left = masked(held);
      return isEmpty(left) ? [] : [[key, left]];
    }),
  );
}

function whole(world: World, kind: string, name: string, externalName: string): unknown {
  const { scheduler, secrets } = world;
  switch (kind) {
    case 'CSIVolume': {
      const row = [...scheduler.volumes.rows()].find(({ ID }) => ID === externalName);
      return row && volumeIn(world, row);
    }
    case 'CSISnapshot':
      return [...scheduler.provider.snapshots.rows()]
        .filter((one) => one.Name.startsWith(`${externalName}-`))
        .map(({ PluginID, SourceID, Parameters, Secrets }) => ({
          PluginID,
          source: diskName(world, SourceID),
          Parameters,
          Secrets,
        }));
    case 'LDAPConfig':
      return secrets.configs.get(name)?.values;
    case 'LDAPStaticRole': {
      const row = secrets.roles.get(below('ldap', externalName));
      const { username, dn, periodSeconds, lastRotationMs } = row ?? {};
      return (
        row && {
          username,
          dn,
          periodSeconds,
          isRotated: lastRotationMs !== undefined,
          text: world.published(name, 'text'),
        }
      );
    }
    case 'OIDCConfig': {
      const row = secrets.oidcConfigs.get(`auth/${name}`);
      return row && { ...row.values, provider: row.provider };
    }
    case 'OIDCRole':
      return roleIn(secrets.oidcRoles.get(below('auth/oidc', externalName)));
    case 'KMSProvider': {
      const row = secrets.kmsProviders.get(below('keymgmt', externalName));
      return row && { keyCollection: row.keyCollection, credentials: row.credentials };
    }
    case 'CSISnapshotSchedule': {
      // It is there in what it does next, which each object does at a minute of its own.
      const { nextScheduleTime = '', ...rest } = Object(world.said(`${kind}/shop/${name}`).observed);
      return { ...rest, nextRun: `${String(nextScheduleTime).slice(0, 13)} h` };
    }
    default: // nothing is made for it: what it says of itself is all there is
      return world.said(`${kind}/shop/${name}`).observed;
  }
}

/** As a read shows it: the store also keeps former names of fields that were unset since. */
const roleIn = (row: OIDCRoleRow | undefined) => row && shown(row.values);

const diskName = ({ scheduler }: World, externalID: string): string | undefined =>
  [...scheduler.provider.disks.rows()]
    .find((disk) => disk.ExternalID === externalID)
    ?.Name.replace(/-[^-]*$/, '');

/** Its ID, where it was there before. */
const snapshotName = ({ provider }: World['scheduler'], id: string): string => {
  const { Name = '' } = [...provider.snapshots.rows()].find(({ ID }) => ID === id) ?? {};
  return Name === '' ? id : Name.replace(/-[^-]*$/, '');
};

function volumeIn({ scheduler }: World, row: VolumeRow): unknown {
  const disk = [...scheduler.provider.disks.rows()].find(
    ({ PluginID, ExternalID }) => PluginID === row.PluginID && ExternalID === row.ExternalID,
  );
  const { PluginID, RequestedCapabilities, RequestedTopologies, MountOptions, Secrets, Parameters } = row;
  const { RequestedCapacityMin, RequestedCapacityMax, SnapshotID, ExternalID } = row;
  return {
    PluginID,
    RequestedCapabilities,
    RequestedTopologies,
    MountOptions,
    Secrets,
    Parameters,
    RequestedCapacityMin,
    RequestedCapacityMax,
    snapshot: snapshotName(scheduler, SnapshotID),
    disk: disk && {
      CapacityBytes: disk.CapacityBytes,
      Parameters: disk.Parameters,
      snapshot: snapshotName(scheduler, disk.SnapshotID),
      Topologies: disk.Topologies,
      ...(disk.Name === '' && { ExternalID }),
    },
  };
}
