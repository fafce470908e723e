// Records what the operator does to an object as Events, which `kubectl describe` shows.
import type { Declarations } from '../../core/source/source.ts';
import { conditionOf } from '../../core/status/condition.ts';
import type { EventRecorder } from '../../sources/kubernetes/events.ts';
import { apiVersion } from '../../schema/declaration.ts';
import type { EngineOptions } from '../engine.ts';

type Hooks = Required<Pick<EngineOptions, 'onStep' | 'onVisit'>>;

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Records steps, and the reasons for which objects are not ready. Then calls the given hooks. */
export function eventsOf(
  recorder: Pick<EventRecorder, 'record'>,
  source: Pick<Declarations, 'read'>,
  { onStep, onVisit }: Pick<EngineOptions, 'onStep' | 'onVisit'>,
): Hooks {
  const record = (key: string, event: Parameters<EventRecorder['record']>[1]): void => {
    const object = source.read(key)?.object;
    if (object) recorder.record({ key: object.key, uid: object.uid, apiVersion }, event);
  };
  return {
    onStep(key, step, outcome) {
      onStep?.(key, step, outcome);
      if (outcome === undefined) return;
      const action = capital(step.verb);
      if (outcome.is === 'done')
        return record(key, { type: 'Normal', reason: `${action}Succeeded`, action, note: step.summary });
      const note = `${step.summary}: ${outcome.error.message}`;
      return record(key, { type: 'Warning', reason: `${action}Failed`, action, note });
    },
    onVisit(visit) {
      onVisit?.(visit);
      const { key, status, ending } = visit;
      const ready = conditionOf(status.conditions, 'Ready');
      if (ending.is === 'gone' || ending.is === 'conflict' || ready?.status !== 'False') return;
      record(key, { type: 'Warning', reason: ready.reason, action: 'Reconcile', note: ready.message });
    },
  };
}
