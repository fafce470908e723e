// Who is woken, and when: an object that waits for others and that nobody wakes stays as it is until a timer, for minutes.
import { describe, expect, test } from 'vitest';
import { Controller } from '../../src/controller/controller.ts';
import { Unvisited } from '../../src/controller/index/unvisited.ts';
import { WorkQueue } from '../../src/controller/queue/workqueue.ts';
import { conditionOf } from '../../src/core/status/condition.ts';
import { ApiError, type Outcome } from '../../src/core/errors.ts';
import { noStatus } from '../../src/core/status/status.ts';
import { disk, disks, doing } from './disks.ts';
import { settle } from './queue/workqueue-bench.ts';

/** A running controller over disks that are in sync. */
async function running(
  names: readonly string[],
  limits?: { perHour: number; percent: number },
  answers?: () => Outcome | undefined,
) {
  const scene = await disks(names, limits, (outside) => {
    const perform = doing(outside);
    return (connection, effect) =>
      (effect.startsWith('delete') ? answers?.() : undefined) ?? perform(connection, effect);
  });
  const { at } = scene;
  const unvisited = new Unvisited();
  at.settled = (key, connection) => unvisited.settled(key, connection);
  const queue = new WorkQueue({ clock: at.clock, keysMax: 1_000 });
  const visits: string[] = [];
  const controller = new Controller({
    ports: at.ports,
    queue,
    unvisited,
    workers: 1,
    onVisit: ({ key }) => void visits.push(key),
    onBug: (_, error) => {
      throw error;
    },
  });
  await controller.list();
  controller.run();
  const idle = async (ms = 0) => {
    for (let n = 0; n < 20; n++) await settle();
    for (let passed = 0; passed < ms; passed += 50) {
      at.clock.advance(50);
      for (let n = 0; n < 5; n++) await settle();
    }
  };
  await idle(1_000);
  visits.length = 0;
  at.source.log.length = 0;
  /** Tells of objects as declared by now. */
  const tell = (...told: readonly string[]) => {
    for (const name of told) at.source.notify(disk(name), 'edited');
  };
  const ready = (name: string) =>
    conditionOf(at.source.read(disk(name))?.status.conditions ?? [], 'Ready')?.reason ?? 'gone';
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  return { ...scene, controller, visits, idle, tell, ready, sent };
}

const quickMs = 1_000;

describe('who waits for the others to be looked at', () => {
  test('goes once the last of them was', async () => {
    const { declare, leave, tell, idle, sent } = await running(['a', 'b', 'c', 'd']);
    leave('a');
    declare('b', { type: 'nvme' });
    tell('a', 'b', 'c');
    await idle(quickMs);
    expect(sent().toSorted()).toEqual(['c: delete d1', 'c: delete d2', 'c: make b nvme']);
  });

  test('goes also where the last of them is gone by its visit, though it was of another connection', async () => {
    const { at, declare, tell, idle, sent } = await running(['a', 'b']);
    const kept = { policy: { deletion: 'Retain' } };
    declare('x', { on: 'other', ...kept });
    tell('x');
    await idle(quickMs);
    at.source.log.length = 0;
    declare('b', { type: 'nvme' });
    declare('x', { on: 'other', ...kept }, { deleting: true });
    tell('b', 'x');
    await idle(quickMs);
    expect(sent()).toEqual(['c: delete d2', 'c: make b nvme']);
  });

  test('goes although a connection has never been opened: what it is to have is known, and it says what is missing', async () => {
    const { at, connect, declare, leave, tell, idle, sent, ready } = await running(['a', 'b']);
    connect('late', 'waits');
    at.source.notify('Conn/late', 'edited');
    const memory = { ...noStatus, externalRef: { backend: 'late', id: 'x' } };
    declare('x', { on: 'late' }, { held: true });
    at.source.entries.set(disk('x'), { ...at.source.entries.get(disk('x'))!, status: memory });
    leave('a');
    tell('x', 'a');
    await idle(quickMs);
    expect(sent()).toEqual(['c: delete d1']);
    expect(ready('x')).toBe('ConnectionNotReady');
  });

  test('waits for one on a connection that has never been opened: it may be about to take over what goes', async () => {
    const { at, connect, declare, leave, tell, idle, sent } = await running(['a', 'b']);
    connect('late', 'waits');
    at.source.notify('Conn/late', 'edited');
    declare('x', { on: 'late', named: 'a' });
    leave('a');
    tell('x', 'a');
    await idle(quickMs);
    expect(sent()).toEqual([]);
  });

  test('waits for one for which nothing may be done yet, until that is decided', async () => {
    const { at, declare, leave, tell, idle, sent, ready } = await running(['a', 'b']);
    const { source } = at;
    const open = source.open.bind(source);
    source.open = (key) => (key === disk('x') ? undefined : open(key));
    declare('x', { named: 'a' });
    leave('a');
    tell('x', 'a');
    await idle(quickMs);
    expect(sent()).toEqual([]);
    source.open = open;
    tell('x');
    await idle(quickMs);
    expect([sent(), ready('x'), ready('a')]).toEqual([[], 'InSync', 'gone']);
  });

  test('waits for it also where its visit could not be written: that says no more of what it is to have', async () => {
    const { at, connect, declare, leave, tell, idle, sent } = await running(['a', 'b']);
    const { lasting } = at.source;
    let refused = 0;
    at.source.lasting = (write, work) => {
      if (write.key !== disk('x')) return lasting(write, work);
      refused++;
      return Promise.reject(new ApiError('unavailable', 'StateUnavailable', 'no space left on device'));
    };
    connect('late', 'waits');
    at.source.notify('Conn/late', 'edited');
    declare('x', { on: 'late', named: 'a' });
    leave('a');
    tell('x', 'a');
    await idle(quickMs);
    expect(refused).toBeGreaterThan(0);
    expect(sent()).toEqual([]);
  });

  test('goes also where the last of them is gone without a visit', async () => {
    const { at, declare, tell, idle, sent, ready } = await running(['a', 'b', 'c', 'd']);
    const hold = Promise.withResolvers<void>();
    at.source.confirm = () => hold.promise;
    declare('a', { type: 'nvme' });
    tell('a');
    await idle();
    declare('b', { type: 'nvme' }); // the only worker is busy with a: b and c are not looked at
    tell('b', 'c');
    at.source.entries.delete(disk('c'));
    tell('c');
    at.source.confirm = () => Promise.resolve();
    hold.resolve();
    await idle(quickMs);
    expect([ready('a'), ready('b')]).toEqual(['InSync', 'InSync']);
    expect(sent()).toHaveLength(4);
  });

  test('asks by itself while declarations still change: nobody tells when they are steady', async () => {
    const { at, leave, tell, idle, sent } = await running(['a', 'b', 'c']);
    at.source.synced = false;
    leave('a');
    tell('a');
    await idle(2_000);
    expect(sent()).toEqual([]);
    at.source.synced = true;
    await idle(quickMs);
    expect(sent()).toEqual(['c: delete d1']);
  });
});

describe('who waits for a person', () => {
  test('is told of one set under one digest, whoever was looked at first or came later', async () => {
    const { at, declare, tell, idle } = await running(['a', 'b', 'c', 'd', 'e'], {
      perHour: 1,
      percent: 100,
    });
    const digests = () =>
      new Set(['a', 'b', 'c'].map((name) => at.source.read(disk(name))?.status.awaits?.digest));
    for (const name of ['a', 'b']) declare(name, { type: 'nvme' });
    tell('a', 'b');
    await idle(quickMs);
    const before = at.source.read(disk('a'))?.status.awaits?.digest;
    expect(before).toBeDefined();
    declare('c', { type: 'nvme' });
    tell('c');
    await idle(quickMs);
    expect(digests().size).toBe(1);
    expect(digests().has(before)).toBe(false);
  });

  test('goes when so many come back that the rest is within the limits', async () => {
    const { declare, tell, idle, ready, sent } = await running(['a', 'b', 'c'], { perHour: 1, percent: 100 });
    for (const name of ['a', 'b']) declare(name, { type: 'nvme' });
    tell('a', 'b');
    await idle(quickMs);
    expect([ready('a'), ready('b')]).toEqual(['DeletionLimitExceeded', 'DeletionLimitExceeded']);
    declare('b', { type: 'ssd' });
    tell('b');
    await idle(quickMs);
    expect([ready('a'), ready('b')]).toEqual(['InSync', 'InSync']);
    expect(sent()).toEqual(['c: delete d1', 'c: make a nvme']);
  });

  test('is not let go because another could not be looked at', async () => {
    const { outside, declare, tell, idle, sent } = await running(['a', 'b', 'c'], {
      perHour: 1,
      percent: 100,
    });
    for (const name of ['a', 'b']) declare(name, { type: 'nvme' });
    tell('a', 'b');
    await idle(quickMs);
    outside.get = (id) => {
      if (id === 'b') throw new ApiError('timeout', 'Timeout', 'no answer');
      return Map.prototype.get.call(outside, id);
    };
    tell('b');
    await idle(5_000);
    expect(sent()).toEqual([]);
  });
});

test('what moves is taken over and let go of at once, in whatever order they are told', async () => {
  for (const order of [
    ['old', 'new'],
    ['new', 'old'],
  ] as const) {
    const { at, declare, leave, tell, idle, sent } = await running(['old', 'other']);
    leave('old');
    declare('new', { named: 'old' });
    tell(...order);
    await idle(quickMs);
    expect(at.source.read(disk('old'))).toBeUndefined();
    expect(at.source.read(disk('new'))?.status.identity).toBe('d1');
    expect(sent()).toEqual([]);
  }
});

test('who stood in the way of another’s replacement tells it when he is gone', async () => {
  const { at, outside, declare, leave, tell, idle, ready } = await running(['a', 'b', 'c']);
  const entry = at.source.read(disk('b'));
  if (!entry) throw new Error('it was declared');
  // An earlier process recorded the disk of a for it, and so it stands there.
  at.source.entries.set(disk('b'), { ...entry, status: { ...entry.status, own: 'd1' } });
  outside.set('b', { disk: 'd1', type: 'ssd' });
  tell('b');
  await idle();
  declare('a', { type: 'nvme' });
  tell('a');
  await idle(quickMs);
  expect(ready('a')).toBe('ReplacementBlocked');
  at.source.declare({ ...entry.object, spec: { type: 'ssd', policy: { deletion: 'Retain' } } });
  leave('b');
  tell('b');
  await idle(quickMs);
  expect(ready('a')).toBe('InSync');
});

const suspending = (suspended: boolean) => ({
  key: { kind: 'Conn', namespace: '', name: 'c' },
  spec: {},
  requests: suspended ? { suspend: 'true' } : {},
});

describe('who uses a connection', () => {
  test('is looked at when that is suspended, and changed as soon as it is resumed: nothing else wakes it', async () => {
    const { at, declare, tell, idle, visits, sent, ready } = await running(['a', 'b']);
    at.source.declare(suspending(true));
    at.source.notify('Conn/c', 'requested');
    await idle();
    expect(visits.filter((key) => key !== 'Conn/c').toSorted()).toEqual([disk('a'), disk('b')]);
    declare('new');
    tell('new');
    await idle();
    expect(sent()).toEqual([]);
    at.source.declare(suspending(false));
    at.source.notify('Conn/c', 'requested');
    await idle();
    expect(sent()).toEqual(['c: make new ssd']);
    expect(ready('new')).toBe('InSync');
  });

  test('is left alone when something else is asked of it: a connection may have thousands of them', async () => {
    const { at, idle, visits } = await running(['a']);
    at.source.declare({ ...suspending(false), requests: { reconcile: 't1' } });
    at.source.notify('Conn/c', 'requested');
    await idle();
    expect(visits).toEqual(['Conn/c']);
  });
});
