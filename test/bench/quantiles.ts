// The tail of many samples. A quantile is given where at least one sample lies beyond it, and never interpolated.

const shares = [0.5, 0.99, 0.999] as const;

/** The smallest sample that so large a share does not exceed (nearest rank); `undefined` for too few samples. */
export function quantile(samples: readonly number[], share: number): number | undefined {
  const rank = Math.ceil(share * samples.length);
  if (rank === 0 || rank >= samples.length) return undefined;
  return samples.toSorted((a, b) => a - b)[rank - 1];
}

/** p50, p99, p99.9 and the most. */
export const tailOf = (samples: readonly number[]): string =>
  [
    ...shares.map((share) => quantile(samples, share)),
    samples.length === 0 ? undefined : Math.max(...samples),
  ]
    .map((ms) => ms?.toFixed(1) ?? '–')
    .join(' / ');
