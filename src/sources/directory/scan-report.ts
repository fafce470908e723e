// What is reported of a scan: its problems, and which of them are new or gone. PURE.
import { renderProblem, type Problem } from '../../core/text/problem.ts';

export interface ScanReport {
  readonly problems: readonly Problem[];
  /** Problems that the scan before did not have. */
  readonly appeared: readonly Problem[];
  /** Problems of the scan before that are gone. */
  readonly cleared: readonly Problem[];
  /** Removals that wait until the tree is quiet. While there are problems, nothing is removed and nothing waits. */
  readonly waiting: number;
}

export function reportOf(
  before: readonly Problem[],
  problems: readonly Problem[],
  waiting: number,
): ScanReport {
  const [then, now] = [before, problems].map((all) => new Set(all.map(textOf)));
  const appeared = problems.filter((problem) => !then?.has(textOf(problem)));
  const cleared = before.filter((problem) => !now?.has(textOf(problem)));
  return { problems, appeared, cleared, waiting };
}

const textOf = (problem: Problem): string => renderProblem(problem, { color: false });
