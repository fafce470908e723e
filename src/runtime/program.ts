// Which program this is, so that what one version has read is read again by the next.

declare const HOLDFAST_PROGRAM: string | undefined;

/**
 * A hash of all sources and of the versions of all packages, which build.ts puts in. Absent where the program runs from its
 * sources, which change under way.
 */
export const program = typeof HOLDFAST_PROGRAM === 'string' ? HOLDFAST_PROGRAM : undefined;
