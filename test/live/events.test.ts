// The event stream is heard as hints: about volumes, about those who use them, and that a list is due.
import { expect, test } from 'vitest';
import type { StreamEvent, Subscription, Told } from '../../src/api/scheduler/events.ts';
import { ApiError } from '../../src/core/errors.ts';
import { EventWatch } from '../../src/live/events.ts';
import { connectionNamed } from '../controller/bench.ts';

const event = (Topic: string, Key: string): StreamEvent => ({
  Topic,
  Key,
  Type: 'CSIVolumeClaim',
  Namespace: 'shop',
  FilterKeys: [],
  Index: 9,
  Payload: {},
});

/** Refuses what `allowed` does not allow, tells the rest what is to be told, and then ends the watch. */
async function heard(told: readonly Told[], allowed: (asked: Subscription) => boolean = () => true) {
  const asked: Subscription[] = [];
  const hints: string[] = [];
  const states: string[] = [];
  const done = Promise.withResolvers<void>();
  const watch = new EventWatch({
    connection: { ...connectionNamed('main'), namespace: 'shop' },
    changed: (ref, index) => hints.push(`${Object.values(ref).join(' ')} @${index}`),
    relist: () => hints.push('relist'),
    clock: { nowMs: () => 0, setTimer: () => (done.resolve(), () => {}) },
    random: () => 0,
    async *events(subscription, { signal }) {
      asked.push(subscription);
      if (!allowed(subscription)) throw new ApiError('refused', 'PermissionDenied', 'event.stream: denied');
      for (const one of told) {
        yield one;
        states.push(watch.state);
      }
      done.resolve();
      await new Promise((resolve) => {
        signal.addEventListener('abort', resolve);
      });
    },
  });
  watch.start();
  await done.promise;
  states.push(watch.state);
  await watch.stop();
  return { asked, hints, states };
}

test('a volume’s event names the volume, an allocation’s its users, a plugin’s asks for a list', async () => {
  const events = [event('CSIVolume', 'data'), event('Allocation', 'a1'), event('CSIPlugin', 'ebs')];
  const { hints } = await heard([{ is: 'open' }, { is: 'frame', index: 9, events }]);
  expect(hints).toEqual(['main shop data @9', 'main a1 @9', 'relist']);
});

test('what may have been missed is listed', async () => {
  expect((await heard([{ is: 'open' }, { is: 'gap' }])).hints).toEqual(['relist']);
});

test('it tells how it is: live, and while it connects again not', async () => {
  const { states } = await heard([{ is: 'open' }, { is: 'lost', message: 'cut' }, { is: 'open' }]);
  expect(states.slice(0, 3)).toEqual(['live', 'reconnecting', 'live']);
});

test('a token that may not have all asks for less: fewer topics, its own namespace; then it is denied', async () => {
  const { asked, states } = await heard([], () => false);
  const all = ['CSIVolume', 'CSIPlugin', 'Allocation'];
  expect(asked).toEqual([
    { topics: all, namespace: '*' },
    { topics: all, namespace: 'shop' },
    { topics: ['Allocation'], namespace: '*' },
    { topics: ['Allocation'], namespace: 'shop' },
  ]);
  expect(states).toEqual(['denied']);
});

test('and takes what it is given', async () => {
  const { asked, states } = await heard([{ is: 'open' }], ({ namespace }) => namespace === 'shop');
  expect(asked).toHaveLength(2);
  expect(states.at(-1)).toBe('live');
});
