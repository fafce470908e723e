// What the world was made of since a state was written: somebody else has what the object had, under its name.
import type { Holdings } from '../world/holdings.ts';
import type { World } from '../world/world.ts';

/** Kind → what others do. */
export const handedOn: Readonly<Record<string, ((world: World) => Promise<void>) | undefined>> = {
  async CSIVolume({ scheduler }) {
    const path = '/v1/volume/csi/object';
    const there = (await scheduler.volumes()).some(({ ID }) => ID === 'object');
    if (there) await scheduler.call('DELETE', `${path}?namespace=default`);
    const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
    const one = { ID: 'object', Name: 'theirs', Namespace: 'default', PluginID: 'hostpath' };
    await scheduler.call('PUT', `${path}/create`, { Volumes: [{ ...one, RequestedCapabilities }] });
  },

  async LDAPConfig({ secrets }) {
    await secrets.call('DELETE', '/v1/ldap/config').catch(() => {}); // it is gone already
    await secrets.call('POST', '/v1/ldap/config', {
      url: 'ldap://embedded',
      binddn: 'uid=reports,ou=services,dc=example,dc=org',
      bindpass: 'holdfast-dev-reports',
    });
  },

  async LDAPStaticRole({ secrets }) {
    await secrets.call('DELETE', '/v1/ldap/static-role/shop').catch(() => {}); // it is gone already
    await secrets.call('POST', '/v1/ldap/static-role/shop', {
      username: 'reports',
      dn: 'uid=reports,ou=services,dc=example,dc=org',
      rotation_period: 86_400,
    });
  },
};

/** Kinds whose objects, or what is declared along with them, are disks and registrations. */
const ofStorage: ReadonlySet<string> = new Set(['CSIVolume', 'SchedulerConnection']);

/** Whether it is what a journey is about, and not what is not its business. */
export function isOwn(kind: string, name: string, before: Holdings): boolean {
  const isNamed = (after: string): boolean => before.things.get(name)?.startsWith(`${after}-`) === true;
  if (kind === 'CSISnapshot') {
    // `fresh` is declared in one manifest with it.
    const isFresh = (name.startsWith('disk ') && isNamed('fresh')) || name === 'volume default/fresh';
    return (name.startsWith('snapshot ') && isNamed('object')) || isFresh;
  }
  if (!ofStorage.has(kind)) return name === (kind === 'LDAPStaticRole' ? 'role shop' : 'config ldap');
  return (name.startsWith('disk ') && isNamed('object')) || name === 'volume default/object';
}
