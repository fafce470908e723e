// What a visit needs of the world.
import type { Clock } from '../../core/clock.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { ExternalObject } from '../../core/resource.ts';
import type { Source } from '../../core/source/source.ts';
import type { DecisionPorts } from './decision.ts';

export interface Ports<E, Reader> extends DecisionPorts<E, Reader>, Clock {
  readonly source: Source;
  /** In [0, 1). */
  readonly random: () => number;
  /** Told of every step before and after it is made. */
  readonly onStep?: (key: string, step: Step<E>, outcome: Outcome | undefined) => void;
  /** Told what an external object looked like last, so that older hints about it can be dropped. */
  readonly onSeen?: (ref: ExternalObject, index: number) => void;
}
