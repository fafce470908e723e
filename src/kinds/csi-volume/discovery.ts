// CSIVolume: lists registered volumes, whoever made them, and exports them as declarations that register an existing
// disk: how the disk was created is not known, and an exported declaration must not destroy it.
import type { Reader } from '../../api/routes.ts';
import type { ExternalVolume, VolumeStub } from '../../api/scheduler/wire.ts';
import { gone, ofEach, type Discovered, type Discovery, type Exported } from '../../core/kind/discovery.ts';
import { ApiError } from '../../core/errors.ts';
import { begunAgain, pagesOf } from '../../core/pages.ts';
import { specOf } from '../../schema/exported.ts';
import { pluginsIn } from '../../schema/scheduler/csi-plugins.ts';
import { have } from './body.ts';
import { fields } from './schema.ts';
import { isVolume } from './shape.ts';

const pageSize = 500;

const isListed = (one: VolumeStub): boolean =>
  [one.ID, one.ExternalID].every((text: unknown) => typeof text === 'string');

async function exported(
  read: Reader,
  ref: { readonly namespace: string; readonly id: string },
  signal: AbortSignal,
): Promise<Exported | string> {
  const volume = await read.read('volume.read', ref, signal);
  if (!volume) return gone;
  if (!isVolume(volume))
    throw new ApiError('unreadable', 'InvalidResponse', 'volume.read: the answer is not a volume');
  const seen = have({ volume });
  const registered = Object.fromEntries(
    Object.entries(seen).filter(([path]) => !path.startsWith('/create/')),
  );
  const hasFlags = (volume.MountOptions?.MountFlags ?? []).length > 0;
  return {
    spec: { ...specOf(fields, registered), deletionPolicy: 'Retain' },
    notes: hasFlags ? ['mountOptions.mountFlags: the scheduler does not show them; add those it has'] : [],
  };
}

export const registrations: Discovery<Reader> = {
  async find(read, { connection: { backend, namespace } }, signal) {
    const found: Discovered[] = [];
    for (const { ID: id, ExternalID: data } of await listed(read, namespace, signal)) {
      const exportIt = (until: AbortSignal) => exported(read, { namespace, id }, until);
      found.push({ ref: { backend, namespace, id }, name: id, named: true, data, export: exportIt });
    }
    return found;
  },
};

/** Over all namespaces at once: there the pages of some servers never end (services.md#pages). */
async function listed(read: Reader, namespace: string, signal: AbortSignal): Promise<readonly VolumeStub[]> {
  const all: VolumeStub[] = [];
  const params = { namespace, ...(namespace !== '*' && { per_page: pageSize }) };
  const ask = (at: object) => read.page('volume.list', { ...params, ...at }, signal);
  for await (const page of pagesOf('volume.list', ask)) all.push(...page.filter(isListed));
  return all;
}

/** Disks of providers that are not registered as any volume that the token may list. */
export const disks: Discovery<Reader> = {
  async find(read, { connection: { backend, namespace } }, signal) {
    const plugins = await pluginsIn(read, signal);
    if (plugins.length === 0) return [];
    const registered = new Set((await listed(read, '*', signal)).map((one) => one.ExternalID));
    // Where an ID is a prefix, its list includes disks of plugins with longer IDs, so longer IDs are requested first.
    const pluginOf = new Map<string, string>();
    const ids = plugins.map(({ ID }) => ID).toSorted((one, other) => (one < other ? 1 : -1));
    return ofEach(ids, async (plugin) => {
      const disksOfIt = await ofPlugin(read, namespace, plugin, signal);
      return disksOfIt.flatMap((data): Discovered[] => {
        if (registered.has(data) || pluginOf.get(data)?.startsWith(plugin) === true) return [];
        pluginOf.set(data, plugin);
        const name = `${plugin}/${data} (not registered)`;
        return [{ ref: { backend, plugin, disk: data }, name, data, export: unknowable }];
      });
    });
  },
};

const unknowable = () =>
  Promise.resolve('no volume is registered for this disk, so its capabilities are not known');

async function ofPlugin(
  read: Reader,
  namespace: string,
  plugin: string,
  signal: AbortSignal,
): Promise<readonly string[]> {
  try {
    const params = { namespace, plugin_id: plugin, per_page: 0 }; // 0: the provider chooses the page size, as for snapshots
    const ask = (at: object) => read.page('volume.external', { ...params, ...at }, signal);
    return await begunAgain(async () => {
      const ids = new Set<unknown>();
      for await (const { Volumes } of pagesOf('volume.external', ask)) {
        const entries: readonly (ExternalVolume | null)[] = Array.isArray(Volumes) ? Volumes : [];
        for (const disk of entries) ids.add(disk?.ExternalID);
      }
      return [...ids].filter((id) => typeof id === 'string');
    });
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'PluginIncapable') return [];
    throw error;
  }
}
