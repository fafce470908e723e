// Maps events of the controller and the gate to metrics.
import type { Visit } from '../../controller/reconcile/endings.ts';
import { conditionOf, isTrue } from '../../core/status/condition.ts';
import type { EffectInfo } from '../../core/effect.ts';
import { ApiError, SpecError, type Outcome } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import type { Step } from '../../core/planning/plan.ts';
import { kindOf as problemKindOf } from '../../core/text/problem.ts';
import { keyText } from '../../core/resource.ts';
import { withInvalid } from '../../core/source/invalid.ts';
import type { Source } from '../../core/source/source.ts';
import { createMetrics, type Metrics, type ObjectCount } from '../../telemetry/metrics.ts';
import { systemClock } from '../clock.ts';
import { kinds } from '../kinds/lookup.ts';
import type { Parts } from './view.ts';

export class Measures {
  readonly metrics: Metrics;

  /** @param parts called at each scrape, when all parts exist */
  constructor(
    parts: () => Parts,
    { workers, version }: { readonly workers: number; readonly version: string },
  ) {
    const problems = () => parts().sync?.problems() ?? [];
    this.metrics = createMetrics({
      version,
      runtime: true,
      figures: {
        workers,
        queue: {
          get depth() {
            return parts().queue.depth;
          },
          get running() {
            return parts().queue.running;
          },
          get longestRunMs() {
            return parts().queue.longestRunMs;
          },
        },
        objects: () => counted(withInvalid(parts().source, problems())),
        problems: () => problems().map(problemKindOf),
        connections: () => connected(parts().source),
        restores: () => restored(parts().source),
      },
    });
  }

  effect(info: EffectInfo, durationMs: number, failed: boolean): void {
    this.metrics.observeEffect(info, failed ? 'failed' : 'answered', durationMs / 1000);
  }

  step(key: string, step: Step<unknown>, outcome: Outcome | undefined): void {
    const drifted = step.changes.some(({ cause }) => cause === 'drift');
    const corrects = step.verb === 'update' || step.verb === 'revive';
    if (corrects && drifted) {
      if (outcome === undefined) this.metrics.driftDetected(kindOf(key));
      else if (outcome.is === 'done') this.metrics.driftRepaired(kindOf(key));
    }
  }

  visit({ key, ending, requeueMs }: Visit, tookMs: number): void {
    if (ending.is === 'conflict') return;
    const error = ending.is === 'failed' ? ending.error : undefined;
    const result = error ? 'error' : requeueMs === undefined ? 'success' : 'requeue_after';
    const terminal = error instanceof SpecError || (error instanceof ApiError && error.class === 'refused');
    this.metrics.observeReconcile(kindOf(key), result, tookMs / 1000, terminal);
    if (error) this.metrics.queue.retried();
  }

  bug(key: string): void {
    this.metrics.panicked(kindOf(key));
  }
}

const kindOf = (key: string): string => key.slice(0, key.indexOf('/'));

function counted(source: Pick<Source, 'keys' | 'read'>): Iterable<ObjectCount> {
  const counts = new Map<string, ObjectCount>();
  for (const key of source.keys()) {
    const { conditions = [] } = source.read(key)?.status ?? {};
    const ready = conditionOf(conditions, 'Ready')?.status ?? 'Unknown';
    const kind = kindOf(key);
    const before = counts.get(`${kind} ${ready}`);
    counts.set(`${kind} ${ready}`, { kind, ready, count: (before?.count ?? 0) + 1 });
  }
  return counts.values();
}

function* connected(source: Source): Generator<{ readonly name: string; readonly up: boolean }> {
  for (const key of source.keys()) {
    const entry = source.read(key);
    if (!entry || kinds.get(entry.object.key.kind)?.connectionField !== undefined) continue;
    yield { name: keyText(entry.object.key), up: isTrue(entry.status.conditions, 'Ready') };
  }
}

/** Schedules with restore drills are recognized by their condition RestoreVerified. */
function* restored(
  source: Pick<Source, 'keys' | 'read'>,
): Generator<{ readonly schedule: string; readonly ageSeconds: number }> {
  for (const key of source.keys()) {
    const { object, status } = source.read(key) ?? {};
    if (!object || !status || !conditionOf(status.conditions, 'RestoreVerified')) continue;
    const last = status.observed?.['lastVerifiedRestore'];
    const text = isRecord(last) ? last['at'] : undefined;
    const at = typeof text === 'string' ? Date.parse(text) : Number.NaN;
    const ageSeconds = Number.isNaN(at) ? Infinity : Math.max(0, (systemClock.wallMs() - at) / 1000);
    yield { schedule: `${object.key.namespace}/${object.key.name}`, ageSeconds };
  }
}
