// What one approval holds for is known before each status says so. Whoever approved early, or while statuses were still written,
// was asked again for the rest, and again for what was left of that.
import { expect, test } from 'vitest';
import { Bench, data } from './store-bench.ts';
import { sent, type Sent } from './objects.ts';

const nomad = 'SchedulerConnection/nomad';
const connection = (version: number, approve?: string) =>
  sent({
    version,
    name: 'nomad',
    namespace: '',
    uid: 'c1',
    ...(approve !== undefined && { annotations: { 'holdfast.dev/approve': approve } }),
  });
const id = 'u1 2 is deleted';

function bench(more: Partial<Sent> = {}) {
  const { store } = new Bench(sent({ version: 8, ...more }));
  store.changed('SchedulerConnection', connection(10));
  const approve = (digest: string, version = 11): void =>
    store.changed('SchedulerConnection', connection(version, digest));
  const approved = () => store.approved(data, () => nomad);
  return { store, approve, approved };
}

test('what was judged is approved by its digest, though its status does not name that yet', () => {
  const { store, approve, approved } = bench();
  store.judged(nomad, 'd1', new Map([[data, id]]));
  expect(approved()).toBeUndefined();
  approve('d1');
  expect(approved()).toBe(id);
});

test('what was not judged with it is not, nor by another digest, nor where another connection serves it', () => {
  const { store, approve, approved } = bench();
  store.judged(nomad, 'd1', new Map([['Disk/shop/other', id]]));
  store.judged('SchedulerConnection/other', 'd1', new Map([[data, id]]));
  approve('d1');
  expect(approved()).toBeUndefined();
  store.judged(nomad, 'd2', new Map([[data, id]]));
  expect(approved()).toBeUndefined();
});

test('what is approved stays so while others are judged after it', () => {
  const { store, approve, approved } = bench();
  store.judged(nomad, 'd1', new Map([[data, id]]));
  approve('d1');
  store.judged(nomad, 'd2', new Map([['Disk/shop/other', 'u2 1 is deleted']]));
  expect(approved()).toBe(id);
});

test('what was judged before, and not approved then, does not count: the set was another one', () => {
  const { store, approve, approved } = bench();
  store.judged(nomad, 'd1', new Map([[data, id]]));
  store.judged(nomad, 'd2', new Map([['Disk/shop/other', 'u2 1 is deleted']]));
  approve('d1');
  expect(approved()).toBeUndefined();
});

test('the approval of a deletion whose manifest could not be read says more, and stays', () => {
  const { store, approve, approved } = bench({ status: { approved: `${id} unread` } });
  store.judged(nomad, 'd1', new Map([[data, id]]));
  approve('d1');
  expect(approved()).toBe(`${id} unread`);
});
