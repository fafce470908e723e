// The event stream is heard as hints: about volumes, about those who use them, and that a list is due.
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import type { StreamEvent, Subscription, StreamNotice } from '../../src/api/scheduler/subscription.ts';
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

const ofPlugin = (healthy: number): StreamEvent => ({
  ...event('CSIPlugin', 'ebs'),
  Payload: { Plugin: { ControllersHealthy: healthy } },
});

/** Refuses what `allowed` does not allow, tells the rest what is to be told, and then stays until it is ended. */
async function heard(told: readonly StreamNotice[], allowed: (asked: Subscription) => boolean = () => true) {
  const asked: Subscription[] = [];
  const hints: string[] = [];
  const states: string[] = [];
  let settled = Promise.withResolvers<void>();
  let fire: (() => void) | undefined;
  const watch: EventWatch = new EventWatch({
    connection: { ...connectionNamed('main'), namespace: 'shop' },
    changed: (ref, index) => hints.push(`${Object.values(ref).join(' ')} @${index}`),
    relist: () => hints.push('relist'),
    trouble: (message) => hints.push(message),
    clock: {
      nowMs: () => 0,
      setTimer(_, run) {
        fire = run;
        return () => {};
      },
    },
    random: () => 0,
    async *events(subscription, { signal }) {
      asked.push(subscription);
      if (asked.length % 4 === 0) setImmediate(() => settled.resolve()); // it will ask for no less
      if (!allowed(subscription)) throw new ApiError('refused', 'PermissionDenied', 'event.stream: denied');
      for (const one of told) {
        yield one;
        states.push(watch.state);
      }
      settled.resolve();
      await once(signal, 'abort');
    },
  });
  onTestFinished(() => watch.stop());
  watch.start();
  await settled.promise;
  states.push(watch.state);
  /** What happens after a while. */
  const later = async () => {
    settled = Promise.withResolvers();
    fire?.();
    await settled.promise;
  };
  return { asked, hints, states, later };
}

test('a volume’s event names the volume, an allocation’s its users, a plugin’s asks for a list', async () => {
  const events = [event('CSIVolume', 'data'), event('Allocation', 'a1'), event('CSIPlugin', 'ebs')];
  const { hints } = await heard([{ is: 'open' }, { is: 'frame', index: 9, events }]);
  expect(hints).toEqual(['scheduler/volume main shop data @9', 'scheduler/allocation main a1 @9', 'relist']);
});

const hintsOf = async (healthy: number) =>
  (await heard([{ is: 'open' }, { is: 'frame', index: 9, events: [ofPlugin(healthy)] }])).hints;

test('a plugin that has a controller is told to who waits for it; one without would refuse them again', async () => {
  expect(await hintsOf(2)).toEqual(['relist', 'scheduler/plugin main ebs @9']);
  expect(await hintsOf(0)).toEqual(['relist']);
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
    { topics: all, namespace: '*', hasFallback: true },
    { topics: all, namespace: 'shop', hasFallback: true },
    { topics: ['Allocation'], namespace: '*', hasFallback: true },
    { topics: ['Allocation'], namespace: 'shop', hasFallback: false },
  ]);
  expect(states).toEqual(['denied']);
});

test('and takes what it is given', async () => {
  const { asked, states } = await heard([{ is: 'open' }], ({ namespace }) => namespace === 'shop');
  expect(asked).toHaveLength(2);
  expect(states.at(-1)).toBe('live');
});

test('less is not for good: after a while all is asked for again, and what was missed meanwhile is listed', async () => {
  let narrow = true;
  const { asked, hints, later } = await heard(
    [{ is: 'open' }],
    ({ namespace }) => !narrow || namespace === 'shop',
  );
  expect(hints).toEqual([]);
  narrow = false;
  await later();
  expect(asked.map(({ namespace }) => namespace)).toEqual(['*', 'shop', '*']);
  expect(hints).toEqual(['relist']);
});

test('denied, it asks again after a while', async () => {
  const { asked, later } = await heard([], () => false);
  await later();
  expect(asked).toHaveLength(8);
});

test('a bug in who is told is trouble, and does not end the process', async () => {
  const { hints, states } = await heard([], () => {
    throw new TypeError('a bug');
  });
  expect(hints).toEqual(['a bug', 'a bug', 'a bug', 'a bug']);
  expect(states).toEqual(['denied']);
});
