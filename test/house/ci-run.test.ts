// The order, the sum and the verdict of .ci/run, with an npm in front of the real one that only says what it was asked.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const house = resolve(import.meta.dirname, '../..');

const npm = `#!/bin/sh
for argument in "$@"; do
  case $argument in --outputFile.json=*) printf '%s' "$REPORT" > "\${argument#*=}" ;; esac
done
[ "$1" != "$HANGING" ] || sleep 3600
[ "$1 $2" != "$FAILING" ]
`;

const report = (passed: number, failed: number, skipped: number, unloaded: number): string =>
  JSON.stringify({
    numPassedTests: passed,
    numFailedTests: failed,
    numPendingTests: skipped,
    numTodoTests: 0,
    testResults: Array.from({ length: unloaded }, () => ({ status: 'failed', assertionResults: [] })),
  });

interface Given {
  readonly report: string;
  readonly failing?: string;
  readonly hanging?: string;
  /** How long all of it may take. */
  readonly seconds?: number;
}

function ci({ report: written, failing = '', hanging = '', seconds = 3600 }: Given) {
  const tree = mkdtempSync(join(tmpdir(), 'ci-'));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true }));
  for (const folder of ['.ci', 'bin']) mkdirSync(join(tree, folder), { recursive: true });
  copyFileSync(join(house, '.ci/run'), join(tree, '.ci/run'));
  writeFileSync(join(tree, 'bin/npm'), npm, { mode: 0o755 });
  writeFileSync(join(tree, 'bin/dpkg'), '#!/bin/sh\n', { mode: 0o755 }); // every package is there
  const path = `${join(tree, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`;
  const ran = spawnSync(join(tree, '.ci/run'), {
    encoding: 'utf8',
    env: { PATH: path, REPORT: written, FAILING: failing, HANGING: hanging, CI_SECONDS: String(seconds) },
  });
  const [, seed] = /^seed (\d+)$/m.exec(ran.stdout) ?? [];
  const steps = Array.from(
    ran.stdout.matchAll(/^=== npm ([\w :-]+?)(?: -- --reporter.*)?: (ok|failed|skipped)/gm),
  );
  return {
    code: ran.status,
    steps: steps.map(([, step = '', result]) => `${step.replace(seed ?? 'no seed', 'SEED')}: ${result}`),
    last: ran.stdout.trimEnd().split('\n').at(-1),
  };
}

test('a clean run runs everything and passes', () => {
  expect(ci({ report: report(5, 0, 0, 0) })).toEqual({
    code: 0,
    steps: [
      'ci: ok',
      'start -- --once: ok',
      'test: ok',
      'run check: ok',
      'run test:e2e: ok',
      'run test:audit: ok',
      'run simulate -- --seeds 60 --from SEED: ok',
      'run simulate -- --source kubernetes --seeds 30 --from SEED: ok',
      'run test:faults: ok',
      'run mutants: ok',
    ],
    last: '20 passed, 0 failed',
  });
});

test('a step that fails hides no later one, and fails the run', () => {
  expect(ci({ report: report(5, 0, 1, 0), failing: 'run check' })).toEqual({
    code: 1,
    steps: [
      'ci: ok',
      'start -- --once: ok',
      'test: ok',
      'run check: failed',
      'run test:e2e: ok',
      'run test:audit: ok',
      'run simulate -- --seeds 60 --from SEED: ok',
      'run simulate -- --source kubernetes --seeds 30 --from SEED: ok',
      'run test:faults: ok',
      'run mutants: ok',
    ],
    last: '20 passed, 0 failed, 4 skipped',
  });
});

test('a test file that could not be loaded is a failure among the others', () => {
  expect(ci({ report: report(5, 1, 0, 1), failing: 'test --' })).toMatchObject({
    code: 1,
    last: '20 passed, 8 failed',
  });
});

test.each([
  { why: 'were there', written: report(0, 0, 3, 0), says: '0 passed, 0 failed, 12 skipped' },
  { why: 'left a whole report', written: '{', says: '0 passed, 4 failed' },
])('a run in which no tests $why fails, whatever its steps say', ({ written, says }) => {
  expect(ci({ report: written })).toMatchObject({ code: 1, last: says });
});

test('a step that hangs is stopped and fails, and so do the tests that there is no time left for', () => {
  expect(ci({ report: report(5, 0, 0, 0), hanging: 'ci', seconds: 2 })).toEqual({
    code: 1,
    steps: [
      'ci: failed',
      'start -- --once: failed',
      'test: failed',
      'run check: failed',
      'run test:e2e: failed',
      'run test:audit: failed',
      'run simulate -- --seeds 60 --from SEED: failed',
      'run simulate -- --source kubernetes --seeds 30 --from SEED: failed',
      'run test:faults: failed',
      'run mutants: skipped',
    ],
    last: '0 passed, 0 failed',
  });
});
