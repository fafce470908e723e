// What the tests of plans share: an object that is held, stays and was written, unless a test says otherwise; and what is
// planned for it.
import type { Plan, Step } from '../../src/core/planning/plan.ts';
import {
  managing,
  mergePolicy,
  suspended,
  type Policy,
  type PolicyChoice,
} from '../../src/core/planning/policy.ts';
import type { ExternalRef } from '../../src/core/resource.ts';
import type { Json } from '../../src/core/secret.ts';
import type { Status } from '../../src/core/status/status.ts';
import { firstStepOf, outlineOf, type Named } from './outline.ts';

/** What may differ of an object of any kind. */
export interface Common<Own> {
  readonly memory?: Status<Own>;
  /** Added to what was last written. */
  readonly wrote?: Readonly<Record<string, Json>>;
  readonly policy?: PolicyChoice;
  readonly requests?: Readonly<Record<string, string>>;
  readonly deleting?: boolean;
  readonly held?: boolean;
  readonly located?: ExternalRef;
}

interface Usual<Own> {
  readonly memory: Status<Own>;
  readonly ref: ExternalRef;
  readonly policy?: Policy;
}

/** The part of a situation that knows nothing of the kind. What was begun was begun a second ago. */
export function common<Own>(given: Common<Own>, usual: Usual<Own>) {
  const { memory = usual.memory, wrote, located = usual.ref, policy = {} } = given;
  const { deleting = false, held = true, requests = {} } = given;
  return {
    uid: 'uid-1',
    deleting,
    held,
    requests,
    ref: memory.externalRef ?? located,
    located,
    status: { ...memory, applied: { ...memory.applied, ...wrote } },
    policy: mergePolicy(policy, {}, usual.policy ?? managing),
    nowMs: 60_000,
    nonce: '',
    wallMs: 0,
    since: () => 59_000,
  };
}

interface Planned {
  readonly policy: Policy;
  readonly deleting: boolean;
}

/** The plan as the reconciler gets it, its first step, and all of it in one line. */
export function planning<Given, S extends Planned, E extends Named>(
  situation: (given: Given) => S,
  plan: (s: S) => Plan<E>,
) {
  const planned = (given: Given): Plan<E> => {
    const s = situation(given);
    return suspended(plan(s), s.policy, s.deleting);
  };
  return {
    planned,
    firstStep: (given: Given): Step<E> => firstStepOf(planned(given)),
    outline: (given: Given): string => outlineOf(planned(given)),
  };
}
