// Where a command looks at objects and asks something of them: the state of a directory, or a cluster.
import type { Distrust } from '../core/source/approvals.ts';
import type { Entry } from '../core/source/source.ts';
import type { Control } from '../sources/directory/control.ts';
import { clusterPlace, onCluster, type ClusterOptions } from './kubernetes/cluster.ts';
import { request } from './requests.ts';
import { stateIn } from './state-file.ts';

export interface Look {
  readonly rows: readonly Entry[];
  readonly distrusted?: Distrust | undefined;
  /** What was left out, and why. */
  readonly unread?: readonly string[];
}

export interface Place {
  /** Namespace of an object for which none is given. */
  readonly namespace: string;
  /** @param what absent: every object; otherwise a kind, or a key. @throws UsageError */
  look(what?: string): Promise<Look>;
  /** @returns the message for the user. @throws UsageError if it can't be carried out */
  request(command: Control): Promise<string>;
}

export type PlaceOptions = { readonly stateDir: string } | ClusterOptions;

/** @throws UsageError where there is no such place, and for whatever the cluster refuses */
export function atPlace<T>(
  options: PlaceOptions,
  signal: AbortSignal,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  if ('stateDir' in options) return use(directoryPlace(options.stateDir));
  return onCluster(options.cluster, signal, (client) => use(clusterPlace(client, options.namespace, signal)));
}

const directoryPlace = (stateDir: string): Place => ({
  namespace: 'default',
  async look(what) {
    const { rows, distrusted } = await stateIn(stateDir);
    const wanted = [...rows].filter(
      ([key, { object }]) => what === undefined || what === key || what === object.key.kind,
    );
    return { rows: wanted.map(([, row]) => row), distrusted };
  },
  request: (command) => request(stateDir, command),
});
