// AllocationAction: its progress, in numbers and words. PURE.
import { isFinal, type Own, type Phase, type Result } from './own.ts';

export type Counts = Readonly<Record<Phase, number>>;

export function countsOf({ results }: Pick<Own, 'results'>): Counts {
  const counts = { Pending: 0, Started: 0, Succeeded: 0, Failed: 0, Unknown: 0 };
  for (const { phase } of results) counts[phase] += 1;
  return counts;
}

/** Changes with each step, so that a visit ends after each. */
export function progressOf(own: Own): string {
  const { Pending, Succeeded } = countsOf(own);
  const all = own.results.length;
  const through = own.results.filter(isFinal).length;
  return `${all - Pending} of ${all} begun, ${through} through, ${Succeeded} succeeded`;
}

export const hasFailed = ({ phase }: Pick<Result, 'phase'>): boolean =>
  phase === 'Failed' || phase === 'Unknown';

export const hasSucceeded = ({ results }: Own): boolean =>
  results.length > 0 && results.every(({ phase }) => phase === 'Succeeded');

/** Why the action failed, in one line. The first failed allocation stands for all. */
export function failureOf(own: Own): string {
  const { Failed, Unknown, Pending } = countsOf(own);
  const counted = [
    [Failed, 'failed'],
    [Unknown, 'unknown'],
    [Pending, 'not begun'],
  ] as const;
  const numbers = counted.flatMap(([count, what]) => (count === 0 ? [] : [`${count} ${what}`]));
  const first = own.results.find(hasFailed);
  const why = first ? [`${first.allocation}: ${first.message ?? first.phase}`] : [];
  const said = own.message === undefined ? [] : [own.message];
  const of = own.results.length === 0 ? [] : [`of ${own.results.length}: ${numbers.join(', ')}`];
  return [...said, ...of, ...why].join('; ');
}
