// What the store tells the engine of, and what it keeps to itself. A change that is not told waits for the next full round.
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { finalizer, intentAnnotation } from '../../../src/sources/kubernetes/wire.ts';
import { sent, type Sent } from './objects.ts';
import { all, Bench, data, writing } from './store-bench.ts';

const removed = (bench: Bench, as: Sent): readonly string[] => {
  bench.store.remove(all, sent(as));
  return bench.said();
};
const connection = (version: number, more: Partial<Sent> = {}): KubernetesObject =>
  sent({ version, name: 'nomad', namespace: '', uid: 'c1', ...more });

const asked = { annotations: { 'holdfast.dev/rotate': 't1' } };
/** As an object of UID `uid` is held. */
const held = { finalizers: [finalizer], annotations: { [intentAnnotation]: '{"id":"i","uid":"u1"}' } };
const going = { deletionTimestamp: 'now', finalizers: [finalizer], generation: 2 };

describe('a change', () => {
  test.for<{ why: string; to: Sent; told: readonly string[] }>([
    { why: 'of the spec is told', to: { version: 11, generation: 2 }, told: [`${data} edited`] },
    { why: 'to one that is to be deleted is told', to: { version: 11, ...going }, told: [`${data} edited`] },
    { why: 'of a request is told', to: { version: 11, ...asked }, told: [`${data} requested`] },
    { why: 'of labels is not told', to: { version: 11, labels: { a: 'b' } }, told: [] },
    {
      why: 'of the status by another is told: only we write it',
      to: { version: 11, status: { identity: 'x' } },
      told: [`${data} listed`],
    },
    {
      why: 'of our finalizer, with the annotation that says whose it is, is told',
      to: { version: 11, ...held },
      told: [`${data} listed`],
    },
    {
      why: 'of the finalizer of another is not told',
      to: { version: 11, finalizers: ['example.com/other'] },
      told: [],
    },
    { why: 'that is older than what is known is not one', to: { version: 9, generation: 2 }, told: [] },
    { why: 'that is known already is not one', to: { version: 10, generation: 2 }, told: [] },
  ])('$why', ({ to, told }) => {
    expect(new Bench(sent({ version: 10 })).heard(to)).toEqual(told);
  });

  test('is not told before all is listed, but that an object is to be deleted counts', () => {
    const bench = new Bench();
    bench.store.isListed = false;
    bench.store.changed('Disk', sent({ version: 11, ...going }));
    expect([bench.said(), bench.deletions]).toEqual([[], 1]);
    bench.store.changed('Disk', sent({ version: 12, ...going, labels: { a: 'b' } }));
    expect(bench.deletions).toBe(1);
  });
});

describe('what we write', () => {
  const status = { status: { identity: 'x' } };

  test('is not told where the answer comes first', async () => {
    const bench = new Bench(sent({ version: 10 }));
    await writing(bench).done({ version: 11, ...status });
    expect(bench.heard({ version: 11, ...status })).toEqual([]);
    expect(bench.version).toBe('11');
  });

  test('is not told where the watch is first', async () => {
    const bench = new Bench(sent({ version: 10 }));
    const write = writing(bench);
    expect(bench.heard({ version: 11, ...status })).toEqual([]);
    await write.done({ version: 11, ...status });
    expect(bench.said()).toEqual([]);
  });

  test('is told where the answer was lost: nobody knows it otherwise', async () => {
    const bench = new Bench(sent({ version: 10 }));
    const write = writing(bench);
    bench.heard({ version: 11, ...status });
    await write.lost();
    expect(bench.said()).toEqual([`${data} listed`]);
  });

  test('does not hide what another wrote at the same time', async () => {
    const bench = new Bench(sent({ version: 10, ...held }));
    const write = writing(bench);
    bench.heard({ version: 11 }); // somebody took the finalizer away
    await write.refused();
    expect(bench.said()).toEqual([`${data} listed`]);
  });

  test('does not hide it either where two writes of one object overlap', async () => {
    const bench = new Bench(sent({ version: 10 }));
    const [first, second] = [writing(bench), writing(bench)];
    bench.heard({ version: 11, status: { identity: 'a' } });
    await first.done({ version: 11, status: { identity: 'a' } });
    bench.heard({ version: 12, status: { identity: 'b' } });
    bench.heard({ version: 13, status: { identity: 'theirs' } });
    await second.done({ version: 12, status: { identity: 'b' } });
    expect(bench.said()).toEqual([`${data} listed`]);
    expect(bench.version).toBe('13');
  });

  test('does not hide an edit', async () => {
    const bench = new Bench(sent({ version: 10 }));
    const write = writing(bench);
    expect(bench.heard({ version: 12, generation: 2, ...status })).toEqual([`${data} edited`]);
    await write.done({ version: 11, ...status });
    expect(bench.store.get(data)?.object.generation).toBe(2);
  });
});

describe('an object that goes', () => {
  test('is told, once', () => {
    const bench = new Bench(sent({ version: 10 }));
    expect(removed(bench, { version: 11 })).toEqual([`${data} edited`]);
    expect(removed(bench, { version: 11 })).toEqual([]);
    expect([...bench.store.keys()]).toEqual([]);
  });

  test('does not come back with what the watch tells of before, once it was seen to be gone', () => {
    const bench = new Bench(sent({ version: 10 }));
    bench.store.gone(data, 'u1');
    expect(bench.said()).toEqual([`${data} edited`]);
    expect(bench.heard({ version: 11, generation: 2 })).toEqual([]);
    expect(removed(bench, { version: 12 })).toEqual([]);
    expect(bench.version).toBeUndefined();
  });

  test('does not come back with an answer that is read after the watch told of its end', () => {
    const bench = new Bench(sent({ version: 10 }));
    removed(bench, { version: 12 });
    bench.store.enter('Disk', sent({ version: 11 }));
    expect(bench.said()).toEqual([]);
    expect(bench.version).toBeUndefined();
  });

  test('does not come back with an answer either that is read after a list without it', () => {
    const bench = new Bench(sent({ version: 10 }));
    bench.store.replace(all, [], '12');
    bench.said();
    bench.store.enter('Disk', sent({ version: 11 }));
    expect([bench.said(), bench.version]).toEqual([[], undefined]);
  });

  test('from those that are chosen does not come back with the answer to a write: nobody would report it any more', async () => {
    const bench = new Bench(sent({ version: 10 }));
    const write = writing(bench);
    bench.isSelected = false;
    removed(bench, { version: 11 });
    await write.done({ version: 12 });
    expect([bench.said(), bench.version]).toEqual([[], undefined]);
  });

  test('of one namespace says nothing of what is newer in another', () => {
    const bench = new Bench();
    bench.store.remove({ kind: 'Disk', namespace: 'blog' }, sent({ version: 20, namespace: 'blog' }));
    bench.store.enter('Disk', sent({ version: 15 }));
    expect(bench.version).toBe('15');
  });

  test('and is created again, which nobody said, is another: both are told', () => {
    const bench = new Bench(sent({ version: 10, status: { identity: 'old' } }));
    expect(bench.heard({ version: 13, uid: 'u2' })).toEqual([`${data} edited`, `${data} edited`]);
    expect(bench.store.get(data)).toMatchObject({ object: { uid: 'u2' }, status: { applied: {} } });
    expect(bench.store.get(data)?.status).not.toHaveProperty('identity');
    expect(removed(bench, { version: 12, uid: 'u1' })).toEqual([]);
    expect(bench.store.get(data)?.object.uid).toBe('u2');
  });

  test('and another one after it, of which nobody said anything, is told once', () => {
    const bench = new Bench(sent({ version: 10 }));
    expect(removed(bench, { version: 14, uid: 'u2' })).toEqual([`${data} edited`]);
    expect(bench.version).toBeUndefined();
  });

  test('of another UID than was asked for is not gone', () => {
    const bench = new Bench(sent({ version: 10 }));
    bench.store.gone(data, 'u0');
    expect([bench.said(), bench.version]).toEqual([[], '10']);
  });
});

describe('a list', () => {
  test('takes away what is not among it, and tells only of what has changed', () => {
    const bench = new Bench(sent({ version: 5 }), sent({ version: 6, name: 'other', uid: 'u2' }));
    bench.said();
    bench.store.replace(all, [sent({ version: 5 }), sent({ version: 11, name: 'new', uid: 'u3' })], '12');
    expect(bench.said()).toEqual(['Disk/shop/new edited', 'Disk/shop/other edited']);
    expect([...bench.store.keys()]).toEqual([data, 'Disk/shop/new']);
  });

  test('of a version before what is known takes nothing away that is newer', () => {
    const bench = new Bench(sent({ version: 11 }));
    bench.said();
    bench.store.replace(all, [], '10');
    expect([bench.said(), bench.version]).toEqual([[], '11']);
  });

  test('of one namespace, or of another kind, is of no other', () => {
    const bench = new Bench(sent({ version: 5 }));
    bench.store.replace({ kind: 'Disk', namespace: 'blog' }, [], '12');
    bench.store.replace({ kind: 'Tape', namespace: '' }, [], '12');
    expect(bench.version).toBe('5');
    bench.store.replace({ kind: 'Disk', namespace: 'shop' }, [], '12');
    expect(bench.version).toBeUndefined();
  });

  test('of a namespace that is gone has nothing, and those of the others stay', () => {
    const bench = new Bench(sent({ version: 5 }), sent({ version: 5, namespace: 'blog', uid: 'u2' }));
    bench.store.gone('Disk/blog/data', 'u2');
    bench.said();
    bench.store.emptied({ kind: 'Disk', namespace: 'shop' });
    expect(bench.said()).toEqual([`${data} edited`]);
    bench.store.emptied({ kind: 'Disk', namespace: 'blog' });
    expect(bench.heard({ version: 9, namespace: 'blog', uid: 'u2' })).toEqual(['Disk/blog/data edited']);
  });

  test('ends what was remembered of objects that are gone: the watch may never tell of them', () => {
    const bench = new Bench(sent({ version: 10 }));
    bench.store.gone(data, 'u1');
    bench.store.replace(all, [sent({ version: 10 })], '10'); // of before
    expect(bench.version).toBeUndefined();
    bench.store.replace(all, [], '12');
    // A UID never comes back. That it could shows that nothing is remembered.
    bench.heard({ version: 13 });
    expect(bench.version).toBe('13');
  });
});

describe('an approval on a connection', () => {
  const awaiting = { awaits: { digest: 'd1', id: 'u1 2 is deleted' } };
  const approves = { annotations: { 'holdfast.dev/approve': 'd1' } };
  const waiting = () => {
    const bench = new Bench(
      sent({ version: 8, status: awaiting }),
      sent({ version: 9, name: 'b', uid: 'u2' }),
    );
    bench.store.changed('SchedulerConnection', connection(10));
    bench.said();
    return bench;
  };

  test.for<{ why: string; more: Partial<Sent>; told: readonly string[] }>([
    { why: 'is told to those who wait for it', more: approves, told: [`${data} requested`] },
    {
      why: 'is told to them where the connection was edited as well',
      more: { ...approves, generation: 2 },
      told: [`${data} requested`, 'SchedulerConnection/nomad edited'],
    },
    {
      why: 'is told to them where the connection was asked something as well',
      more: { annotations: { ...approves.annotations, ...asked.annotations } },
      told: [`${data} requested`, 'SchedulerConnection/nomad requested'],
    },
    {
      why: 'is told to them where something else is approved as well, which took its place before it was seen',
      more: { annotations: { 'holdfast.dev/approve': 'd1,d2' } },
      told: [`${data} requested`],
    },
    {
      why: 'of something else is told to nobody',
      more: { annotations: { 'holdfast.dev/approve': 'd2' } },
      told: [],
    },
  ])('$why', ({ more, told }) => {
    const bench = waiting();
    bench.store.changed('SchedulerConnection', connection(11, more));
    expect(bench.said()).toEqual(told);
    const isTold = told.includes(`${data} requested`);
    const approved = bench.store.approved(data, () => 'SchedulerConnection/nomad');
    expect(approved).toBe(isTold ? awaiting.awaits.id : undefined);
  });
});

describe('who is told and fails', () => {
  test('is told again with the next list', () => {
    const bench = new Bench(sent({ version: 10 }));
    bench.failures = 1;
    expect(() => bench.heard({ version: 11, generation: 2 })).toThrow('a bug');
    bench.store.replace(all, [sent({ version: 11, generation: 2 })], '12');
    expect(bench.said()).toEqual([`${data} edited`]);
    bench.store.replace(all, [sent({ version: 11, generation: 2 })], '13');
    expect(bench.said()).toEqual([]);
  });

  test('does not keep others from being told: each list gets further', () => {
    const bench = new Bench();
    const listed = ['a', 'b', 'c'].map((name) => sent({ version: 11, name, uid: name }));
    const list = () => bench.store.replace(all, listed, '12');
    for (let round = 0; round < 3; round++) {
      bench.failures = 1;
      expect(list).toThrow('a bug');
    }
    bench.failures = 0;
    list();
    expect(new Set(bench.said())).toEqual(new Set(['a', 'b', 'c'].map((name) => `Disk/shop/${name} edited`)));
  });
});
