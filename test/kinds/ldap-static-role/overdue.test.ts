// Whether a rotation is overdue is told by the date of the machine and by how long this process looks. The date may be wrong; the
// service tells by its own clock how long it is until the next rotation.
import { expect, test } from 'vitest';
import { said, settled } from './asking.ts';

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
