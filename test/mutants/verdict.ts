// What a run came to: how many mutants were noticed, and whether those that were not are the ones that are known.

/** One change to the code, as people read it. */
export interface Change {
  /** The line as it stands; a change of several lines shows the first of them. */
  readonly line: string;
  readonly becomes: string;
}

export interface Played extends Change {
  readonly file: string;
  /** A test failed, or did not end. */
  readonly noticed: boolean;
}

/** A mutant that no test has to notice. */
export interface Accepted extends Change {
  readonly why: string;
}

export type Survivors = Readonly<Record<string, readonly Accepted[]>>;

export interface Verdict {
  readonly rows: readonly { readonly file: string; readonly mutants: number; readonly noticed: number }[];
  /** Survived, and nobody said why that is all right. */
  readonly unknown: readonly Played[];
  /** Said to survive, but noticed, or no longer made. */
  readonly stale: readonly (Change & { readonly file: string })[];
}

const textOf = (file: string, { line, becomes }: Change): string => JSON.stringify([file, line, becomes]);

/** @param listed those of files that were not played don't count. */
export function verdictOf(played: readonly Played[], listed: Survivors): Verdict {
  const files = [...new Set(played.map((one) => one.file))].toSorted();
  const accepted = files.flatMap((file) => (listed[file] ?? []).map((one) => ({ file, ...one })));
  const known = new Set(accepted.map((one) => textOf(one.file, one)));
  const survived = played.filter((one) => !one.noticed);
  const alive = new Set(survived.map((one) => textOf(one.file, one)));
  return {
    rows: files.map((file) => {
      const own = played.filter((one) => one.file === file);
      return { file, mutants: own.length, noticed: own.filter((one) => one.noticed).length };
    }),
    unknown: survived.filter((one) => !known.has(textOf(one.file, one))),
    stale: accepted
      .filter((one) => !alive.has(textOf(one.file, one)))
      .map(({ file, line, becomes }) => ({ file, line, becomes })),
  };
}

const longest = 160;
const short = (text: string): string => {
  const flat = text.replaceAll(/\s+/g, ' ').trim();
  return flat.length <= longest ? flat : `${flat.slice(0, longest)}…`;
};

/** A place in a text, both counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** What putting `replacement` from `start` to `end` changes. */
export function changeOf(text: string, start: Place, end: Place, replacement: string): Change {
  const lines = text.split('\n');
  const first = lines[start.line - 1] ?? '';
  const last = lines[end.line - 1] ?? '';
  return {
    line: short(first),
    becomes: short(first.slice(0, start.column - 1) + replacement + last.slice(end.column - 1)),
  };
}
