// The CSI plugins that a scheduler has, for the kinds that need one.
import { ApiError } from '../../core/errors.ts';
import type { Prerequisite } from '../../core/kind/kind.ts';

interface Plugin {
  readonly ID: string;
}

/** The part of a scheduler's reader that lists them. */
interface Plugins<P extends Plugin> {
  read(op: 'plugin.list', params: {}, signal: AbortSignal): Promise<readonly P[] | undefined>;
}

/** @throws ApiError */
export const pluginsIn = async <P extends Plugin>(
  read: Plugins<P>,
  signal: AbortSignal,
): Promise<readonly P[]> => (await read.read('plugin.list', {}, signal)) ?? [];

/**
 * @returns `null`: there is no such plugin; `undefined`: the scheduler has no such list, as the documents show none
 * @throws ApiError
 */
export async function pluginOf<P extends Plugin>(
  read: Plugins<P>,
  id: string,
  signal: AbortSignal,
): Promise<P | null | undefined> {
  try {
    return (await pluginsIn(read, signal)).find((plugin) => plugin.ID === id) ?? null;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

const pluginsShown = 10;

/** What a create on a plugin needs: that the scheduler has it. */
export const pluginWith = (id: string): Prerequisite<Plugins<Plugin>> => ({
  name: `plugin ${id}`,
  external: { type: 'scheduler/plugin', id },
  async missing(read, signal) {
    const ids = (await pluginsIn(read, signal)).map((plugin) => plugin.ID);
    if (ids.includes(id)) return undefined;
    const others = ids.toSorted().slice(0, pluginsShown).join(', ');
    const message = `the scheduler has no CSI plugin ${id}${others && `, but ${others}`}`;
    return { reason: 'PluginNotFound', message };
  },
});
