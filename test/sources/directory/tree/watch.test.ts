// The watch tells of every change, soon, once per burst; and of itself every 30 seconds. Real files and events; the
// test is the clock.
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, watch, writeFileSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { watchTree, type WatchOptions } from '../../../../src/sources/directory/tree/watch.ts';
import { treeOf } from './support.ts';

interface Timer {
  readonly ms: number;
  readonly fire: () => void;
}

class TestClock {
  readonly #timers = new Set<Timer>();

  setTimer = (ms: number, fire: () => void): (() => void) => {
    const timer = { ms, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  };

  /** The timers that run, by their milliseconds. */
  get pending(): readonly number[] {
    return [...this.#timers].map(({ ms }) => ms).toSorted((a, b) => a - b);
  }

  elapse(ms: number): void {
    for (const timer of [...this.#timers].filter((t) => t.ms === ms)) {
      this.#timers.delete(timer);
      timer.fire();
    }
  }
}

const settle = 50;
const rescan = 30_000;

/** A watched tree that is at rest, and how often it has told of a change since. */
async function watched(root: string, options: WatchOptions = {}) {
  const clock = new TestClock();
  const told = { times: 0 };
  const watcher = watchTree(root, () => (told.times += 1), clock, options);
  onTestFinished(() => watcher.close());
  /** Resolves once a change was told: how many were told in all. */
  const change = async (): Promise<number> => {
    const before = told.times;
    await vi.waitFor(
      () => {
        clock.elapse(settle);
        expect(told.times).toBeGreaterThan(before);
      },
      { timeout: 10_000, interval: 2 },
    );
    return told.times;
  };
  await change();
  told.times = 0;
  return { clock, told, watcher, change };
}

describe('a watched tree', () => {
  test.each([
    { why: 'a new file', act: (root: string) => writeFileSync(join(root, 'new.yaml'), '') },
    { why: 'an edit in place', act: (root: string) => appendFileSync(join(root, 'holdfast.yaml'), '#\n') },
    {
      why: 'an edit by renaming over',
      act: (root: string) => {
        writeFileSync(join(root, '.tmp'), '');
        renameSync(join(root, '.tmp'), join(root, 'holdfast.yaml'));
      },
    },
    { why: 'a file that goes away', act: (root: string) => rmSync(join(root, 'holdfast.yaml')) },
    { why: 'an edit further down', act: (root: string) => appendFileSync(join(root, 'a/b/c.yaml'), '#\n') },
    {
      why: 'the swap of a ConfigMap mount, which only shows in a hidden name',
      act: (root: string) => {
        symlinkSync('a', join(root, '..data_tmp'));
        renameSync(join(root, '..data_tmp'), join(root, '..data'));
      },
    },
  ])('tells of $why', async ({ act }) => {
    const { root } = treeOf({ 'a/b/c.yaml': '' });
    const { change } = await watched(root);
    act(root);
    expect(await change()).toBe(1);
  });

  test('tells of edits in directories that came later, went, and came again', async () => {
    const { root } = treeOf();
    const { change, clock } = await watched(root);
    for (let round = 0; round < 2; round += 1) {
      mkdirSync(join(root, 'x/y'), { recursive: true });
      writeFileSync(join(root, 'x/y/z.yaml'), '');
      await change();
      expect(clock.pending).toEqual([rescan]);
      appendFileSync(join(root, 'x/y/z.yaml'), '#\n');
      await change();
      renameSync(join(root, 'x'), join(root, '.old'));
      await change();
      rmSync(join(root, '.old'), { recursive: true });
    }
  });

  test('that is a link, as a synchronised checkout has it, tells of the swap and of edits after it', async () => {
    const { root } = treeOf({ 'a.yaml': '' });
    const link = join(dirname(root), 'link');
    symlinkSync(root, link);
    const { change } = await watched(link);
    const next = join(dirname(root), 'next');
    mkdirSync(next);
    symlinkSync(next, `${link}.tmp`);
    renameSync(`${link}.tmp`, link);
    await change();
    writeFileSync(join(next, 'b.yaml'), '');
    expect(await change()).toBeGreaterThan(1);
  });

  test('that is yet to come tells when it does, and when it comes again', async () => {
    const root = join(treeOf().root, '..', 'later');
    const { change, clock } = await watched(root);
    for (let round = 0; round < 2; round += 1) {
      mkdirSync(root);
      await change();
      expect(clock.pending).toEqual([rescan]);
      writeFileSync(join(root, 'a.yaml'), '');
      await change();
      renameSync(root, `${root}.old${round}`);
      await change();
    }
  });

  test('tells of a burst once', async () => {
    const { root } = treeOf();
    const { clock, told, change } = await watched(root);
    const seen = witness(root, 'last.yaml');
    for (let i = 0; i < 50; i += 1) writeFileSync(join(root, `f${i}.yaml`), 'x');
    writeFileSync(join(root, 'last.yaml'), '');
    await seen;
    expect(clock.pending).toEqual([settle, rescan]);
    expect(told.times).toBe(0);
    await change();
    expect(told.times).toBe(1);
  });

  test('keeps quiet about the hidden files of editors', async () => {
    const { root } = treeOf();
    const { clock } = await watched(root);
    const seen = witness(root, '.a.yaml.swp');
    writeFileSync(join(root, '.a.yaml.swp'), '');
    await seen;
    expect(clock.pending).toEqual([rescan]);
  });

  test('tells of hidden files where they are read, as keys of --secrets-dir are', async () => {
    const { root } = treeOf({ 'shop/app/.key': 'old' });
    const { change } = await watched(root, { hiddenToo: true });
    writeFileSync(join(root, 'shop/app/.key'), 'new');
    expect(await change()).toBe(1);
  });

  test('tells every 30 seconds even if nothing was seen, for what no watch can see', async () => {
    const { root } = treeOf();
    const { clock, change } = await watched(root);
    for (let round = 0; round < 2; round += 1) {
      clock.elapse(rescan);
      expect(clock.pending).toEqual([settle, rescan]);
      await change();
    }
  });

  test('tells of a change that happens while the teller is called', async () => {
    const { root } = treeOf();
    const clock = new TestClock();
    let told = 0;
    const watcher = watchTree(
      root,
      () => {
        told += 1;
        if (told === 2) appendFileSync(join(root, 'holdfast.yaml'), '#\n');
      },
      clock,
    );
    onTestFinished(() => watcher.close());
    writeFileSync(join(root, 'a.yaml'), '');
    await vi.waitFor(() => {
      clock.elapse(settle);
      expect(told).toBeGreaterThan(0);
    });
    writeFileSync(join(root, 'b.yaml'), '');
    await vi.waitFor(
      () => {
        clock.elapse(settle);
        expect(told).toBeGreaterThanOrEqual(3);
      },
      { timeout: 10_000, interval: 2 },
    );
  });

  test('falls silent when it is closed, and leaves no timer behind', async () => {
    const { root } = treeOf();
    const { clock, told, watcher } = await watched(root);
    const seen = witness(root, 'new.yaml');
    writeFileSync(join(root, 'new.yaml'), '');
    await seen;
    expect(clock.pending).toEqual([settle, rescan]);
    watcher.close();
    expect(clock.pending).toEqual([]);
    const after = witness(root, 'newer.yaml');
    writeFileSync(join(root, 'newer.yaml'), '');
    await after;
    expect(clock.pending).toEqual([]);
    expect(told.times).toBe(0);
  });

  test('falls silent even if it is closed while it looks around', async () => {
    const { root } = treeOf();
    const { clock, told, watcher } = await watched(root);
    clock.elapse(rescan);
    clock.elapse(settle);
    watcher.close();
    // It finds its tree and lists it: so do we, until it must have done.
    for (let round = 0; round < 10; round += 1) await readdir(await realpath(root));
    const seen = witness(root, 'new.yaml');
    writeFileSync(join(root, 'new.yaml'), '');
    await seen;
    expect(clock.pending).toEqual([]);
    expect(told.times).toBe(0);
  });
});

/** Resolves once the system has told everybody of this file: a watch opened later is told no earlier. */
function witness(directory: string, file: string): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const watcher = watch(directory, (_, name) => {
    if (name === file) resolve();
  });
  onTestFinished(() => watcher.close());
  return promise;
}
