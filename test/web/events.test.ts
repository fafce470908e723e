import { expect, test } from 'vitest';
import { eventually } from '../support/poll.ts';
import {
  FakeView,
  condition,
  keyOf,
  memoryOf,
  objectView,
  ready,
  stalled,
  withConditions,
} from './fake-view.ts';
import { Listener, get, served } from './serving.ts';

const data = 'CSIVolume/shop/data';
const rowOf = (key: string): string => `row:${key}`;

test('the first frame is the page as it is now; it is a stream that nobody keeps', async () => {
  const { web, view } = await served();
  view.set(objectView(keyOf('data')));
  const listener = await Listener.open(`${web.url}/events`);
  const { parts, rows, order } = await listener.frame(0);
  expect(listener.headers).toMatchObject({ 'content-type': 'text/event-stream; charset=utf-8' });
  expect(listener.headers['cache-control']).toBe('no-store');
  expect(Object.keys(parts)).toEqual([
    'summary',
    'files',
    'connections',
    'found',
    'head',
    'pager',
    'process',
  ]);
  expect([Object.keys(rows), order]).toEqual([[rowOf(data)], [rowOf(data)]]);
  expect(rows[rowOf(data)]).toContain(`id="${rowOf(data)}"`);
});

test.for(['/events', `/events?object=${encodeURIComponent(data)}`])(
  '%s says once which process sends it: a page that was open while another one began told when the former did',
  async (path) => {
    const { web, view, clock } = await served();
    view.set(objectView(keyOf('data')));
    const listener = await Listener.open(`${web.url}${path}`);
    const { parts } = await listener.frame(0);
    expect(parts['process']).toContain(new Date(view.startedAtMs).toISOString().slice(0, 19));
    view.set(withConditions(keyOf('data'), [condition('Ready', 'True', 'Later.')]));
    clock.advance(250);
    expect((await listener.frame(1)).parts).not.toHaveProperty('process');
  },
);

test('changes within a quarter of a second are one frame, with the last of them', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('data')));
  view.set(objectView(keyOf('still')));
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  for (let take = 1; take <= 20; take++) {
    view.set(withConditions(keyOf('data'), [condition('Ready', 'True', `Take${take}.`)]));
    clock.advance(10);
    await get(`${web.url}/healthz`); // time enough for a frame, were it sent
  }
  clock.advance(250);
  await eventually('the last change', () => listener.text.includes('Take20.'));
  const rows = listener.frames.slice(1).map((frame) => frame.rows);
  // The first goes out at once.
  expect(rows.map((row) => Object.keys(row))).toEqual([[rowOf(data)], [rowOf(data)]]);
});

test('a change of state is said, sent, counted and put in its place', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('a')));
  view.set(objectView(keyOf('data')));
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  view.set(withConditions(keyOf('data'), stalled('Refused', 'no')));
  clock.advance(250);
  const { parts, rows, order, say } = await listener.frame(1);
  expect(say).toBe('CSIVolume/shop/data is stalled.');
  expect(parts['summary']).toContain('1 of 2 objects needs attention');
  expect(Object.keys(rows)).toEqual([rowOf(data)]);
  expect(order).toEqual([rowOf(data), rowOf('CSIVolume/shop/a')]);
});

test('what changes nothing but a message is shown and not said', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('data')));
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  view.set(withConditions(keyOf('data'), [condition('Ready', 'True', 'InSync', 'another word')]));
  clock.advance(250);
  const frame = await listener.frame(1);
  expect(frame).toEqual({ parts: {}, rows: { [rowOf(data)]: expect.stringContaining('another word') } });
});

test('a reader hears of what its question finds, and of nothing else', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('data')));
  view.set(objectView(keyOf('role', 'LDAPStaticRole')));
  const listener = await Listener.open(`${web.url}/events?kind=LDAPStaticRole`);
  await listener.frame(0);
  view.set(withConditions(keyOf('data'), [condition('Ready', 'True', 'InSync', 'other')]));
  clock.advance(250);
  view.set(withConditions(keyOf('role', 'LDAPStaticRole'), [condition('Ready', 'True', 'InSync', 'mine')]));
  await eventually('the change that it asked for', () => {
    clock.advance(250);
    return listener.text.includes('mine');
  });
  expect(Object.keys((await listener.frame(1)).rows)).toEqual([rowOf('LDAPStaticRole/shop/role')]);
});

test('new and vanished objects change the order, not the rows that stay', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('a')));
  view.set(objectView(keyOf('c')));
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  view.set(objectView(keyOf('b')));
  view.delete('CSIVolume/shop/c');
  clock.advance(250);
  const { rows, order } = await listener.frame(1);
  expect(Object.keys(rows)).toEqual([rowOf('CSIVolume/shop/b')]);
  expect(order).toEqual([rowOf('CSIVolume/shop/a'), rowOf('CSIVolume/shop/b')]);
});

test('a detail page follows its object to its end', async () => {
  const { web, view, clock } = await served();
  view.set(objectView(keyOf('data'), { status: memoryOf({ conditions: ready }) }));
  const listener = await Listener.open(`${web.url}/events?object=${encodeURIComponent(data)}`);
  expect((await listener.frame(0)).parts['detail']).toContain('InSync');
  view.delete(data);
  clock.advance(250);
  const { parts, say } = await listener.frame(1);
  expect(parts['detail']).toContain('is not declared, or no longer');
  expect(say).toBe('CSIVolume/shop/data is gone.');
});

test('while nothing happens there is a beat, so that a dead connection is noticed; times alone are no news', async () => {
  const { web, view, clock } = await served();
  const through = 'SchedulerConnection/production';
  const list = { index: 7, atMs: clock.nowMs() };
  view.set(
    objectView(keyOf('production', 'SchedulerConnection', ''), { connection: { watch: 'live', list } }),
  );
  view.set(objectView(keyOf('data'), { through }));
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  clock.advance(15_000);
  clock.advance(15_000);
  await eventually('two beats', () => listener.text.split('event: beat\ndata:\n\n').length === 3);
  expect(listener.frames).toHaveLength(1);
});

test('one reader more than there may be is told so, and comes in when another has left', async () => {
  const { web } = await served({ readersMax: 2 });
  const first = await Listener.open(`${web.url}/events`);
  await Listener.open(`${web.url}/events`);
  const third = await get(`${web.url}/events`);
  expect([third.status, third.headers['retry-after']]).toEqual([503, '30']);
  first.close();
  await eventually('room for another', async () => {
    const next = await Listener.open(`${web.url}/events`);
    return next.status === 200;
  });
});

const many = 200;
const longMessage = 'x'.repeat(1_000);

function crowd(): FakeView {
  const view = new FakeView();
  for (let i = 0; i < many; i++) view.set(objectView(keyOf(`v${i}`)));
  return view;
}

function stir(view: FakeView, take: number): void {
  for (let i = 0; i < many; i++) {
    view.set(withConditions(keyOf(`v${i}`), [condition('Ready', 'True', `Take${take}.`, longMessage)]));
  }
}

test('a slow reader is told less often, and the latest in the end: nothing piles up for it', async () => {
  const { web, view, clock } = await served({}, crowd());
  const slow = await Listener.open(`${web.url}/events`);
  const quick = await Listener.open(`${web.url}/events`);
  await slow.frame(0);
  slow.pause();
  const takes = 40; // of 400 kB each: far more than sockets hold
  for (let take = 1; take <= takes; take++) {
    stir(view, take);
    await eventually(`take ${take} at the quick reader`, () => {
      clock.advance(250);
      return quick.text.includes(`Take${take}.`);
    });
  }
  slow.resume();
  await eventually('the last take at the slow reader', () => slow.text.includes(`Take${takes}.`));
  expect(slow.frames.length).toBeLessThan(quick.frames.length);
  expect(Object.keys(slow.frames.at(-1)?.rows ?? {})).toHaveLength(many);
});

test('a reader that takes nothing for half a minute is let go', async () => {
  const { web, view, clock } = await served({}, crowd());
  const stuck = await Listener.open(`${web.url}/events`);
  const quick = await Listener.open(`${web.url}/events`);
  await stuck.frame(0);
  stuck.pause();
  for (let take = 1; take <= 30; take++) {
    stir(view, take);
    await eventually(`take ${take} at the quick reader`, () => {
      clock.advance(250);
      return quick.text.includes(`Take${take}.`);
    });
  }
  for (let beat = 0; beat < 4; beat++) clock.advance(15_000);
  stuck.resume(); // only now does it see that it was cut
  await eventually('the end of the stuck stream', () => stuck.closed);
  expect(quick.closed).toBe(false);
});

test('an object that can not be shown ends the streams that show it, and is told; the operator goes on', async () => {
  const bugs: unknown[] = [];
  const { web, view, clock } = await served({ onBug: (bug) => bugs.push(bug) });
  view.set(objectView(keyOf('role', 'LDAPStaticRole')));
  const listener = await Listener.open(`${web.url}/events`);
  const other = await Listener.open(`${web.url}/events?kind=LDAPStaticRole`);
  await listener.frame(0);
  await other.frame(0);
  const error = new Error('no such instant');
  const broken = {
    ...objectView(keyOf('data')),
    get nextVisitMs(): number {
      throw error;
    },
  };
  view.set(broken);
  clock.advance(250);
  await eventually('the end of the stream', () => listener.closed);
  expect([bugs, other.closed, (await get(`${web.url}/healthz`)).status]).toEqual([[error], false, 200]);
});

test('stopping ends the streams and the listening', async () => {
  const { web, view } = await served();
  const listener = await Listener.open(`${web.url}/events`);
  await listener.frame(0);
  await web.stop();
  await eventually('the end of the stream', () => listener.closed);
  expect(view.subscribers).toBe(0);
});
