// Applies the deletion budget (core/deletion.ts) to the connections that there are.
import { withinLimits, type DeletionVerdict } from '../core/deletion.ts';
import type { DeletionLimits } from '../core/connection.ts';
import type { Source } from '../core/source.ts';
import type { Graph } from './graph.ts';

const hourMs = 3_600_000;
/** A verdict is good for this long unless the population changes: the hour moves on. */
const keptMs = 1_000;

interface Kept {
  readonly revision: number;
  readonly atMs: number;
  readonly verdict: DeletionVerdict;
}

export class Deletions {
  readonly #graph: Graph;
  readonly #source: Pick<Source, 'approved' | 'releasedSince'>;
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, Kept>();

  constructor(graph: Graph, source: Pick<Source, 'approved' | 'releasedSince'>, nowMs: () => number) {
    this.#graph = graph;
    this.#source = source;
    this.#nowMs = nowMs;
  }

  /** Whether this object, which is leaving, may go. */
  verdict(key: string, connection: string, limits: DeletionLimits): DeletionVerdict {
    if (this.#source.approved(key)) return { is: 'within' };
    const { revision } = this.#graph.population(connection);
    const nowMs = this.#nowMs();
    const kept = this.#kept.get(connection);
    if (kept && kept.revision === revision && nowMs - kept.atMs < keptMs) return kept.verdict;
    const verdict = withinLimits(this.#departures(connection, nowMs), limits);
    this.#kept.set(connection, { revision, atMs: nowMs, verdict });
    return verdict;
  }

  /** Keys of the objects that `holdfast approve <digest>` names now. */
  waiting(
    connection: string,
    limits: DeletionLimits,
  ): { readonly digest: string; readonly keys: readonly string[] } | undefined {
    const departures = this.#departures(connection, this.#nowMs());
    const verdict = withinLimits(departures, limits);
    if (verdict.is === 'within') return undefined;
    return { digest: verdict.digest, keys: departures.leaving.filter((l) => !l.approved).map((l) => l.key) };
  }

  #departures(connection: string, nowMs: number) {
    const { all, leaving } = this.#graph.population(connection);
    return {
      total: all.size,
      leaving: [...leaving].map((key) => ({
        key,
        uid: this.#graph.get(key)?.uid ?? '',
        approved: this.#source.approved(key),
      })),
      leftLastHour: this.#source.releasedSince(connection, nowMs - hourMs),
    };
  }
}
