// Times for people, as kubectl words them.
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** `45s`, `12m`, `3h`, `5d`; empty for an invalid date, which a stored status may hold. @param at RFC 3339 */
export function age(at: string | undefined, wallMs: number): string {
  const ms = wallMs - Date.parse(at ?? '');
  return Number.isNaN(ms) ? '' : span(ms);
}

/** As `age`, for a duration; `0s` below a second. */
export function span(ms: number): string {
  const [unit, size] = units.find(([, each]) => ms >= each * 2 || each === 1_000) ?? ['s', 1_000];
  return `${Math.max(0, Math.floor(ms / size))}${unit}`;
}
