// The journeys: the program as people run it, in processes of its own; and what becomes of its files when power or disk fail.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** They wait for leases, intervals and servers more than they compute; each may start an API server. */
const atOnce = Math.min(4, availableParallelism() + 1);

export default defineConfig({
  test: {
    globalSetup: ['test/support/bundled.ts'],
    expect: { requireAssertions: true },
    env: { WITHIN_MS: '60000' }, // of waits that do not say it: several files share the machine
    testTimeout: 300_000, // far above the deadlines inside tests, which say what they waited for
    hookTimeout: 300_000,
    include: ['test/{durability,e2e}/**/*.test.ts'],
    maxWorkers: atOnce,
  },
});
