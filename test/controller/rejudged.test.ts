// Thousands wait for one approval, as when a namespace is deleted, and others go on with their work meanwhile.
import { expect, test } from 'vitest';
import { conditionOf } from '../../src/core/status/condition.ts';
import { disk, disks } from './disks.ts';
import { idle, running } from './running.ts';

const waitingMs = 1_000;

/** Four of seven disks wait for an approval. */
async function waiting() {
  const names = ['a', 'b', 'c', 'd'];
  const scene = await disks([...names, 'e', 'f', 'g'], { perHour: 20, percent: 30 });
  const { at, leave } = scene;
  const { visits, complete } = await running(at, () => undefined);
  complete();
  const rest = async () => {
    for (let passed = 0; passed < waitingMs; passed += 50) {
      at.clock.advance(50);
      await idle();
    }
  };
  const notify = (...told: readonly string[]): void => {
    for (const name of told) at.source.notify(disk(name), 'edited');
  };
  const tell = async (...told: readonly string[]) => {
    notify(...told);
    await rest();
    return at.source.log.splice(0).filter((line) => names.some((name) => line.includes(disk(name))));
  };
  const said = (name: string) => conditionOf(at.source.read(disk(name))?.status.conditions ?? [], 'Ready');
  await rest();
  for (const name of names) leave(name);
  await tell(...names);
  visits.length = 0;
  return { ...scene, notify, rest, tell, said, names, visits };
}

test('who declares something more has none of those visited or written: that was each of them, at every new object', async () => {
  const { declare, tell, said, names, visits } = await waiting();
  const before = names.map(said);
  expect(before.map((one) => one?.reason)).toEqual(names.map(() => 'DeletionLimitExceeded'));
  declare('h');
  expect(await tell('h')).toEqual([]);
  expect(visits).toEqual([disk('h')]);
  expect(said('h')?.reason).toBe('InSync');
  // Nor where one of them is looked at for another reason.
  expect(await tell('a')).toEqual([]);
  expect(names.map(said)).toEqual(before);
});

test('so many more that they are within the limits: then they go', async () => {
  const { declare, tell, said, names } = await waiting();
  const more = Array.from({ length: 7 }, (_, n) => `more-${n}`);
  for (const name of more) declare(name);
  await tell(...more);
  expect(names.map(said)).toEqual(names.map(() => undefined));
});

test('one more that leaves: all wait for another approval, and say so', async () => {
  const { leave, tell, said, names } = await waiting();
  const before = said('a')?.message;
  leave('e');
  await tell('e');
  const after = new Set([...names, 'e'].map((name) => said(name)?.message));
  expect(after.size).toBe(1);
  expect(after.has(before)).toBe(false);
  expect([...after][0]).toMatch(/^5 of 7 objects would be deleted: /);
});

test('what people edit goes before all that leave, also where those were told of first: it waited behind thousands', async () => {
  const { declare, leave, notify, rest, visits } = await waiting();
  for (const name of ['e', 'f']) leave(name);
  declare('g');
  notify('e', 'f', 'g');
  await rest();
  expect(visits.slice(0, 3)).toEqual(['g', 'e', 'f'].map(disk));
});
