// Faults: every effect of every journey disturbed in every way, against the program in processes of its own.
import { defineConfig } from 'vitest/config';
import { compileCache } from './test/support/compile-cache.ts';

process.env['NODE_COMPILE_CACHE'] ??= compileCache; // for threads: each pass in a worker starts some

export default defineConfig({
  test: {
    include: ['test/faults/**/*.test.ts', 'test/simulation/{planted,year}.test.ts'],
    globalSetup: ['test/support/bundled.ts', 'test/faults/table/setup.ts'],
    expect: { requireAssertions: true },
    maxWorkers: 2, // each starts processes of its own
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
