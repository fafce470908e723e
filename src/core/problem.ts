// A problem in the tree, with its place, and how a terminal shows it. Pure; never holds the text of a Secret.
import type { Place, SpecError } from './errors.ts';

export interface Problem {
  readonly message: string;
  /** Path relative to the tree, `/`-separated; `.` is the tree itself. */
  readonly origin: string;
  readonly place?: Place;
  /** The line at `place`, at most 160 characters; absent if the document may be a Secret. */
  readonly excerpt?: string;
  /** keyText of the object concerned, if known. */
  readonly key?: string;
  readonly error?: SpecError;
}

const gutterMin = 4;
/** Could move the cursor or hide text: file names and lines are untrusted. */
const control = /[\p{Cc}\p{Cf}\u2028\u2029]/gu;

const plain = (text: string): string => text.replaceAll('\t', ' ').replaceAll(control, '\u{fffd}');

/** `path:line:column: message`, then the line with a caret under the column. No newline at the end. */
export function renderProblem(problem: Problem, { color }: { readonly color: boolean }): string {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const { place, excerpt } = problem;
  const at = place === undefined ? problem.origin : `${place.file}:${place.line}:${place.column}`;
  const head = `${paint(1, plain(at))}: ${plain(problem.message)}`;
  if (place === undefined || excerpt === undefined) return head;
  const number = String(place.line).padStart(gutterMin);
  const line = `${paint(2, `${number} |`)} ${plain(excerpt)}`;
  if (place.column > excerpt.length + 1) return `${head}\n${line}`;
  const caret = `${' '.repeat(place.column - 1)}${paint(31, '^')}`;
  return `${head}\n${line}\n${paint(2, `${' '.repeat(number.length)} |`)} ${caret}`;
}
