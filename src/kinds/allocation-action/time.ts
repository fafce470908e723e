// AllocationAction: conversion between milliseconds since 1970 and RFC 3339. PURE: no clock is read.

// oxlint-disable-next-line no-restricted-globals -- formats the given instant
export const textOf = (wallMs: number): string => new Date(wallMs).toISOString();

/** `NaN` if the text is not a time. */
// oxlint-disable-next-line no-restricted-globals -- reads the given instant
export const msOf = (instant: string): number => Date.parse(instant);
