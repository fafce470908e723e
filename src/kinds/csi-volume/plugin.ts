// CSIVolume: the plugins that the scheduler has.
import type { Reader } from '../../api/routes.ts';
import type { PluginStub } from '../../api/scheduler/wire.ts';
import type { Prerequisite } from '../../core/kind/kind.ts';

const pluginsIn = async (read: Reader, signal: AbortSignal): Promise<readonly PluginStub[]> =>
  (await read.read('plugin.list', {}, signal)) ?? [];

/** `null`: there is no such plugin. */
export const pluginOf = async (read: Reader, id: string, signal: AbortSignal): Promise<PluginStub | null> =>
  (await pluginsIn(read, signal)).find((plugin) => plugin.ID === id) ?? null;

const pluginsShown = 10;

/** What a create on a plugin needs: that the scheduler has it. */
export const pluginWith = (id: string): Prerequisite<Reader> => ({
  name: `plugin ${id}`,
  async missing(read, signal) {
    const ids = (await pluginsIn(read, signal)).map((plugin) => plugin.ID);
    if (ids.includes(id)) return undefined;
    const others = ids.toSorted().slice(0, pluginsShown).join(', ');
    const message = `the scheduler has no CSI plugin ${id}${others && `, but ${others}`}`;
    return { reason: 'PluginNotFound', message };
  },
});
