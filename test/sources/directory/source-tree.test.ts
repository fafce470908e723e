import { randomUUID } from 'node:crypto';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/core/time/clock.ts';
import type { ScanReport } from '../../../src/sources/directory/scan-report.ts';
import { DirectorySource } from '../../../src/sources/directory/source.ts';
import { watchTree } from '../../../src/sources/directory/tree/watch.ts';
import { diskText, treeOf, type Tree } from './tree/support.ts';
import { TestClock } from './source-support.ts';
import { openState, tempFolder, TestGate } from './state/support.ts';

const realClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(ms, fire) {
    const timer = setTimeout(fire, ms);
    return () => clearTimeout(timer);
  },
};

const data = 'Disk/shop/data';
const soon = { timeout: 10_000, interval: 5 };
const limits = { timeout: 60_000 };

/** A source on real files that are really watched; only the time for which removals wait is turned by hand. */
async function started(tree: Tree, folder: string) {
  const gate = new TestGate();
  const state = await openState(join(folder, 'state.sqlite'), { gate });
  const clock = new TestClock();
  const told: string[] = [];
  const reports: ScanReport[] = [];
  const source = new DirectorySource({
    state,
    clock,
    newUid: randomUUID,
    reader: tree.reader({ previous: (key) => state.rows.get(key)?.object.spec }),
    watch: (onChange) => watchTree(tree.root, onChange, realClock),
    connectionOf: () => undefined,
    onScan: (report) => reports.push(report),
  });
  onTestFinished(() => source.stop());
  await source.start((key, cause) => told.push(`${key} ${cause}`));
  const stop = async (): Promise<void> => {
    await source.stop();
    await state.close();
  };
  return { source, state, gate, clock, told, last: () => reports.at(-1), stop };
}

test(
  'a manifest with a status, as a cluster exports one, is a problem and never a removal',
  limits,
  async () => {
    const spec = '{size: 1, owner: me}';
    const tree = treeOf({ 'data.yaml': diskText('data', spec) });
    const at = await started(tree, tempFolder());
    tree.write('data.yaml', `${diskText('data', spec).trimEnd()}\nstatus: {conditions: []}\n`);
    await expect
      .poll(() => at.last()?.problems, soon)
      .toMatchObject([
        {
          key: data,
          place: { file: 'data.yaml' },
          message: expect.stringContaining('remove it from the file'),
        },
      ]);
    expect(at.last()?.waiting).toBe(0);
    expect(at.source.read(data)?.object).toMatchObject({ deleting: false, spec: { size: 1 } });
    await at.stop();
  },
);

test(
  'files that come, change, break and go: each is told, nothing is lost, and a restart writes nothing',
  limits,
  async () => {
    const tree = treeOf({ 'data.yaml': diskText('data', '{size: 1, owner: me}') });
    const folder = tempFolder();
    const first = await started(tree, folder);
    expect(first.told).toEqual([`${data} listed`]);

    tree.write('more/others.yaml', `${diskText('a')}---\n${diskText('b')}`);
    await expect.poll(() => first.told, soon).toContain('Disk/shop/b edited');
    tree.write('data.yaml', diskText('data', '{size: 2, owner: me}'));
    await expect.poll(() => first.source.read(data)?.object.generation, soon).toBe(2);
    tree.write('data.yaml', diskText('data', '{size: 2, owner: you}')); // an identity, which only the state knows
    await expect.poll(() => first.source.read(data)?.object.problem?.path, soon).toBe('/spec/owner');
    expect(first.source.read(data)?.object.spec).toEqual({ size: 2, owner: 'me' });
    tree.write('data.yaml', diskText('data', '{size: 2, owner: me}'));
    await expect.poll(() => first.last()?.problems, soon).toEqual([]);

    rmSync(join(tree.root, 'more'), { recursive: true });
    await expect.poll(() => first.last()?.waiting, soon).toBe(2);
    const leaving = (): boolean | undefined => {
      first.clock.advance(2_000); // again and again: a late event makes it wait anew
      return first.source.read('Disk/shop/a')?.object.deleting;
    };
    await expect.poll(leaving, soon).toBe(true);
    await first.source.waitForSync();
    const { uid } = first.source.read('Disk/shop/a')?.object ?? { uid: '' };
    const handle = first.source.open('Disk/shop/a');
    await handle?.confirm();
    tree.write('back.yaml', diskText('a'));
    await expect(handle?.confirm()).rejects.toThrow(/has changed/);
    await first.stop();

    const second = await started(tree, folder);
    expect(second.gate.effects).toEqual([]);
    expect(second.source.read(data)?.object).toMatchObject({ generation: 2, deleting: false });
    expect(second.source.read('Disk/shop/a')?.object).toMatchObject({ uid, deleting: false });
    expect(second.source.read('Disk/shop/b')?.object.deleting).toBe(true);
  },
);

test('a tree that goes away as a whole is a problem, not a thousand removals', limits, async () => {
  const tree = treeOf({ 'data.yaml': diskText('data') });
  const { source, clock, last } = await started(tree, tempFolder());
  renameSync(tree.root, `${tree.root}-away`);
  await expect.poll(() => last()?.problems.length, soon).toBeGreaterThan(0);
  clock.advance(10_000);
  await source.waitForSync();
  expect(source.read(data)?.object.deleting).toBe(false);
  renameSync(`${tree.root}-away`, tree.root);
  await expect.poll(() => last()?.problems, soon).toEqual([]);
  expect(source.read(data)?.object.deleting).toBe(false);
});
