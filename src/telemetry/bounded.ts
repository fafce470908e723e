// Bounds label values, because each distinct value adds a time series that never goes away.

const distinctMax = 100;

/** Returns the first hundred distinct values, and `other` for all further ones. */
export function bounded(): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= distinctMax) return 'other';
    known.add(value);
    return value;
  };
}
