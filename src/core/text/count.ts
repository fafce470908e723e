// Counts for people. PURE.

/** `1 object`, `2 objects`. */
export const counted = (n: number, noun: string): string => `${n} ${noun}${n === 1 ? '' : 's'}`;
