// What to think of an object after an edit, by what is there and by what it says.
import type { Outcome } from './lanes.ts';

/**
 * followed: what is there is as declared. refused: the declaration is not taken, and what was there stays. told: it is not as
 * declared, and the object says so. later: what is there does not depend on it any more, but what is done next does.
 */
export type Verdict = 'followed' | 'refused' | 'told' | 'later' | 'ignored' | 'stuck';

export const isGood: ReadonlySet<Verdict> = new Set(['followed', 'refused', 'told', 'later']);

interface Judged {
  readonly got: Outcome;
  /** Of the same declaration where nothing was. */
  readonly want: Outcome;
  /** What was there before the edit. */
  readonly before: string | undefined;
  readonly isRefused: boolean;
  /** It was declared before, and taken. */
  readonly isBack: boolean;
  readonly later: boolean;
}

export function verdictOf({ got, want, before, isRefused, isBack, later }: Judged): Verdict {
  if (isRefused) return got.live === before && got.why !== undefined ? 'refused' : 'ignored';
  const isSame = got.live === want.live;
  const hinders = got.why !== undefined && !got.isReady && want.isReady;
  if (isBack && hinders) return 'stuck';
  if (isSame) return 'followed';
  if (got.why !== undefined) return 'told';
  return later ? 'later' : 'ignored';
}

/** Line by line. */
export function difference(got: string, want: string): readonly string[] {
  const [has, shall] = [got.split('\n'), want.split('\n')];
  return [
    ...has.filter((line) => !shall.includes(line)).map((line) => `  is ${line.trim()}`),
    ...shall.filter((line) => !has.includes(line)).map((line) => `  not ${line.trim()}`),
  ];
}
