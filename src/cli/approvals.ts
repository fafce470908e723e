// Which removals wait for a person, worked out from the state alone: the same whether the operator runs or not.
import { Deletions } from '../controller/deletions.ts';
import { Graph } from '../controller/graph.ts';
import { connectionOf } from '../controller/way.ts';
import { UsageError } from '../core/errors.ts';
import { keyText, type Reference, type Resolution } from '../core/resource.ts';
import { Secret } from '../core/secret.ts';
import type { State } from '../sources/directory/state.ts';
import { systemClock } from './clock.ts';
import { kinds } from './kinds.ts';

interface Waiting {
  readonly connection: string;
  readonly digest: string;
  readonly keys: readonly string[];
}

/** One entry for each connection beyond its deletion limits. */
function waitingIn(state: State): readonly Waiting[] {
  const graph = new Graph();
  for (const [key, { object }] of state.rows) {
    const connection = connectionOf(object, kinds, (at) => state.rows.get(at));
    graph.set(key, { uid: object.uid, leaving: object.deleting, references: [], connection });
  }
  const source = {
    approved: (key: string) => state.rows.get(key)?.approved ?? false,
    releasedSince: (connection: string, sinceMs: number) => state.departedSince(connection, sinceMs),
  };
  const deletions = new Deletions(graph, source, systemClock.nowMs);
  return [...state.rows.values()].flatMap(({ object }): Waiting[] => {
    const kind = kinds.get(object.key.kind);
    if (!kind || kind.connectionField !== undefined) return [];
    const opened = kind.open(object, {});
    const limits = opened.connect(unloaded(opened.references))?.limits.deletions;
    const connection = keyText(object.key);
    const waiting = limits && deletions.waiting(connection, limits);
    return waiting ? [{ connection, ...waiting }] : [];
  });
}

/** Limits hold no secrets, so none is read. */
const unloaded = (references: readonly Reference[]): ReadonlyMap<string, Resolution> =>
  new Map(
    references.map((r) => [r.field, { state: 'secret', secret: Secret.unloaded(keyText(r.target), '') }]),
  );

/**
 * Lets the objects go that `digest` names.
 * @returns their keys. @throws UsageError when nothing waits under it.
 */
export async function approveIn(
  state: State,
  digest: string,
  approve: (keys: readonly string[]) => Promise<void>,
): Promise<readonly string[]> {
  const waiting = waitingIn(state);
  const meant = waiting.find((w) => w.digest === digest);
  if (meant) {
    await approve(meant.keys);
    return meant.keys;
  }
  const others = waiting.map((w) => `${w.digest} (${w.connection}: ${w.keys.length} objects)`).join(', ');
  throw new UsageError(
    `nothing waits under ${digest}; ${others === '' ? 'nothing waits at all' : `waiting: ${others}`}`,
  );
}
