// The place where a command reads objects and makes requests: the state of a directory, or a cluster.
import { statSync } from 'node:fs';
import { sleep } from '../../core/time/clock.ts';
import type { Entry } from '../../core/source/source.ts';
import { invalidObjects } from '../../core/source/invalid.ts';
import type { Control } from '../../sources/directory/control.ts';
import { isThere } from '../../sources/directory/state/access.ts';
import { isLocked } from '../../sources/directory/state/lock.ts';
import { entryOf } from '../../sources/directory/state/row.ts';
import { lockFile } from '../../sources/directory/state/storage.ts';
import { systemClock } from '../clock.ts';
import { onceRequests } from '../kinds/lookup.ts';
import type { ClusterOptions } from '../kubernetes/cluster.ts';
import { everything, isSelected, type Listing, type Query, type Watching } from './listing.ts';
import { nextVisitOf, request, type NextVisit } from './requests.ts';
import { stateFile, stateIn } from './state-file.ts';

export interface Place {
  /** The namespace of an object that is named without one. */
  readonly namespace: string;
  /** @throws UsageError */
  list(query?: Query): Promise<Listing>;
  /** Calls `onChange` with the current objects, at once and after changes, until the signal aborts. @throws UsageError */
  watch(query: Query, watching: Watching, signal: AbortSignal): Promise<void>;
  nextVisit(key: string): Promise<NextVisit>;
  /** Whether it is certain that no process works here, so that what is listed may be old. */
  isUnattended(): boolean;
  /** @returns the message for the user. @throws UsageError if the command can't be carried out */
  request(command: Control): Promise<string>;
}

export interface DirectoryOptions {
  readonly stateDir: string;
  /** Absent: all namespaces; for an object that is named without one, `default`. */
  readonly namespace?: string;
}

export type PlaceOptions = DirectoryOptions | ClusterOptions;

/** @throws UsageError if the place does not exist, and for whatever the cluster refuses */
export async function atPlace<T>(
  options: PlaceOptions,
  signal: AbortSignal,
  use: (place: Place) => Promise<T>,
): Promise<T> {
  if ('stateDir' in options) return await use(directoryPlace(options));
  const { clusterPlace, onCluster } = await import('../kubernetes/cluster.ts'); // large, and needed only here
  const at = (client: Parameters<typeof clusterPlace>[0]) =>
    use(clusterPlace(client, options.namespace, signal));
  return await onCluster(options.cluster, signal, at);
}

/** How often the state's file is checked for changes: nothing reports them. */
const pollMs = 500;

function directoryPlace({ stateDir, namespace }: DirectoryOptions): Place {
  const list = async (query: Query = everything): Promise<Listing> => {
    const isAll = query.kinds.length + query.keys.length === 0;
    const { rows, distrusted, problems } = await stateIn(stateDir, isAll ? undefined : query);
    const invalid = invalidObjects(problems, (key) => rows.has(key));
    const read = (key: string): Entry | undefined => {
      const row = rows.get(key);
      return row ? entryOf(row, { onceRequests, distrusted: distrusted !== undefined }) : invalid.get(key);
    };
    const selected = [...rows, ...invalid].filter(
      ([, { object }]) => isSelected(query, object) && isIn(namespace, object.key),
    );
    return { rows: selected.flatMap(([key]) => read(key) ?? []), read, distrusted, problems };
  };
  const isUnattended = (): boolean => !isLocked(lockFile(stateFile(stateDir)));
  return {
    namespace: namespace ?? 'default',
    list,
    async watch(query, { onChange }, signal) {
      for (let before: string | undefined; !signal.aborted; await sleep(systemClock, pollMs, signal)) {
        // Who is killed writes nothing any more, but lets go of the lock.
        const now = `${stampOf(stateFile(stateDir))} ${isUnattended()}`;
        if (now !== before) onChange(await list(query));
        before = now;
      }
    },
    nextVisit: (key) => nextVisitOf(stateDir, key),
    isUnattended,
    request: (command) => request(stateDir, command),
  };
}

/** Cluster-scoped objects belong to every namespace. */
const isIn = (namespace: string | undefined, { namespace: of }: { readonly namespace: string }): boolean =>
  namespace === undefined || of === '' || of === namespace;

/** Changes with every write to the state. @throws UsageError if the state can't be read */
const stampOf = (file: string): string =>
  [file, `${file}-wal`]
    .filter(isThere)
    .map((name) => statSync(name, { bigint: true, throwIfNoEntry: false }))
    .map((stat) => `${stat?.mtimeNs} ${stat?.size}`)
    .join();
