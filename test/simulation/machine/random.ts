// Numbers that look random and are the same for the same seed.

export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole, in [0, below). */
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
  /** True that often. */
  chance(of: number): boolean;
}

/** FNV-1a over the text, in 32 bits. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32. */
export function randomOf(seed: string): Random {
  let state = hashOf(seed);
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (of) => next() < of,
    pick<T>(from: readonly T[]): T {
      if (from.length === 0) throw new Error('nothing to pick from');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is there: undefined may be one of them
      return from[below(from.length)] as T;
    },
  };
}
