// An entry of a Secret that is applied after who refers to it is noticed within seconds, and one that never comes costs little.
import { expect, test } from 'vitest';
import { MissingSecrets } from '../../../src/sources/kubernetes/missing-secrets.ts';

const key = 'Secret/shop/login';
const entry = 'password';

function started() {
  const told: string[] = [];
  const timers: { ms: number; fire: () => void; cancelled?: true }[] = [];
  const secrets = new MissingSecrets({
    clock: {
      nowMs: () => 0,
      setTimer(ms, fire) {
        const timer: (typeof timers)[number] = { ms, fire };
        timers.push(timer);
        return () => void (timer.cancelled = true);
      },
    },
    random: () => 1,
    tell: (one) => told.push(one),
  });
  return { secrets, told, timers };
}

test('it is looked for again within two seconds, then less and less often, once for all who wait', () => {
  const { secrets, told, timers } = started();
  for (let look = 0; look < 9; look++) {
    secrets.missing(key, entry);
    secrets.missing(key, entry);
    timers.at(-1)?.fire();
  }
  expect(timers.map(({ ms }) => ms / 1000)).toEqual([2, 4, 8, 16, 32, 64, 128, 256, 300]);
  expect(told).toEqual(Array(9).fill(key));
});

test('once it is there nobody looks for it, and the next time begins anew', () => {
  const { secrets, timers } = started();
  secrets.missing(key, entry);
  secrets.found(key, entry);
  expect(timers[0]?.cancelled).toBe(true);
  secrets.missing(key, entry);
  expect(timers.map(({ ms }) => ms)).toEqual([2000, 2000]);
  secrets.stop();
  expect(timers[1]?.cancelled).toBe(true);
});

test('one that is there says nothing of another of the same Secret: they are read in parallel, in any order', () => {
  const { secrets, told, timers } = started();
  secrets.missing(key, entry);
  secrets.found(key, 'username');
  timers[0]?.fire();
  secrets.found(key, 'username');
  secrets.missing(key, entry);
  secrets.missing(key, 'username');
  expect(timers.map(({ ms, cancelled }) => [ms, cancelled ?? false])).toEqual([
    [2000, false],
    [4000, false],
    [2000, false],
  ]);
  for (const { fire } of timers.slice(1)) fire();
  expect(told).toEqual([key, key, key]);
});

test('an entry that nobody asks for any more is told of once, and no timer is left', () => {
  const { secrets, told, timers } = started();
  secrets.missing(key, 'mistyped');
  timers[0]?.fire();
  secrets.missing(key, entry); // the visit that was told asks for what is declared by now
  secrets.found(key, entry);
  expect(told).toEqual([key]);
  expect(timers.slice(1).map(({ cancelled }) => cancelled)).toEqual([true]);
});

test('ten thousand that nobody waits for any more keep none from being looked for that somebody waits for now', () => {
  const { secrets, told, timers } = started();
  for (let n = 0; n < 10_000; n++) secrets.missing(`Secret/mallory/${n}`, entry);
  for (const { fire } of timers.splice(0)) fire(); // their objects are gone: nobody reads them again
  secrets.missing(key, entry);
  timers[0]?.fire();
  expect(told.at(-1)).toBe(key);
});

test('of those that were looked for, the oldest are forgotten first: however many come and go, memory has an end', () => {
  const { secrets, timers } = started();
  const look = (name: string) => {
    secrets.missing(name, entry);
    timers.at(-1)?.fire();
    return timers.at(-1)?.ms;
  };
  expect([look(key), look(key)]).toEqual([2000, 4000]);
  for (let n = 0; n < 10_000; n++) look(`Secret/mallory/${n}`);
  expect([look('Secret/mallory/9999'), look(key)]).toEqual([4000, 2000]);
});
