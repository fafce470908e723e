import { describe, expect, test } from 'vitest';
import { SingleFlight } from '../../../src/sources/directory/single-flight.ts';

/** Work that ends when it is told to. */
function steps() {
  const runs: PromiseWithResolvers<number>[] = [];
  const flight = new SingleFlight(async () => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return await run.promise;
  });
  return { runs, flight };
}

describe('one run at a time', () => {
  test('all who ask during a run share exactly one more, which began after they asked', async () => {
    const { runs, flight } = steps();
    const first = flight.run();
    const later = [flight.run(), flight.run(), flight.run()];
    expect(runs).toHaveLength(1);
    runs[0]?.resolve(1);
    expect(await first).toBe(1);
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.resolve(2);
    expect(await Promise.all(later)).toEqual([2, 2, 2]);
    expect(runs).toHaveLength(2);
  });

  test('asking at any moment around the end of a run starts no second one beside the next', async () => {
    let running = 0;
    let runs = 0;
    const flight = new SingleFlight(async () => {
      runs += 1;
      running += 1;
      expect(running).toBe(1);
      await Promise.resolve();
      running -= 1;
    });
    const asked = [flight.run(), flight.run()];
    for (let tick = 0; tick < 50; tick++) {
      await Promise.resolve();
      asked.push(flight.run());
    }
    await Promise.all(asked);
    expect(runs).toBeGreaterThan(2);
  });

  test('a run that fails tells those who asked for it and holds up nobody else', async () => {
    const { runs, flight } = steps();
    const first = flight.run();
    const second = flight.run();
    runs[0]?.reject(new Error('boom'));
    await expect(first).rejects.toThrow('boom');
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.resolve(2);
    expect(await second).toBe(2);
    const third = flight.run();
    runs[2]?.resolve(3);
    expect(await third).toBe(3);
  });

  test('settled means that nothing runs and nothing waits', async () => {
    const { runs, flight } = steps();
    const ends: string[] = [];
    const first = flight.run().then(() => ends.push('first'));
    const second = flight.run().then(() => ends.push('second'));
    const settled = flight.settled().then(() => ends.push('settled'));
    runs[0]?.resolve(1);
    await first;
    await expect.poll(() => runs.length).toBe(2);
    runs[1]?.resolve(2);
    await Promise.all([second, settled]);
    expect(ends).toEqual(['first', 'second', 'settled']);
  });
});
