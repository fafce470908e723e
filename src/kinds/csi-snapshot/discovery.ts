// CSISnapshot: lists the snapshots of all plugins that can list them, whoever took them.
import type { Reader } from '../../api/routes.ts';
import { ofEach, type Discovered, type Discovery } from '../../core/kind/discovery.ts';
import { ApiError } from '../../core/errors.ts';
import { begunAgain } from '../../core/pages.ts';
import { pluginsIn } from '../../schema/scheduler/csi-plugins.ts';
import { snapshotData } from '../../schema/scheduler/snapshot-data.ts';
import { snapshotsOf } from './listing.ts';

/** Each snapshot once, even if it moves from one page to the next meanwhile. */
async function listed(
  read: Reader,
  { backend, namespace }: { readonly backend: string; readonly namespace: string },
  pluginID: string,
  signal: AbortSignal,
): Promise<readonly Discovered[]> {
  const found = new Map<string, Discovered>();
  for await (const page of snapshotsOf(read, { namespace, pluginID, secrets: {} }, signal)) {
    for (const { ID: id } of page) {
      const ref = { backend, namespace, snapshot: `${pluginID}/${id}` };
      const exported = () =>
        Promise.resolve({ spec: { snapshotID: id, pluginID, deletionPolicy: 'Retain' }, notes: [] });
      const [name, data] = [`${pluginID}/${id}`, snapshotData({ id, pluginID })];
      found.set(id, { ref, name, data, export: exported });
    }
  }
  return [...found.values()];
}

async function ofPlugin(
  read: Reader,
  { backend, namespace }: { readonly backend: string; readonly namespace: string },
  pluginID: string,
  signal: AbortSignal,
): Promise<readonly Discovered[]> {
  try {
    return await begunAgain(() => listed(read, { backend, namespace }, pluginID, signal));
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'PluginIncapable') return [];
    throw error;
  }
}

export const discovery: Discovery<Reader> = {
  async find(read, { connection }, signal) {
    const plugins = (await pluginsIn(read, signal)).map(({ ID }) => ID);
    return ofEach(plugins, (plugin) => ofPlugin(read, connection, plugin, signal));
  },
};
