// The log of a running operator: what was done outside, what failed, and lines that people and machines can read.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { effectLines, engineLines, newLog } from '../../../src/cli/output/log.ts';
import type { LogOptions } from '../../../src/cli/log-options.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import { folder, Holdfast, holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';
import { serve } from '../../support/service.ts';

function logging(options: Partial<LogOptions> = {}) {
  const lines: string[] = [];
  const log = newLog({ logLevel: 'debug', logFormat: 'json', ...options }, (line) => void lines.push(line));
  return { log, lines };
}

test.for<readonly [why: string, is: boolean, EffectInfo['port'], op: string, EffectInfo['mutates']?]>([
  ['a call to a service', true, 'scheduler', 'volume.create'],
  ['a read', false, 'scheduler', 'volume.read', false],
  ['an output in a directory', true, 'output', 'output.write'],
  ['an output in a cluster', true, 'kubernetes', 'secrets.create'],
  ['a restart', true, 'kubernetes', 'daemonsets.patch'],
  ['a restart that is only tried', false, 'kubernetes', 'daemonsets.patch', false],
  ['the state of a directory', false, 'state', 'state.commit'],
  ['a status in a cluster', false, 'kubernetes', 'csivolumes.status'],
  ['a finalizer', false, 'kubernetes', 'csivolumes.patch'],
  ['a Lease', false, 'kubernetes', 'leases.replace'],
  ['the status of a connection', false, 'kubernetes', 'secretsconnections.status'],
])('%s is in the log of effects: %s', ([, is, port, op, mutates = 'findable']) => {
  const { log, lines } = logging();
  effectLines(log)({ port, op, mutates }, 1.6, false);
  expect(lines.length > 0).toBe(is);
});

test('effects are for who asks for them: by default there are none', () => {
  const { log, lines } = logging({ logLevel: 'info' });
  effectLines(log)({ port: 'scheduler', op: 'volume.create', mutates: 'findable' }, 1, false);
  expect(lines).toEqual([]);
});

const failed = (message: string): Outcome => ({
  is: 'rejected',
  error: new ApiError('waiting', 'Rejected', message),
});

test('a step that fails again and again in the same way is told once, until it is done or fails in another', () => {
  const { log, lines } = logging({ logLevel: 'info' });
  const { onStep } = engineLines(log);
  const step = { verb: 'create', summary: 'create a', changes: [] } as const;
  const told = (outcome: Outcome): readonly unknown[] => {
    onStep?.('CSIVolume/shop/a', step, outcome);
    return lines.splice(0).map((line): unknown => JSON.parse(line));
  };
  expect(told(failed('full'))).toMatchObject([
    { level: 'warn', failed: true, error: 'full', step: 'create a' },
  ]);
  expect(told(failed('full'))).toEqual([]);
  expect(told(failed('fuller'))).toHaveLength(1);
  expect(told({ is: 'done' })).toMatchObject([{ level: 'info', outcome: 'done' }]);
  expect(told(failed('fuller'))).toHaveLength(1);
});

test('for people, a line says when, how urgent, what about and what; nothing in it can move the cursor', () => {
  const { log, lines } = logging({ logFormat: 'text' });
  const at = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;
  log.warn(
    { key: 'CSIVolume/shop/a', Ready: 'False', reason: 'VolumeInUse', message: 'a1 \u001b[2J claims it' },
    'not ready',
  );
  log.warn({ origin: 'a.yaml', line: 12, problem: 'is no map' }, 'problem');
  log.info({ directory: 'my tree', objects: 2, notReady: { Pending: 2 } }, 'running');
  log.error({ key: 'k', err: new Error('x') }, 'bug');
  const [first, second, third, fourth] = lines;
  expect(first).toMatch(
    new RegExp(
      `^${at} WARN {2}CSIVolume/shop/a: not ready: VolumeInUse: a1 {2}?\\[2J claims it Ready=False\n$`,
    ),
  );
  expect(second).toMatch(new RegExp(`^${at} WARN {2}a\\.yaml:12: problem: is no map\n$`));
  expect(third).toMatch(
    new RegExp(`^${at} INFO {2}running directory="my tree" objects=2 notReady=\\{"Pending":2\\}\n$`),
  );
  expect(fourth).toMatch(/ ERROR k: bug\nError: x\n +at /);
});

test('a day of an operator can be read back: made, asked, refused, edited, in ISO times and levels by name', async () => {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  tree.put('a.yaml', volume('a'));
  const run = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
  await run.says(/"msg":"ready".*\n[^]*CSIVolume\/shop\/a.*"msg":"ready"/);
  await holdfast(['suspend', 'csivol/shop/a'], { cwd });
  await run.says(/"request":"suspend","value":"true","by":"[^"]+",.*"msg":"command"/);
  await holdfast(['approve', 'nonsense'], { cwd });
  await run.says(/"level":"warn".*"digest":"nonsense".*"msg":"command refused"/);
  tree.put('bad.yaml', 'kind: [');
  await run.says(/"level":"warn".*"origin":"bad.yaml".*"msg":"problem"/);
  const { stdout } = await run.stop();
  const lines = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const { time, level, msg } of lines) {
    expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    expect(['info', 'warn', 'error']).toContain(level);
    expect(typeof msg).toBe('string');
  }
  expect(lines.filter(({ step }) => step === 'create a with hostpath')).toHaveLength(1);
});
