// Observes the operator: wires the hooks of engine and gate to the metrics and to the view of the status page.
import about from '../../../package.json' with { type: 'json' };
import type { GateOptions } from '../../api/effect.ts';
import type { Effect, Reader } from '../../api/routes.ts';
import type { ControllerOptions } from '../../controller/controller.ts';
import type { Visit } from '../../controller/reconcile/endings.ts';
import type { Ports } from '../../controller/reconcile/ports.ts';
import type { QueueObserver } from '../../controller/queue/workqueue.ts';
import type { View } from '../../core/status/view.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { systemClock } from '../clock.ts';
import { Measures } from './measures.ts';
import { OperatorView, type Parts } from './view.ts';

export interface Listeners {
  readonly onEffect?: GateOptions['onEffect'];
  readonly onVisit?: (visit: Visit) => void;
  readonly onStep?: Ports<Effect, Reader>['onStep'];
  readonly onBug?: (key: string, error: unknown) => void;
}

export interface Instruments {
  readonly metrics: Metrics;
  readonly view: View;
  readonly onEffect: NonNullable<GateOptions['onEffect']>;
  readonly onStep: NonNullable<Ports<Effect, Reader>['onStep']>;
  readonly observer: QueueObserver;
  readonly controller: Required<Pick<ControllerOptions<Effect, Reader>, 'onVisit' | 'onChange' | 'onBug'>>;
}

export function instruments(parts: () => Parts, workers: number, listeners: Listeners): Instruments {
  const { version } = about;
  const measures = new Measures(parts, { workers, version });
  const { metrics } = measures;
  const view = new OperatorView(parts, version, systemClock);
  return {
    metrics,
    view,
    onEffect(info, durationMs, failed) {
      measures.effect(info, durationMs, failed);
      listeners.onEffect?.(info, durationMs, failed);
    },
    onStep(key, step, outcome) {
      measures.step(key, step, outcome);
      listeners.onStep?.(key, step, outcome);
    },
    observer: {
      added: () => metrics.queue.added(),
      started: (waitedMs) => metrics.queue.started(waitedMs),
      ended: (tookMs) => metrics.queue.ended(tookMs),
    },
    controller: {
      onVisit(visit, tookMs) {
        measures.visit(visit, tookMs);
        view.visited(visit.key, visit.requeueMs);
        listeners.onVisit?.(visit);
      },
      onChange: (key) => view.changed(key),
      onBug(key, error) {
        measures.bug(key);
        listeners.onBug?.(key, error);
      },
    },
  };
}
