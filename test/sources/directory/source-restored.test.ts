// What a restored state changes for the engine: what it is shown of requests, and what it is told.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import { openStateReadOnly } from '../../../src/sources/directory/state/snapshot.ts';
import { ReadOnlySource } from '../../../src/sources/directory/read-only.ts';
import { declared, volume, onceRequests } from './state/data.ts';
import { Bench } from './source-support.ts';
import { tempFolder } from './state/support.ts';
import { keep } from '../../../src/runtime/kinds/lookup.ts';

const key = volume('data');
const data = keyText(key);
const asking = (rotate: string, more = {}) => declared(key, { requests: { rotate, ...more } });

/** A source on a state that is put back to what it was when `old` was asked for; not started yet. */
async function restored(old: string, now: string): Promise<Bench> {
  const bench = await (await Bench.set(asking(old))).start();
  await bench.source.stop();
  await bench.state.close();
  const copy = join(tempFolder(), 'copy.sqlite');
  copyFileSync(bench.state.file, copy);
  const later = await bench.again();
  later.tree.objects = [asking(now)];
  await later.start();
  await later.source.stop();
  await later.state.close();
  copyFileSync(copy, bench.state.file);
  return await later.again();
}

const requests = (bench: Bench) => bench.source.read(data)?.object.requests;

describe('on a state that was restored', () => {
  test('a rotation of before, which was once made a second time, is not asked for: not now, not after approval', async () => {
    const bench = await restored('t1', 't2');
    bench.tree.objects = [
      asking('t2', { suspend: 'true', 'rotate-root': 't', 'reseed-root': 't', reconcile: 't' }),
    ];
    await bench.start();
    expect(requests(bench)).toEqual({ suspend: 'true', reconcile: 't' });
    const { digest = '' } = bench.state.distrusted ?? {};
    bench.told();
    expect(await bench.source.trust(digest, keep)).toBe(true);
    expect(bench.state.distrusted).toBeUndefined();
    expect(bench.told()).toContain(`${data} requested`);
    expect(requests(bench)).toEqual({ suspend: 'true', reconcile: 't' });
    const again = await (await bench.restarted()).start();
    expect(requests(again)).toEqual({ suspend: 'true', reconcile: 't' });
  });

  test('what is asked for after approval is seen, by manifest and by command', async () => {
    const bench = await (await restored('t1', 't2')).start();
    await bench.source.trust(bench.state.distrusted?.digest ?? '', keep);
    await bench.change({ objects: [asking('t3')] });
    expect(requests(bench)).toEqual({ rotate: 't3' });
    await bench.change({ objects: [asking('t2')] });
    expect(requests(bench)).toEqual({});
    await bench.source.overlay(data, 'rotate', 't4');
    expect(requests(bench)).toEqual({ rotate: 't4' });
  });

  test('what was written while a visit was under way does not bring a request of before back', async () => {
    const bench = await (await restored('t1', 't2')).start();
    const handle = bench.open(data);
    await bench.source.trust(bench.state.distrusted?.digest ?? '', keep);
    await handle.writeStatus({ ...handle.status });
    expect(requests(bench)).toEqual({});
  });

  test('approval waits until the whole tree can be read: what hides in it may be of before', async () => {
    const bench = await (await restored('t1', 't2')).start();
    const { digest = '' } = bench.state.distrusted ?? {};
    await bench.change({ problems: [{ message: 'is not YAML', origin: 'broken.yaml' }] });
    await expect(bench.source.trust(digest, keep)).rejects.toThrow(UsageError);
    await expect(bench.source.trust(digest, keep)).rejects.toThrow(
      /broken.yaml: is not YAML.*mend that first/,
    );
    expect(bench.state.distrusted).toBeDefined();
    expect(await bench.source.trust('another', keep)).toBe(false);
    await bench.change({ problems: [] });
    expect(await bench.source.trust(digest, keep)).toBe(true);
  });

  test('approval by file is good once a process has read the whole tree', async () => {
    const bench = await restored('t1', 't2');
    bench.tree.problems = [{ message: 'is not YAML', origin: 'broken.yaml' }];
    await bench.start();
    const { digest = '' } = bench.state.distrusted ?? {};
    await expect(bench.state.trust(digest, keep)).rejects.toThrow(/have not been read since/);
    await bench.change({ problems: [] });
    await bench.source.waitForSync();
    expect(await bench.state.trust(digest, keep)).toBe(true);
    expect(requests(bench)).toEqual({});
  });

  test('a plan is told the same, and shown no request of before either', async () => {
    const bench = await (await restored('t1', 't2')).start();
    const snapshot = await openStateReadOnly(bench.state.file);
    const preview = new ReadOnlySource(await bench.tree.read(), snapshot, {
      onceRequests,
      knowsSecrets: false,
    });
    expect(preview.distrusted).toEqual(bench.state.distrusted);
    expect(preview.read(data)?.object.requests).toEqual({});
  });
});
