// The parts of a plan that are saved, and compared when the plan is applied.
import { declarationOf, memoryOf, type SavedObject } from '../../core/planning/saved-plan.ts';
import type { DryRun } from '../../runtime/dry-run.ts';
import { digestOf } from '../../runtime/place/saved-plan.ts';
import type { Planned } from './forecast.ts';

export function savedOf(planned: readonly Planned[], { objects, read }: DryRun): readonly SavedObject[] {
  const goings = new Map(objects.map((one) => [one.key, 'plan' in one ? one.going : undefined]));
  return planned.flatMap((one) => {
    const entry = read(one.key);
    if (!entry) return [];
    const going = goings.get(one.key);
    return [
      {
        key: one.key,
        action: one.action,
        steps: one.steps.map(({ verb, destroys, changes }) => ({
          verb,
          ...(destroys && { destroys }),
          paths: changes.map(({ path }) => path),
        })),
        ...(one.after && { after: true as const }),
        ...(going !== undefined && { going }),
        declared: digestOf(declarationOf(entry.object)),
        remembered: digestOf(memoryOf(entry.object, entry.status)),
        planned: digestOf(essenceOf(one)),
      },
    ];
  });
}

/**
 * The plan without problems, without what it could not read, and without parts that time alone changes: upcoming events and
 * messages of `blocked`.
 */
function essenceOf(planned: Planned): unknown {
  const { coming: _coming, blocked, problems: _problems, unchecked: _unchecked, ...one } = planned;
  return { ...one, ...(blocked && { blocked: { reason: blocked.reason, changes: blocked.changes } }) };
}
