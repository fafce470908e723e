// AllocationAction: between milliseconds since 1970 and RFC 3339. PURE: no clock is asked.

// oxlint-disable-next-line no-restricted-globals -- formats the given instant
export const textOf = (wallMs: number): string => new Date(wallMs).toISOString();

/** `NaN` for what is no time. */
// oxlint-disable-next-line no-restricted-globals -- reads the given instant
export const msOf = (instant: string): number => Date.parse(instant);
