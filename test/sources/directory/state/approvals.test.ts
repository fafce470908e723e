// What a person approves: one going, once. A digest was good for the same set another day.
import type { Status } from '../../../../src/core/status/status.ts';
import { expect, test } from 'vitest';
import { unreadID } from '../../../../src/core/planning/deletion-limits.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { Bench } from '../source-support.ts';
import { connection, declared, memory, volume } from './data.ts';

const key = volume('data');
const other = volume('other');
const data = keyText(key);
const through = keyText(connection);
const quietMs = 2_000;

const waitingFor = (id: string, digest = 'd1'): Status => ({ ...memory, awaits: { digest, id } });

/** One object that leaves and waits for a person, as its visit recorded it. */
async function waiting(): Promise<{ readonly bench: Bench; readonly id: string }> {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.open(data).hold();
  const id = await leaves(bench);
  return { bench, id };
}

async function leaves(bench: Bench): Promise<string> {
  await bench.change({ objects: [declared(other)] });
  await bench.wait(quietMs);
  const { uid, generation } = bench.row(key).object;
  const id = `${uid} ${generation} is deleted`;
  await bench.open(data).writeStatus(waitingFor(id));
  bench.told();
  return id;
}

test('what waits under the digest is approved, and is told so that it goes on; nothing else is', async () => {
  const { bench, id } = await waiting();
  await bench.open(keyText(other)).writeStatus(waitingFor('another', 'd2'));
  expect(await bench.source.approve('d1')).toEqual([data]);
  expect(bench.state.approved(data)).toBe(id);
  expect(bench.state.approved(keyText(other))).toBe('');
  expect(bench.told()).toEqual([`${data} requested`]);
  expect(await bench.source.approve('unknown')).toEqual([]);
});

test('it is for this leaving only: declared again and removed another day, it has to be approved again', async () => {
  const { bench, id } = await waiting();
  await bench.source.approve('d1');
  await bench.change({ objects: [declared(key), declared(other)] });
  const next = await leaves(bench);
  expect(next).not.toBe(id);
  expect(bench.state.approved(data)).toBe(id); // which is not what waits now
});

test('given on the file while nobody runs, it is there for who runs next', async () => {
  const { bench, id } = await waiting();
  expect(await bench.state.approve('d1')).toEqual([data]);
  const again = await (await bench.restarted()).start();
  expect(again.state.approved(data)).toBe(id);
});

test('what was approved counts against no limit when it goes; what was not does', async () => {
  const { bench } = await waiting();
  await bench.source.approve('d1');
  await bench.open(data).release({ removed: true });
  expect(bench.state.recentDeletions(through)).toEqual([]);
  await bench.change({ objects: [] });
  await bench.wait(quietMs);
  await bench.open(keyText(other)).release({ removed: true });
  expect(bench.state.recentDeletions(through)).toEqual([keyText(other)]);
});

test('who let it go although its last manifest could not be used let it go uncounted, too', async () => {
  const { bench, id } = await waiting();
  await bench.open(data).writeStatus(waitingFor(unreadID(id), 'd2'));
  await bench.source.approve('d2');
  await bench.open(data).release({ removed: true });
  expect(bench.state.recentDeletions(through)).toEqual([]);
});

test('an approval of an earlier leaving does not let this one go uncounted', async () => {
  const { bench } = await waiting();
  await bench.source.approve('d1');
  await bench.change({ objects: [declared(key), declared(other)] });
  await leaves(bench);
  await bench.open(data).release({ removed: true });
  expect(bench.state.recentDeletions(through)).toEqual([data]);
});

test('a replacement counts from the commit that intends it: a crash right after it once made room for more', async () => {
  const { bench } = await waiting();
  const intent = { ...memory, pending: { op: 'replace', token: '/pluginID' } };
  await bench.open(keyText(other)).writeStatus(intent, { recordDeletion: 'first' });
  expect(bench.state.recentDeletions(through)).toEqual([keyText(other)]);
  const again = await (await bench.restarted()).start();
  expect(again.state.recentDeletions(through)).toEqual([keyText(other)]);
  expect(again.row(other).status.pending).toEqual(intent.pending);
});

test('one that is sent again counts from then on, and once: a crash in between gave the hour back too early', async () => {
  const { bench } = await waiting();
  const halfAnHour = 30 * 60_000;
  const intent = { ...memory, pending: { op: 'replace', token: '/pluginID' } };
  await bench.open(keyText(other)).writeStatus(intent, { recordDeletion: 'first' });
  bench.clock.advance(halfAnHour);
  await bench
    .open(keyText(other))
    .writeStatus({ ...intent, tries: { again: 1 } }, { recordDeletion: 'again' });
  bench.clock.advance(halfAnHour);
  expect(bench.state.recentDeletions(through)).toEqual([keyText(other)]);
  bench.clock.advance(halfAnHour);
  expect(bench.state.recentDeletions(through)).toEqual([]);
  const again = await (await bench.restarted()).start();
  expect(again.state.recentDeletions(through)).toEqual([keyText(other)]); // of an unknown age there, and still one
});

test('what is remembered besides counts as no departure', async () => {
  const { bench } = await waiting();
  await bench.open(keyText(other)).writeStatus(memory);
  expect(bench.state.recentDeletions(through)).toEqual([]);
});

test('the tree is steady only when nothing has changed for a while: half of a change is judged by nobody', async () => {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.change({ objects: [declared(other)] });
  expect(bench.source.hasSynced()).toBe(false);
  await bench.wait(quietMs);
  expect(bench.source.hasSynced()).toBe(true);
});
