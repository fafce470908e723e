// What may hide behind a removal that is waited for: Secrets that move, too, and approvals of an earlier leaving.
import { expect, test } from 'vitest';
import { deletionID } from '../../../src/core/planning/deletion-limits.ts';
import { keyText } from '../../../src/core/resource.ts';
import { declared, memory, volume } from './state/data.ts';
import { Bench, secret } from './source-support.ts';

const key = volume('data');
const other = volume('other');
const data = keyText(key);
const quietMs = 2_000;
const leaving = (bench: Bench) => bench.row(key).object.deleting;
/** Whether the going that is under way is the one that was approved. */
const approvedNow = (bench: Bench) => bench.state.approved(data) === deletionID(bench.row(key).object);
const login = secret('login', { password: 'canary-quiet-1' });

test.for([
  { why: 'another entry in a Secret', secrets: [secret('login', { password: 'canary-quiet-2' })] },
  { why: 'an entry more', secrets: [secret('login', { password: 'canary-quiet-1', user: 'x' })] },
  { why: 'a Secret more', secrets: [login, secret('other', {})] },
  { why: 'a Secret less', secrets: [] },
  { why: 'another Secret in the place of one', secrets: [secret('other', { password: 'canary-quiet-1' })] },
])(
  'a removal waits anew when the second look finds $why: a checkout is still under way',
  async ({ secrets }) => {
    const bench = await (await Bench.set(declared(key), declared(other))).start();
    await bench.change({ secrets: [login] });
    await bench.change({ objects: [declared(other)] });
    bench.tree.secrets = secrets;
    await bench.wait(quietMs);
    expect(leaving(bench)).toBe(false);
    await bench.wait(quietMs);
    expect(leaving(bench)).toBe(true);
  },
);

test('a removal is believed where the Secrets stand still', async () => {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.change({ secrets: [login] });
  await bench.change({ objects: [declared(other)] });
  await bench.wait(quietMs);
  expect(leaving(bench)).toBe(true);
});

/** `key` leaves, and a person approved it. */
async function approved(): Promise<Bench> {
  const bench = await (await Bench.set(declared(key), declared(other))).start();
  await bench.open(data).hold();
  await bench.change({ objects: [declared(other)] });
  await bench.wait(quietMs);
  const awaits = { digest: 'd1', id: deletionID(bench.row(key).object) };
  await bench.open(data).writeStatus({ ...memory, awaits });
  await bench.source.approve('d1');
  expect(approvedNow(bench)).toBe(true);
  return bench;
}

test.for([
  { why: 'as it was', back: { objects: [declared(key), declared(other)] } },
  { why: 'edited', back: { objects: [declared(key, { spec: { size: 2 } }), declared(other)] } },
  {
    why: 'unreadable',
    back: { problems: [{ message: 'is no volume', origin: 'data.yaml', key: data }] },
  },
])(
  'an approval ends with the leaving that it was given for: it came back $why, and leaves again',
  async ({ back }) => {
    const bench = await approved();
    await bench.change(back);
    expect([leaving(bench), approvedNow(bench)]).toEqual([false, false]);
    await bench.change({ objects: [declared(other)], problems: [] });
    await bench.wait(quietMs);
    expect([leaving(bench), approvedNow(bench)]).toEqual([true, false]);
    const again = await (await bench.restarted()).start();
    expect([leaving(again), approvedNow(again)]).toEqual([true, false]);
  },
);
