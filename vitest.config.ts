// The unit tests: fast, on any machine, with nothing outside the checkout.
import { defineConfig } from 'vitest/config';

if (Number(process.versions.node.split('.')[0]) < 24) {
  throw new Error(
    `the tests need Node 24, and this is ${process.version}: \`npm start\` says why it is not there`,
  );
}

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [
      'test/{audit,bench,durability,e2e,faults,transitions}/**',
      'test/simulation/{planted,year}.test.ts',
    ],
    isolate: false, // no module holds state (test/house), so a file does not need a process of its own
    maxWorkers: '100%', // by default one core is left alone, which on a machine of two is half of it
    expect: { requireAssertions: true }, // a test that checks nothing can't fail
    testTimeout: 60_000, // far above the deadlines inside tests, which say what they waited for
    hookTimeout: 60_000,
  },
});
