// A plan in one line, and its first step: what the tables of plan tests compare.
import type { FieldChange } from '../../src/core/status/status.ts';
import type { Later, Plan, Step } from '../../src/core/planning/plan.ts';

export interface Named {
  readonly op: string;
}

const words = (...parts: readonly (string | false)[]): string => parts.filter(Boolean).join(' ');
const paths = (changes: readonly FieldChange[]): string => changes.map((c) => c.path).join();

/** What makes an object sends all that is declared. Only the first step is executable, so only its operation is shown. */
function stepOutline(step: Step<Named> | Later, at: number): string {
  const by = at === 0 && 'effect' in step && step.effect ? `by ${step.effect.op}` : '';
  return words(step.verb, by, step.verb !== 'create' && step.verb !== 'revive' && paths(step.changes));
}

/** `update by volume.register /secrets`, `blocked DeletionBlocked until live`, `gone kept`. */
export function outlineOf(plan: Plan<Named>): string {
  switch (plan.verdict) {
    case 'in-sync':
      return words('in-sync', plan.drift.length > 0 && `drift ${paths(plan.drift)}`);
    case 'blocked':
      return words(
        plan.stalls ? 'stalled' : 'blocked',
        plan.reason,
        'until',
        plan.wake.on,
        paths(plan.changes),
      );
    case 'gone':
      return plan.removed ? 'gone removed' : 'gone kept';
    case 'change':
      return plan.steps.map(stepOutline).join(' then ');
  }
}

export function firstStepOf<E extends Named>(plan: Plan<E>): Step<E> {
  if (plan.verdict !== 'change') throw new Error(`not a change: ${outlineOf(plan)}`);
  return plan.steps[0];
}
