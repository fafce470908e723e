// The dependencies of a visit, passed in so that tests control time, randomness and the source.
import type { Clock } from '../../core/time/clock.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { ExternalObject, Listed } from '../../core/resource.ts';
import type { Source } from '../../core/source/source.ts';
import type { DecisionPorts } from './decision.ts';

export interface Ports<E, Reader> extends DecisionPorts<E, Reader>, Clock {
  readonly source: Source;
  /** @returns a number in [0, 1) */
  readonly random: () => number;
  /** Called before each step, and after it with the outcome. */
  readonly onStep?: (key: string, step: Step<E>, outcome: Outcome | undefined) => void;
  /** What the watch of a connection listed of an object that this process has not observed yet. Absent: nothing is listed. */
  readonly listed?: (key: string, connection: string, ref: ExternalObject) => Listed | undefined;
  /** Called with the state index of each observation, so that older change events can be dropped. */
  readonly onObserved?: (ref: ExternalObject, index: number) => void;
}
