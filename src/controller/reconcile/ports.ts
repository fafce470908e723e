// What a visit needs of the world.
import type { Clock, WallClock } from '../../core/clock.ts';
import type { Outcome } from '../../core/errors.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { ExternalObject } from '../../core/resource.ts';
import type { PreconditionPorts } from './preconditions.ts';
import type { Sinces } from './sinces.ts';

export interface Ports<E, Reader> extends PreconditionPorts<E, Reader>, Clock, WallClock {
  /** In [0, 1). */
  readonly random: () => number;
  readonly sinces: Sinces;
  /** Told of every step before and after it is made. */
  readonly onStep?: (key: string, step: Step<E>, outcome: Outcome | undefined) => void;
  /** Told what an external object looked like last, so that older hints about it can be dropped. */
  readonly onSeen?: (ref: ExternalObject, index: number) => void;
}
