// The journeys: the program as people run it, in processes of its own; and what becomes of its files when power or disk fail.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/{durability,e2e}/**/*.test.ts'],
    expect: { requireAssertions: true },
    fileParallelism: false, // each file has the machine to itself: journeys state how long things take
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
});
