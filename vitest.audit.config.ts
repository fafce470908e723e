// What an audit could destroy: each finding against the program as people run it, in processes of its own; and what becomes of
// every field of every kind (test/transitions).
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: ['test/support/bundled.ts'],
    include: ['test/{audit,transitions}/**/*.test.ts'],
    expect: { requireAssertions: true },
    maxWorkers: 2, // each starts processes of its own
    testTimeout: 90_000,
    hookTimeout: 90_000,
  },
});
