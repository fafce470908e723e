// Whether a rotation is overdue is told by the date of the machine and by how long this process looks. The date may be wrong; the
// service tells by its own clock how long it is until the next rotation.
import { expect, test } from 'vitest';
import { goOn, said, settled } from './asking.ts';
import { World } from './world.ts';

const minuteMs = 60_000;
const dayMs = 1_440 * minuteMs;

/** The machine's date is a day ahead of the service's, and an hour goes by. */
async function ahead(spec: { readonly output?: { readonly secretName: string } }) {
  const world = await settled({ spec: { rotationPeriod: '6h', ...spec } });
  world.aheadMs = dayMs;
  for (let minute = 0; minute < 60; minute++) {
    world.advance(minuteMs);
    await world.settle();
  }
  return world;
}

test('a date that is a day ahead said of each rotation that the next one is overdue', async () => {
  const world = await ahead({});
  expect(said(world, 'RotationVerified')).toBe('True Published');
  const written = world.log.length;
  world.advance(minuteMs);
  await world.settle();
  expect(world.log.slice(written)).toEqual([]);
});

test('a service that stands still, and says so, is told all the same', async () => {
  const world = await ahead({});
  world.directory.isStuck = true;
  world.advance(dayMs / 4);
  await world.settle();
  expect(said(world, 'RotationVerified')).toBe('False RotationOverdue');
});

test('where the service can not be asked, the date decides', async () => {
  const world = await ahead({});
  world.directory.failing.add('ldap.credential.read');
  world.advance(minuteMs);
  await world.settle();
  expect([said(world, 'RotationVerified'), said(world, 'Ready')]).toEqual([
    'False RotationOverdue',
    'True InSync',
  ]);
});

test.for([
  { what: 'with an output', spec: { output: { secretName: 'app-login' } }, ready: 'False AwaitingRotation' },
  { what: 'without one', spec: {}, ready: 'True InSync' },
])('the first rotation that never came was told to nobody: $what', async ({ spec, ready }) => {
  const world = new World({ spec: { rotationPeriod: '6h', onCreate: 'Keep' } });
  const { output: _output, ...base } = world.spec;
  world.object = { ...world.object, spec: { ...base, ...spec } };
  const saidAfter = async (ms: number) => {
    await goOn(world, ms);
    await world.visit();
    return said(world, 'RotationVerified');
  };
  expect(await saidAfter(dayMs / 4)).toBe('False NeverRotated');
  expect(await saidAfter(9 * minuteMs)).toBe('False NeverRotated');
  expect(await saidAfter(minuteMs)).toBe('False RotationOverdue');
  expect([said(world, 'Ready'), world.memory.own]).toEqual([ready, { overdue: '' }]);
  const written = world.log.length;
  world.restart();
  expect(await saidAfter(minuteMs)).toBe('False RotationOverdue'); // once, whatever process looks
  expect(world.log.slice(written)).toEqual([]);
  world.directory.rotate();
  expect(await saidAfter(minuteMs)).toBe('output' in spec ? 'True Published' : 'True NotRequested');
  expect(world.memory.own).not.toHaveProperty('overdue');
});

test('by the date alone, no rotation is overdue before it was looked at for ten minutes', async () => {
  const world = new World({ spec: { rotationPeriod: '6h' } });
  const { output: _output, ...spec } = world.spec; // so nobody asks the service
  world.object = { ...world.object, spec };
  world.aheadMs = dayMs;
  const saidAfter = async (minutes: number) => {
    await goOn(world, minutes * minuteMs);
    return said(world, 'RotationVerified');
  };
  expect(await saidAfter(9)).toBe('True NotRequested');
  world.directory.rotate();
  expect(await saidAfter(9)).toBe('True NotRequested');
  expect(await saidAfter(3)).toBe('False RotationOverdue');
});
