// A problem in the declared files, with its position, and how a terminal shows it. PURE. Never holds text of a Secret.
import type { Place, SpecError } from '../errors.ts';

export interface Problem {
  readonly message: string;
  /** Path relative to the tree, separated by `/`; `.` is the tree itself. */
  readonly origin: string;
  readonly place?: Place;
  /** The line at `place`, at most 160 characters. Absent if the document may be a Secret. */
  readonly excerpt?: string;
  /** Column in the excerpt. Absent: that of the place. */
  readonly caret?: number;
  /** keyText of the object concerned, if known. */
  readonly key?: string;
  /** The text could not be parsed, so it may declare further objects. */
  readonly unparsed?: true;
  readonly error?: SpecError;
}

const gutterMin = 4;
/** Characters that could move the cursor or hide text: file names and lines are untrusted. */
const control = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const plain = (text: string): string => text.replaceAll('\t', ' ').replaceAll(control, '\u{fffd}');

/** Renders `path:line:column: message`, then the line with a caret under the column. No newline at the end. */
export function renderProblem(problem: Problem, { color }: { readonly color: boolean }): string {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { place, excerpt, caret: column = place?.column ?? 1 } = problem;
  const at = place === undefined ? problem.origin : `${place.file}:${place.line}:${place.column}`;
  const head = `${paint(1, plain(at))}: ${plain(problem.message)}`;
  if (place === undefined || excerpt === undefined) return head;
  const number = String(place.line).padStart(gutterMin);
  const line = `${paint(2, `${number} |`)} ${plain(excerpt)}`;
  if (column > excerpt.length + 1) return `${head}\n${line}`;
  const caret = `${' '.repeat(column - 1)}${paint(31, '^')}`;
  return `${head}\n${line}\n${paint(2, `${' '.repeat(number.length)} |`)} ${caret}`;
}

export const problemKinds = ['object', 'secret', 'installation', 'file'] as const;
export type ProblemKind = (typeof problemKinds)[number];

/** `file`: the file can't be read, or not the objects that it declares. */
export function kindOf({ key, origin }: Problem): ProblemKind {
  if (key !== undefined) return key.startsWith('Secret/') ? 'secret' : 'object';
  return origin === 'holdfast.yaml' ? 'installation' : 'file';
}

/** The problem without its excerpt. */
export const lineOf = (problem: Problem): string =>
  renderProblem(problem, { color: false }).split('\n')[0] ?? '';

/** Why an object is kept although its manifest is gone: any file with a problem may declare it. */
export function heldBackBy(problems: readonly Problem[]): string | undefined {
  const why = unusable(problems);
  return why === undefined ? undefined : `its manifest is gone, and it is not deleted while ${why}`;
}

export const remedyOfProblems =
  'Correct the file. `holdfast validate` checks it. Nothing is deleted until all files can be used.';

/** Counts the objects that can't be used, and the files with a problem that concerns no single object. */
export const invalidIn = (problems: readonly Problem[]): number =>
  new Set(problems.map(({ key, origin }) => key ?? origin)).size;

/** @returns `undefined` if all files can be used */
export function unusable(problems: readonly Problem[]): string | undefined {
  const files = [...new Set(problems.map(({ origin }) => origin))].toSorted();
  const [first] = files;
  if (first === undefined) return undefined;
  return files.length === 1
    ? `1 file can't be used (${plain(first)})`
    : `${files.length} files can't be used (first ${plain(first)})`;
}
