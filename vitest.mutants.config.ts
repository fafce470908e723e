// The tests that mutants are played against: those that MUTANTS_TESTS names by patterns, apart by spaces.
import { defineConfig } from 'vitest/config';

const { MUTANTS_TESTS = '{controller,core,kinds,sources}/**/*' } = process.env;

export default defineConfig({
  test: {
    include: MUTANTS_TESTS.split(' ').map((pattern) => `test/${pattern}.test.ts`),
    setupFiles: ['test/mutants/seed.ts'],
    isolate: false, // no test of them leaves anything behind
    expect: { requireAssertions: true },
    testTimeout: 20_000,
  },
});
