// How samples lie: median, quartiles and extremes. Means would let one disturbed run speak for all.

export interface Spread {
  readonly min: number;
  readonly lowerQuartile: number;
  readonly median: number;
  readonly upperQuartile: number;
  readonly max: number;
}

/** Between two samples, by linear interpolation. @throws RangeError for no samples */
export function spreadOf(samples: readonly number[]): Spread {
  if (samples.length === 0) throw new RangeError('expected at least one sample, got none');
  const sorted = samples.toSorted((a, b) => a - b);
  const at = (share: number): number => {
    const place = share * (sorted.length - 1);
    const below = sorted[Math.floor(place)] ?? NaN;
    const above = sorted[Math.ceil(place)] ?? NaN;
    return below + (above - below) * (place % 1);
  };
  return { min: at(0), lowerQuartile: at(0.25), median: at(0.5), upperQuartile: at(0.75), max: at(1) };
}
