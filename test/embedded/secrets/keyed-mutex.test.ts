import { describe, expect, test } from 'vitest';
import { KeyedMutex } from '../../../src/embedded/secrets/keyed-mutex.ts';

describe('mutex', () => {
  test('work under one key waits for what came before, also when that fails; other keys go on', async () => {
    const mutex = new KeyedMutex();
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const first = mutex.take('a', async () => {
      await gate.promise;
      seen.push('first');
      throw new Error('no');
    });
    const second = mutex.take('a', () => seen.push('second'));
    await mutex.take('b', () => seen.push('other'));
    expect(seen).toEqual(['other']);
    gate.resolve();
    await expect(first).rejects.toThrow('no');
    await second;
    expect(seen).toEqual(['other', 'first', 'second']);
  });

  test('it is idle when the last one has ended, however many came meanwhile', async () => {
    const mutex = new KeyedMutex();
    const ended: number[] = [];
    const more = (left: number): Promise<unknown> =>
      mutex.take('a', () => {
        ended.push(left);
        if (left > 0) void more(left - 1);
      });
    void more(3);
    await mutex.idle();
    expect(ended).toEqual([3, 2, 1, 0]);
  });
});
