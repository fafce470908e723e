// Follows the objects of a cluster as they change, for commands with --watch.
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { KubernetesObject, Resource } from '../../api/kubernetes/resources.ts';
import { sleep } from '../../core/time/clock.ts';
import { keyText, parseKey } from '../../core/resource.ts';
import { Reflector } from '../../sources/kubernetes/reflector.ts';
import { decode } from '../../sources/kubernetes/wire.ts';
import { systemClock } from '../clock.ts';
import type { Entry } from '../../core/source/source.ts';
import { isSelected, type Listing, type Query, type Watching } from '../place/listing.ts';
import { kinds } from '../kinds/lookup.ts';

interface WatchOptions {
  readonly client: KubernetesClient;
  /** Absent: all namespaces. */
  readonly namespace: string | undefined;
  readonly resourceOf: (kind: string) => Resource;
  readonly list: (query: Query) => Promise<Listing>;
}

/** Changes within this time are reported together. */
const togetherMs = 500;

/**
 * Watches the kinds of the query, and calls `onChange` with all selected objects after each change. A kind that can't be watched
 * holds up no other.
 * @throws UsageError, ApiError if the first read is refused; later failures are retried
 */
export async function watchCluster(
  { client, namespace, resourceOf, list }: WatchOptions,
  query: Query,
  { onChange, onTrouble }: Watching,
  signal: AbortSignal,
): Promise<void> {
  const first = await list(query);
  onChange(first);
  const objects = new Map<string, Entry>(first.rows.map((row) => [row.object.uid, row]));
  let changes = 0;
  const collect = (resource: Resource): Reflector => {
    const { kind } = resource;
    const set = (raw: KubernetesObject): void =>
      void objects.set(
        raw.metadata.uid,
        decode(raw, kind, undefined, () => undefined),
      );
    const into = {
      replace(all: readonly KubernetesObject[]) {
        for (const [uid, { object }] of objects) if (object.key.kind === kind) objects.delete(uid);
        for (const raw of all) set(raw);
        changes++;
      },
      changed(raw: KubernetesObject) {
        set(raw);
        changes++;
      },
      deleted(raw: KubernetesObject) {
        objects.delete(raw.metadata.uid);
        changes++;
      },
    };
    const of = { namespace: resource.namespaced ? (namespace ?? '') : '' };
    const trouble = (message: string | undefined): void => onTrouble(kind, message);
    return new Reflector({ client, resource, of, into, clock: systemClock, random: Math.random, trouble });
  };
  const reflectors = kindsOf(query, first).map(resourceOf).map(collect);
  try {
    for (const one of reflectors) void one.start();
    for (let before = 0; !signal.aborted; await sleep(systemClock, togetherMs, signal)) {
      if (changes === before) continue;
      before = changes;
      const all = [...objects.values()];
      const read = (key: string) => all.find(({ object }) => keyText(object.key) === key);
      onChange({ rows: all.filter(({ object }) => isSelected(query, object)), read });
    }
  } finally {
    await Promise.all(reflectors.map((one) => one.stop()));
  }
}

/** The kinds to watch: those of the query, or all kinds that the user may read. */
function kindsOf({ kinds: asked, keys }: Query, { unread = [] }: Listing): readonly string[] {
  const named = [...asked, ...keys.flatMap((key) => parseKey(key)?.kind ?? [])];
  if (named.length > 0) return [...new Set(named)];
  return [...kinds.keys()].filter((kind) => !unread.some((one) => one.kind === kind));
}
