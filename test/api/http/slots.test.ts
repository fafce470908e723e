// So many at a time: the ninth command waits for the first to end, and nobody keeps a place that he does not use.
import { expect, test } from 'vitest';
import { Slots } from '../../../src/api/http/slots.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function entering(slots: Slots) {
  const inside: number[] = [];
  const ends = new Map<number, () => void>();
  const enter = (n: number, signal = new AbortController().signal) =>
    slots.use(signal, async () => {
      inside.push(n);
      await new Promise<void>((resolve) => ends.set(n, resolve));
      inside.splice(inside.indexOf(n), 1);
      return n;
    });
  const end = async (n: number) => {
    ends.get(n)?.();
    await turn();
  };
  return { inside, enter, end };
}

test('those who find no place wait in their order', async () => {
  const { inside, enter, end } = entering(new Slots(2));
  const all = [1, 2, 3, 4].map((n) => enter(n));
  await turn();
  expect(inside).toEqual([1, 2]);
  await end(2);
  expect(inside).toEqual([1, 3]);
  await end(1);
  expect(inside).toEqual([3, 4]);
  await end(3);
  await end(4);
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);
});

test('a failure leaves its place to the next', async () => {
  const slots = new Slots(1);
  const { signal } = new AbortController();
  const failed = slots.use(signal, () => Promise.reject(new Error('no')));
  const next = slots.use(signal, () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

test('who is called off while he waits takes no place, and who was called off before never waits', async () => {
  const { inside, enter, end } = entering(new Slots(1));
  const called = new AbortController();
  const first = enter(1);
  const second = enter(2, called.signal);
  const third = enter(3);
  called.abort(new Error('called off'));
  await expect(second).rejects.toThrow('called off');
  await end(1);
  await turn();
  expect(inside).toEqual([3]);
  await end(3);
  await Promise.all([first, third]);
  await expect(enter(4, called.signal)).rejects.toThrow('called off');
  expect(inside).toEqual([]);
});
