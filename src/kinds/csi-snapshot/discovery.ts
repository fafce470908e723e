// CSISnapshot: the snapshots of all plugins that list theirs, whoever took them.
import type { Reader } from '../../api/routes.ts';
import type { Discovered, Discovery } from '../../core/discovery.ts';
import { ApiError } from '../../core/errors.ts';
import { snapshotsOf } from './listing.ts';
import { dataOf } from './own.ts';

async function ofPlugin(
  read: Reader,
  { backend, namespace }: { readonly backend: string; readonly namespace: string },
  pluginID: string,
  signal: AbortSignal,
): Promise<readonly Discovered[]> {
  try {
    const found: Discovered[] = [];
    for await (const listed of snapshotsOf(read, { namespace, pluginID, secrets: {} }, signal)) {
      for (const { ID: id } of listed) {
        const ref = { backend, namespace, snapshot: `${pluginID}/${id}` };
        const spec = { snapshotID: id, pluginID };
        const exported = () => Promise.resolve({ spec, notes: [] });
        found.push({ ref, name: `${pluginID}/${id}`, data: dataOf({ id, pluginID }), export: exported });
      }
    }
    return found;
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'PluginIncapable') return [];
    throw error;
  }
}

export const discovery: Discovery<Reader> = {
  async find(read, { connection }, signal) {
    const plugins = (await read.read('plugin.list', {}, signal)) ?? [];
    const found: Discovered[] = [];
    for (const { ID } of plugins) found.push(...(await ofPlugin(read, connection, ID, signal)));
    return found;
  },
};
