// LDAPStaticRole: the steps of the last rotation, for the status page. PURE.
import { conditionOf } from '../../core/status/condition.ts';
import type { Status } from '../../core/status/status.ts';
import type { TimelineStep } from '../../core/status/view.ts';

export function timeline({ history, conditions }: Status): readonly TimelineStep[] {
  const verified = conditionOf(conditions, 'RotationVerified');
  if (!verified) return [];
  const done = history.filter(({ verb }) => verb === 'act');
  const last = { what: verified.message === '' ? verified.reason : verified.message };
  return [
    ...done.map(({ at, what }) => ({ at, what, done: true })),
    verified.status === 'True'
      ? { ...last, at: done.at(-1)?.at ?? verified.lastTransitionTime, done: true }
      : { ...last, done: false },
  ];
}
