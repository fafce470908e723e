// What an audit could destroy: each finding against the program as people run it, in processes of its own; and what becomes of
// every field of every kind (test/transitions).
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** They wait for passes that have something to wait for more than they compute. */
const atOnce = Math.min(4, availableParallelism() + 1);

export default defineConfig({
  test: {
    globalSetup: ['test/support/bundled.ts'],
    include: ['test/{audit,transitions}/**/*.test.ts'],
    expect: { requireAssertions: true },
    maxWorkers: atOnce,
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
