// CSISnapshotSchedule: instants as text and as local time. It formats given instants and never reads the clock. PURE.
// oxlint-disable no-restricted-globals

const dayMs = 86_400_000;
const hourMs = 3_600_000;
const minuteMs = 60_000;

/** RFC 3339 in UTC, whole seconds. */
export const textOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');

const written = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z$/;

/** @returns `undefined` for what `textOf` would not write */
export function msOf(text: string | undefined): number | undefined {
  const ms = text !== undefined && written.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/** The minute, as names contain it: `202611230000`. */
export const stampOf = (ms: number): string => textOf(ms).replaceAll(/[-T:]/g, '').slice(0, 12);

/** A memo: a format takes about 19 KiB, and is slow to make. */
const formats = new Map<string, Intl.DateTimeFormat>();
const formatsMax = 64;

/** Names are the same in upper and lower case: no spelling takes a format of its own. @throws RangeError if it is unknown here */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const name = timeZone.toLowerCase();
  const found = formats.get(name);
  if (found) return found;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  });
  if (formats.size >= formatsMax) formats.clear();
  formats.set(name, format);
  return format;
}

/** The one name of a time zone that has several. @throws RangeError for one that this machine does not know */
export const canonicalZone = (timeZone: string): string => formatOf(timeZone).resolvedOptions().timeZone;

interface Local {
  /** Days since 1970. */
  readonly day: number;
  readonly year: number;
  readonly month: number;
  readonly hour: number;
  /** Minutes ahead of UTC. */
  readonly offset: number;
}

/** A memo: every plan converts the same instants again, and time zone conversion is slow. */
const known = new Map<string, Local>();
const knownMax = 20_000;

function localOf(ms: number, timeZone: string): Local {
  const at = `${timeZone} ${ms}`;
  const found = known.get(at);
  if (found) return found;
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(ms)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const [year = 0, month = 0, date = 0, hour = 0, minute = 0] = (
    ['year', 'month', 'day', 'hour', 'minute'] as const
  ).map((part) => parts.get(part));
  const midnightMs = Date.UTC(year, month - 1, date);
  const localMs = midnightMs + hour * hourMs + minute * minuteMs;
  const offset = localMs / minuteMs - Math.floor(ms / minuteMs);
  const local = { day: midnightMs / dayMs, year, month, hour, offset };
  if (known.size >= knownMax) known.clear();
  known.set(at, local);
  return local;
}

export type Period = 'hour' | 'day' | 'week' | 'month';

/** A key for the local period that contains an instant. An hour that a clock change repeats counts as two. */
export function periodOf(period: Period, ms: number, timeZone: string): string {
  const { day, year, month, hour, offset } = localOf(ms, timeZone);
  switch (period) {
    case 'hour':
      return `${day} ${hour} ${offset}`;
    case 'day':
      return String(day);
    case 'week':
      return String(Math.floor((day + 3) / 7)); // weeks start on Monday; day 0 was a Thursday
    case 'month':
      return `${year} ${month}`;
  }
}
