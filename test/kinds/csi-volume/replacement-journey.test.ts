// A replacement is a transaction: the old disk is destroyed only after the new one stands, and where none can be made, the old
// one is back. Whatever answers get lost, wherever the process dies, whoever edits or removes the declaration in the middle.
import { describe, expect, test } from 'vitest';
import type { Spec } from '../../../src/kinds/csi-volume/schema.ts';
import { anyNew, changing, deaths, fates, leftBy, ways } from './journeys.ts';
import type { Fate, World } from './world.ts';

const spec = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' } as const;
const nfs = { ...spec, pluginID: 'nfs' };
/** Its creates are all refused. */
const broken = { ...spec, pluginID: 'broken' };
const breaking = (world: World): void => void world.service.failing.add('broken');
const patience = { timeout: 90_000 };
const points = 20;
const replaced = 'declared; new of nfs as data; destroyed disk-1';
const old = 'declared; disk-1 of ebs as data; destroyed ';
const calls = ({ log }: World): readonly string[] =>
  log.filter((line) => line.startsWith('volume.')).map((line) => line.replace(/n\d+:/, 'n:'));
const creates: readonly Fate[] = [...fates, 'half'];
/** Of the removal, then of the create, then of what follows. */
const someWays = fates.flatMap((first) =>
  creates.flatMap((second) => ways(2).map((rest): readonly Fate[] => [first, second, ...rest])),
);

test('the new one stands before the old one goes', async () => {
  const world = await changing(spec, nfs, {});
  expect(calls(world).slice(1)).toEqual([
    'volume.deregister data: done',
    'volume.create data: done',
    'volume.register holdfast-retired-n: done',
    'volume.delete holdfast-retired-n: done',
  ]);
  expect(anyNew(leftBy(world))).toBe(replaced);
});

test('whatever answers get lost, one disk is left: the new one', patience, async () => {
  for (const way of someWays)
    expect(anyNew(leftBy(await changing(spec, nfs, { fates: way }))), way.join()).toBe(replaced);
});

test('wherever the process dies, the next one goes on', patience, async () => {
  for (const at of deaths(points))
    expect(anyNew(leftBy(await changing(spec, nfs, { at }))), Object.keys(at).join()).toBe(replaced);
});

describe('where no new one can be made', () => {
  test('the old one is back, and it says so until the declaration is another', async () => {
    const world = await changing(spec, broken, {}, breaking);
    expect(leftBy(world)).toBe(old);
    expect(world.memory.conditions[0]).toMatchObject({
      status: 'False',
      reason: 'ReplacementFailed',
      message: expect.stringContaining('unable to provision: broken'),
    });
    const made = calls(world).length;
    await world.settle();
    expect(calls(world)).toHaveLength(made); // not let go of again and again
    world.declare(spec);
    await world.settle();
    expect(world.memory.conditions[0]).toMatchObject({ status: 'True', reason: 'InSync' });
    world.declare(nfs);
    await world.settle();
    expect(anyNew(leftBy(world))).toBe(replaced);
  });

  test('the same edit is made again, once what refused it has passed: the remedy says so', async () => {
    const world = await changing(spec, broken, {}, breaking);
    world.service.failing.delete('broken');
    await world.settle();
    expect(leftBy(world)).toBe(old); // nothing tells that it has passed
    world.declare(spec);
    await world.settle();
    world.declare(broken);
    await world.settle();
    expect(anyNew(leftBy(world))).toBe(replaced.replace('nfs', 'broken'));
  });

  test('whatever answers get lost on the way', patience, async () => {
    for (const way of ways(5))
      expect(leftBy(await changing(spec, broken, { fates: way }, breaking)), way.join()).toBe(old);
  });

  test('wherever the process dies on the way', patience, async () => {
    for (const at of deaths(points))
      expect(leftBy(await changing(spec, broken, { at }, breaking)), Object.keys(at).join()).toBe(old);
  });

  test('a create that was never answered is repeated, three times, before the old one is back', async () => {
    const lost = ['done', 'lost', 'lost', 'lost', 'lost'] as const;
    const world = await changing(spec, broken, { fates: lost }, breaking);
    expect(calls(world).filter((line) => line.startsWith('volume.create')).length).toBeGreaterThan(4);
    expect(leftBy(world)).toBe(old);
  });
});

/**
 * @param to what it is replaced by
 * @param then what is declared at one point instead
 */
async function interrupted(
  to: Partial<Spec>,
  then: Partial<Spec> | undefined,
  check: (world: World, what: string) => void,
): Promise<void> {
  const all = Array.from({ length: points }, (_, point) =>
    // Another seventh of the ways at each point.
    someWays
      .filter((_way, n) => n % 7 === point % 7)
      .map((way, n) => ({ point, way, death: (point + n) % points })),
  ).flat();
  for (const { point, way, death } of all) {
    const at = { [death]: 'dies' as const, [point]: (world: World): void => world.declare(then) };
    const world = await changing(spec, to, { at, fates: way }, to === broken ? breaking : undefined);
    if (world.point > point) check(world, `at ${point}, dies at ${death}, ${way.join()}`);
  }
}

describe('in the middle of it', () => {
  test('it leaves: the old disk, and the new one, as far as it was made', patience, async () => {
    await interrupted(nfs, undefined, (world, what) =>
      expect(anyNew(leftBy(world)), what).toMatch(
        /^removed; ; destroyed disk-1(,new)?$|^removed; ; destroyed new,disk-1$/,
      ),
    );
  });

  test(
    'it is edited back: one disk of the plugin that is declared, or both until a person says which',
    patience,
    async () => {
      await interrupted(nfs, spec, (world, what) =>
        expect(leftBy(world), what).toMatch(
          world.memory.conditions[0]?.reason === 'ReplacementBlocked'
            ? /^declared; disk-1 of ebs as (nothing|holdfast-retired-\w+), disk-\d+ of nfs as data; destroyed $/
            : /^declared; disk-\d+ of ebs as data; destroyed (disk-\d+(,disk-\d+)*)?$/,
        ),
      );
    },
  );

  test('it is edited back once the new one stands: the old disk, with all its data, was once destroyed all the same', async () => {
    const edited = (world: World): void => {
      if (world.service.volumes.get('data')?.PluginID === 'nfs' && world.service.destroyed.length === 0)
        world.declare(spec);
    };
    const at = Object.fromEntries(Array.from({ length: points }, (_, point) => [point, edited]));
    const world = await changing(spec, nfs, { at });
    expect(anyNew(leftBy(world))).toMatch(
      /^declared; disk-1 of ebs as (nothing|holdfast-retired-\w+), new of nfs as data; destroyed $/,
    );
    expect(world.memory.conditions[0]).toMatchObject({
      reason: 'ReplacementBlocked',
      message: expect.stringContaining('its old disk disk-1 is what is declared again'),
    });
    world.declare({ ...spec, deletionPolicy: 'Retain' });
    await world.settle();
    expect(anyNew(leftBy(world))).toBe(
      'declared; disk-1 of ebs as nothing, new of nfs as nothing, new of ebs as data; destroyed ',
    );
  });

  test('it is edited back, where none could be made: the old one', patience, async () => {
    await interrupted(broken, spec, (world, what) =>
      expect(leftBy(world), what).toMatch(/^declared; disk-\d+ of ebs as data; destroyed (disk-1)?$/),
    );
  });

  test(
    'its policy is Retain by then: unless it was destroyed already, the old disk is kept',
    patience,
    async () => {
      await interrupted(nfs, { ...nfs, deletionPolicy: 'Retain' }, (world, what) => {
        const isLate = world.service.destroyed.length > 0;
        const kept = isLate ? '' : 'disk-1 of ebs as nothing, ';
        expect(anyNew(leftBy(world)), what).toBe(
          `declared; ${kept}new of nfs as data; destroyed ${isLate ? 'disk-1' : ''}`,
        );
      });
    },
  );
});

test('under Retain the old disk is kept, and not found again: replaced back, its old contents once came back', async () => {
  const retain = { ...spec, deletionPolicy: 'Retain' } as const;
  const world = await changing(retain, { ...retain, pluginID: 'nfs' }, {});
  world.declare(retain);
  await world.settle();
  expect(anyNew(leftBy(world))).toBe(
    'declared; disk-1 of ebs as nothing, new of nfs as nothing, new of ebs as data; destroyed ',
  );
});

test('what is deleted while a create that nobody answered is refused lets that be after three times, and destroys the old disk', async () => {
  const options = { fates: ['done', 'half'] as const, at: { 5: (w: World) => w.declare(undefined) } };
  const world = await changing(spec, broken, options, breaking);
  expect(leftBy(world)).toBe('removed; ; destroyed disk-1');
  expect(calls(world).filter((call) => call.startsWith('volume.create'))).toHaveLength(1 + 1 + 3); // made, not answered, refused
});
