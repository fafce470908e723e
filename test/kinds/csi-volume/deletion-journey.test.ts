// A volume is deleted in three calls, and everything else may happen between them: answers that get lost, the process that
// dies, the volume declared again. Whatever happens, no disk is left that nobody knows, none is destroyed that is declared.
import { describe, expect, test } from 'vitest';
import type { Policy } from '../../../src/core/planning/policy.ts';
import { changing, deaths, leftBy, ways } from './journeys.ts';
import type { Fate, World } from './world.ts';

const spec = { deletionPolicy: 'Delete' } as const;
const patience = { timeout: 60_000 };
/** More than there are. */
const points = 22;
const gone = 'removed; ; destroyed disk-1';
const kept = 'declared; disk-1 of ebs as data; destroyed ';

test('it is deregistered, then destroyed under an ID that nobody knows: a claim in between finds nothing', async () => {
  const world = await changing(spec, undefined, {});
  const calls = world.log.slice(world.log.indexOf('volume.deregister data: done'));
  expect(calls.filter((line) => line.startsWith('volume.'))).toEqual([
    'volume.deregister data: done',
    expect.stringMatching(/^volume.register holdfast-retired-n\d+: done$/),
    expect.stringMatching(/^volume.delete holdfast-retired-n\d+: done$/),
  ]);
  expect(leftBy(world)).toBe(gone);
});

test('two lost answers in a row once left the disk, which nobody knew any more', patience, async () => {
  for (const way of ways(4))
    expect(leftBy(await changing(spec, undefined, { fates: way })), way.join()).toBe(gone);
});

test('a removal that never arrived was never repeated: the object stayed for ever', patience, async () => {
  const world = await changing(spec, undefined, { fates: ['lost'] });
  expect(world.log.filter((line) => line.startsWith('volume.deregister'))).toHaveLength(2);
});

test('wherever the process dies, the next one goes on', patience, async () => {
  for (const at of deaths(points))
    expect(leftBy(await changing(spec, undefined, { at })), Object.keys(at).join()).toBe(gone);
});

/** Declared again at that point: what is left, and what should be. Until the last call the old disk is there. */
async function declaredAgain(
  deletionPolicy: Policy['deletion'],
  point: number,
  way: readonly Fate[],
  death?: number,
): Promise<{ readonly left: string; readonly end: RegExp }> {
  let logged = -1;
  const again = (world: World): void => {
    world.declare({ deletionPolicy });
    logged = world.log.length;
  };
  const at = { ...(death !== undefined && { [death]: 'dies' as const }), [point]: again };
  const world = await changing(spec, undefined, { at, fates: way });
  const ready = world.memory.conditions.find(({ type }) => type === 'Ready')?.status;
  const left = `${leftBy(world)}${logged < 0 ? '' : ` ${ready}`}`;
  if (logged < 0) return { left, end: /^removed; ; destroyed disk-1$/ };
  const isLate = world.log.slice(0, logged + 1).some((line) => line.startsWith('volume.delete '));
  return {
    left,
    end: isLate
      ? /^declared; disk-\d+ of ebs as data; destroyed (disk-1)? True$/
      : /^declared; disk-1 of ebs as data; destroyed {2}True$/,
  };
}

describe.for(['Delete', 'Deregister', 'Retain'] as const)('declared again, under %s', (deletionPolicy) => {
  const all = Array.from({ length: points }, (_, point) => point);

  test(
    'at any point, whatever answer gets lost: the old disk is back, or a new one stands',
    patience,
    async () => {
      for (const point of all)
        for (const way of ways(3)) {
          const { left, end } = await declaredAgain(deletionPolicy, point, way);
          expect(left, `at ${point}, ${way.join()}`).toMatch(end);
        }
    },
  );

  test('at any point, wherever the process dies before or after', patience, async () => {
    for (const point of all)
      for (const death of all.filter((one) => one !== point)) {
        const { left, end } = await declaredAgain(deletionPolicy, point, [], death);
        expect(left, `at ${point}, dies at ${death}`).toMatch(end);
      }
  });
});

test('declared again and removed again, it goes as if nothing had been', patience, async () => {
  const pairs = Array.from({ length: points }, (_, n) => [n, n + 1 + ((n * 3) % 7)] as const);
  const lost = ways(3).filter((_, n) => n % 4 === 0);
  for (const [point, later] of pairs)
    for (const way of lost) {
      const at = {
        [point]: (world: World) => world.declare(spec),
        [later]: (world: World) => world.declare(undefined),
      };
      const world = await changing(spec, undefined, { at, fates: way });
      const end = world.object.deleting
        ? /^removed; ; destroyed disk-1(,disk-\d+)?$/
        : /^declared; disk-\d+ of ebs as data; destroyed (disk-1)?$/;
      expect(leftBy(world), `${point} ${later} ${way.join()}`).toMatch(end);
    }
});

const claim = (world: World): void => void world.service.claims.set('data', 'a1');

test.for([
  { why: 'before it begins', point: 0 },
  { why: 'after its intent', point: 1 },
  { why: 'right before the call', point: 2 },
])('a claim $why stops it, and it goes on afterwards', async ({ point }) => {
  const world = await changing(spec, undefined, { at: { [point]: claim } });
  expect(leftBy(world)).toBe(kept);
  world.service.claims.clear();
  await world.settle();
  expect(leftBy(world)).toBe(gone);
});

test(
  'somebody who registers the disk elsewhere meanwhile keeps it, up to the last call',
  patience,
  async () => {
    for (let point = 0; point < points; point++) {
      let registered = -1;
      const register = ({ service, log }: World): void => {
        if (!service.disks.has('disk-1')) return;
        registered = log.length;
        service.put('copy', 'disk-1', 'copy');
      };
      const world = await changing(spec, undefined, { at: { [point]: register } });
      if (registered < 0) continue;
      // Between the last look and the call nobody is heard: that is the call right after it.
      const isLate = world.log[registered]?.startsWith('volume.delete ') === true;
      expect(world.service.disks.has('disk-1'), `at ${point}: ${leftBy(world)}`).toBe(!isLate);
    }
  },
);
