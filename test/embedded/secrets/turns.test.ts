import { describe, expect, test } from 'vitest';
import { Turns } from '../../../src/embedded/secrets/turns.ts';

describe('turns', () => {
  test('work under one key waits for what came before, also when that fails; other keys go on', async () => {
    const turns = new Turns();
    const gate = Promise.withResolvers<void>();
    const seen: string[] = [];
    const first = turns.take('a', async () => {
      await gate.promise;
      seen.push('first');
      throw new Error('no');
    });
    const second = turns.take('a', () => seen.push('second'));
    await turns.take('b', () => seen.push('other'));
    expect(seen).toEqual(['other']);
    gate.resolve();
    await expect(first).rejects.toThrow('no');
    await second;
    expect(seen).toEqual(['other', 'first', 'second']);
  });

  test('it is idle when the last one has ended, however many came meanwhile', async () => {
    const turns = new Turns();
    const ended: number[] = [];
    const more = (left: number): Promise<unknown> =>
      turns.take('a', () => {
        ended.push(left);
        if (left > 0) void more(left - 1);
      });
    void more(3);
    await turns.idle();
    expect(ended).toEqual([3, 2, 1, 0]);
  });
});
