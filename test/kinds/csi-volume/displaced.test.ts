// Half way through a replacement a volume is registered nowhere, and its ID is free. Something else that somebody registered there was taken
// for the new one, where `Adopt` was declared: the old disk was destroyed, or forgotten, though no new one had been made.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { after } from './going.ts';
import { leftBy } from './journeys.ts';
import { firstStep, planned, recorded, startMs, type Given } from './situation.ts';
import { World, type Fate } from './world.ts';

const policies = { replacePolicy: 'WhenUnused', adoptionPolicy: 'Adopt' } as const;

/** @param fates of the calls of the first visit @param isRefused the provider makes no new one */
async function taken(spec: Partial<Spec>, fates: readonly Fate[], isRefused: boolean): Promise<World> {
  const world = new World({ ...policies, ...spec });
  await world.settle();
  if (isRefused) world.service.failing.add('nfs');
  world.plays({ fates }).declare({ ...policies, ...spec, pluginID: 'nfs' });
  await world.visit();
  expect(world.service.volumes.size).toBe(0);
  world.service.put(world.object.key.name, 'theirs', 'x');
  await world.settle();
  return world;
}

const refused: readonly Fate[] = ['done', 'done', 'lost'];
const unmade: readonly Fate[] = ['done', 'lost'];
const back = 'declared; disk-1 of ebs as data, theirs of ebs as nothing; destroyed ';

test.for([
  { why: 'no new one could be made', deletion: 'Delete', fates: refused, isRefused: true, end: back },
  { why: 'no new one could be made', deletion: 'Retain', fates: refused, isRefused: true, end: back },
  {
    why: 'no new one was made yet',
    deletion: 'Delete',
    fates: unmade,
    isRefused: false,
    end: /^declared; theirs of ebs as nothing, disk-\d+ of nfs as data; destroyed disk-1$/,
  },
] as const)(
  '$why, and another disk has the ID ($deletion): it is not adopted, and all goes on once that is gone',
  async ({ deletion, fates, isRefused, end }) => {
    const world = await taken({ deletionPolicy: deletion }, fates, isRefused);
    const { name } = world.object.key;
    expect(leftBy(world)).toBe('declared; disk-1 of ebs as nothing, theirs of ebs as data; destroyed ');
    expect(conditionOf(world.memory.conditions, 'Stalled')).toMatchObject({
      status: 'True',
      reason: 'AdoptionRefused',
      message:
        'disk-1 was deregistered, and theirs has taken its place: deregister that one, and this goes on; ' +
        'to keep theirs instead, remove the manifest, run holdfast orphan, and declare it anew with Adopt',
    });
    world.service.volumes.delete(name);
    await world.settle();
    expect(leftBy(world)).toMatch(end);
  },
);

test('the disk that is declared to be registered in its stead is adopted: it is the new one', () => {
  const memory = after('replace');
  const given: Given = { policy: { adoption: 'Adopt', deletion: 'Delete' }, memory, nowMs: startMs + 30_001 };
  const there = { volume: { ExternalID: 'vol-2', CreateIndex: 9 } };
  expect(firstStep({ ...given, ...there, register: 'vol-2' }).verb).toBe('adopt');
  expect(planned({ ...given, ...there, register: 'vol-3' })).toMatchObject({ reason: 'AdoptionRefused' });
});

test('to be kept, it leaves only once its old disk is back', async () => {
  const world = await taken({ deletionPolicy: 'Retain' }, refused, true);
  world.declare(undefined);
  await world.settle();
  expect(world.released).toBe('no');
  world.service.volumes.delete(world.object.key.name);
  await world.settle();
  expect(leftBy(world)).toBe('kept; disk-1 of ebs as data, theirs of ebs as nothing; destroyed ');
});

test('what is the old disk itself, registered by somebody, is taken back', async () => {
  const world = new World({ ...policies, deletionPolicy: 'Delete' });
  await world.settle();
  world.service.failing.add('nfs');
  world.plays({ fates: refused }).declare({ ...policies, deletionPolicy: 'Delete', pluginID: 'nfs' });
  await world.visit();
  world.service.put(world.object.key.name, 'disk-1', 'x');
  await world.settle();
  expect(leftBy(world)).toBe('declared; disk-1 of ebs as data; destroyed ');
});

describe('a disk that is registered no more, as in a scheduler that was restored, while another one has its ID', () => {
  const theirs = { ExternalID: 'theirs', CreateIndex: 9 };
  const there: Given = { memory: recorded, volume: theirs, policy: { adoption: 'Adopt' } };

  test.for(['Adopt', 'AdoptIfIdentical'] as const)(
    'is not forgotten for that one by itself (%s)',
    (adoption) => {
      expect(planned({ ...there, policy: { adoption } })).toMatchObject({
        verdict: 'blocked',
        reason: 'AdoptionRefused',
        message:
          'vol-1 is not registered here any more, and theirs has taken its place: deregister that one, and vol-1 is registered again; ' +
          'to keep theirs and forget vol-1, run holdfast adopt, or remove the manifest and declare it anew',
      });
    },
  );

  test('is forgotten where a person asks for the adoption, and only then', () => {
    expect(firstStep({ ...there, requests: { adopt: 'IfIdentical' } })).toMatchObject({ verb: 'adopt' });
    expect(planned({ ...there, policy: {} })).toMatchObject({
      message: expect.stringContaining('it exists and is not ours, but in the place of vol-1'),
    });
  });

  test('is registered again once that one is gone, and leaves as what is not its own does', () => {
    expect(firstStep({ ...there, volume: 'absent' })).toMatchObject({ verb: 'revive' });
    expect(planned({ ...there, deleting: true })).toMatchObject({ verdict: 'gone', foreign: 'theirs 9' });
  });

  test('is forgotten where that one is declared to be registered', () => {
    expect(firstStep({ ...there, register: 'theirs' })).toMatchObject({ verb: 'adopt' });
  });

  test('is forgotten where it was only observed, and never its own', () => {
    const { identity: _, ...observed } = recorded;
    expect(firstStep({ ...there, memory: observed })).toMatchObject({ verb: 'adopt' });
  });

  test('that somebody deregistered and registered himself is adopted: its data is the same', () => {
    const again = { ExternalID: 'vol-1', CreateIndex: 9 };
    expect(firstStep({ ...there, volume: again })).toMatchObject({ verb: 'adopt' });
  });
});
