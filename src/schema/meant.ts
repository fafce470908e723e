// What somebody may have meant who wrote a size or a duration as other tools take them: `10 GiB`, `1.5Gi`, `1d`. PURE.

/** Says what an input may mean that is not of the expected form. */
export type Meant = (input: string) => string | undefined;

/** Longer texts are not looked at. */
const inputMax = 40;

/** Lower-case units, without a `b` or `bytes` at their end, and how a size has them. */
const sizeUnits: ReadonlyMap<string, string> = new Map(
  ['', 'k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'].map((unit) => [unit.toLowerCase(), unit]),
);

/** The next smaller unit, for a size that is no whole number. */
const smaller: ReadonlyMap<string, readonly [unit: string, times: number]> = new Map([
  ['M', ['k', 1000]],
  ['G', ['M', 1000]],
  ['T', ['G', 1000]],
  ['P', ['T', 1000]],
  ['Mi', ['Ki', 1024]],
  ['Gi', ['Mi', 1024]],
  ['Ti', ['Gi', 1024]],
  ['Pi', ['Ti', 1024]],
]);

/** Units of time by their first letters, in seconds. */
const timeUnits: readonly (readonly [pattern: RegExp, seconds: number])[] = [
  [/^(s|secs?|seconds?)$/, 1],
  [/^(m|mins?|minutes?)$/, 60],
  [/^(h|hrs?|hours?)$/, 3600],
  [/^(d|days?)$/, 86_400],
  [/^(w|weeks?)$/, 604_800],
];

/** @returns a size that the input may mean; the caller checks whether it is one */
export function sizeMeant(input: string): string | undefined {
  if (input.length > inputMax) return undefined;
  const [, digits = '', written = ''] = /^\s*(\d+(?:\.\d+)?)\s*([a-z]*)\s*$/i.exec(input) ?? [];
  const unit = sizeUnits.get(written.toLowerCase().replace(/b(ytes?)?$/, ''));
  if (unit === undefined) return undefined;
  if (/^\d+$/.test(digits)) return `${digits}${unit}`;
  const next = smaller.get(unit);
  return next && whole(Number(digits) * next[1], next[0]);
}

/** @returns a duration that the input may mean, such as `24h` for `1d`; a bare number counts seconds, as in other tools */
export function durationMeant(input: string): string | undefined {
  if (/^\d+$/.test(input)) return `${input}s`;
  const part = /(\d+(?:\.\d+)?)\s*([a-z]+)\s*/gi;
  if (input.length > inputMax || input.replaceAll(part, '') !== '') return undefined;
  let seconds = 0;
  for (const [, digits, written = ''] of input.matchAll(part)) {
    const [, each] = timeUnits.find(([pattern]) => pattern.test(written.toLowerCase())) ?? [];
    if (each === undefined) return undefined;
    seconds += Number(digits) * each;
  }
  return spanOf(seconds);
}

const whole = (count: number, unit: string): string | undefined =>
  Number.isInteger(count) ? `${count}${unit}` : undefined;

/** In the largest unit that leaves no rest. */
function spanOf(seconds: number): string | undefined {
  if (seconds % 3600 === 0) return whole(seconds / 3600, 'h');
  return seconds % 60 === 0 ? whole(seconds / 60, 'm') : whole(seconds, 's');
}
