// A password was published and not everybody was told of it: who was not keeps one that is dead for sure. What fails at the
// directory since, or at the service, is no reason to wait with that, unless the published one is known to be dead as well.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import type { Spec } from '../../../src/kinds/ldap-static-role/schema.ts';
import { goOn, jobsAt, said, tells, versionIn } from './asking.ts';
import { credential, later, outline, recorded, type Given } from './situation.ts';
import { signalled } from './surroundings.ts';
import { World, type Options } from './world.ts';

const many = 10;
const each = (times: number) => Array.from({ length: many }, () => times);

/** The second password is published, and nobody could be told of it yet. */
async function untold(spec: Partial<Spec> = {}, more: Partial<Options> = {}): Promise<World> {
  const world = new World({
    spec: { rotationPeriod: '720h', consumers: [signalled('web')], ...spec },
    ...more,
  });
  jobsAt(world).run('web', many);
  await world.settle();
  world.advance(1_000);
  world.broken.add('nomad');
  world.request('rotate', 't1');
  await world.settle();
  expect([versionIn(world), tells(world, 'web')]).toEqual(['2', each(0)]);
  world.broken.delete('nomad');
  return world;
}

test('everybody is told while the service can not finish the next rotation: until then, the published password works', async () => {
  const world = await untold({}, { fates: ['done', 'done', 'lost'] });
  world.request('rotate', 't2');
  await goOn(world, 20_000);
  expect([world.directory.role?.version, versionIn(world), tells(world, 'web')]).toEqual([2, '2', each(1)]);
  await goOn(world, 120_000); // it is asked for again, as before
  expect([world.directory.role?.version, versionIn(world), tells(world, 'web')]).toEqual([3, '3', each(2)]);
  expect(world.directory.overlaps).toBe(0);
});

test('nobody is told of a password while the service has answered that it set the next one, which a standby does not show yet', async () => {
  const world = await untold();
  world.directory.freeze('ldap.role.read');
  world.request('rotate', 't2');
  await goOn(world, 20_000);
  expect([world.directory.role?.version, versionIn(world), tells(world, 'web')]).toEqual([3, '2', each(0)]);
  world.directory.freeze(undefined);
  await world.settle();
  expect([versionIn(world), tells(world, 'web')]).toEqual(['3', each(1)]);
});

const down = new ApiError('unavailable', 'DirectoryError', 'ldap.role.rotate: connection refused');
const denied = new ApiError('refused', 'PermissionDenied', 'ldap.role.rotate: permission denied');

test('everybody is told while the next rotation fails each time, and it is tried again all the while', async () => {
  const world = await untold();
  world.directory.refusing.set('ldap.role.rotate', down);
  world.request('rotate', 't2');
  await goOn(world, 60_000);
  expect([versionIn(world), tells(world, 'web')]).toEqual(['2', each(1)]);
  world.directory.refusing.clear();
  await world.settle();
  expect([versionIn(world), tells(world, 'web')]).toEqual(['3', each(2)]);
});

test('what the service rotates by itself is published while it may not be asked to rotate: consumers kept a dead password for as long', async () => {
  const world = await untold();
  await world.settle();
  world.directory.refusing.set('ldap.role.rotate', denied);
  world.request('rotate', 't2');
  await world.visit();
  expect(said(world, 'Stalled')).toBe('True PermissionDenied');
  world.directory.rotate();
  await goOn(world, 1_200_000);
  expect([versionIn(world), said(world, 'Stalled')]).toEqual(['3', 'True PermissionDenied']);
});

test('a password that the directory rejects is tried as seldom while a rotation fails each time: each try may lock the account', async () => {
  const world = await untold({ verify: { bind: true } });
  world.directory.rejectsBinds = true;
  world.directory.refusing.set('ldap.role.rotate', down);
  world.directory.rotate();
  await world.visit();
  world.request('rotate', 't2');
  world.directory.binds.length = 0;
  await goOn(world, 240_000);
  expect(world.directory.binds.length).toBeLessThanOrEqual(3);
  world.directory.rejectsBinds = false;
  await goOn(world, 300_000);
  expect(versionIn(world)).toBe('3');
});

test('everybody is told of the password of the last rotation, though a bind that was declared later has no answer', async () => {
  const world = await untold();
  world.directory.isSilent = true;
  world.declare({ ...world.spec, verify: { bind: true } });
  await goOn(world, 60_000);
  expect([tells(world, 'web'), said(world, 'RotationVerified')]).toEqual([each(1), 'Unknown BindPending']);
  world.directory.isSilent = false;
  await world.settle();
  expect(said(world, 'RotationVerified')).toBe('True BindSucceeded');
});

test('nobody is told of a password while the next one, which the service has set, was rejected by nobody: it is dead by all that is known', async () => {
  const world = await untold({ verify: { bind: true } });
  world.directory.isSilent = true;
  world.directory.rotate();
  await goOn(world, 120_000);
  expect([versionIn(world), tells(world, 'web')]).toEqual(['2', each(0)]);
  world.directory.isSilent = false;
  await world.settle();
  expect([versionIn(world), tells(world, 'web')]).toEqual(['3', each(1)]);
});

const failed = (type: 'Reconciling' | 'Stalled', message: string) => ({
  ...recorded,
  conditions: [
    {
      type,
      status: 'True',
      reason: 'DirectoryError',
      message,
      observedGeneration: 1,
      lastTransitionTime: later,
    } as const,
  ],
});

describe('what is left comes before a rotation', () => {
  const job = signalled('web');
  const notification = { instant: recorded.own?.published ?? '', steps: 0, consumers: {} };
  const untoldOf = (more: object = {}): NonNullable<Given['memory']> => ({
    ...recorded,
    own: { ...recorded.own, notification, ...more },
  });
  const asked: Given = { spec: { consumers: [job] }, requests: { rotate: 't1' }, answers: { listed: ['a'] } };
  const unpublished: Given = {
    ...asked,
    rotated: later,
    credential: { ...credential, last_service_rotation: later },
  };
  const rotating = { token: 't1', before: recorded.own?.published ?? '' };
  const request = 'act by ldap.role.rotate';

  test.for<{ why: string; given: Given; expect: string }>([
    {
      why: 'one that was asked for just now comes first',
      given: { ...asked, memory: untoldOf() },
      expect: request,
    },
    {
      why: 'so does one that failed twice',
      given: { ...asked, memory: { ...untoldOf(), tries: { rotate: 2 } } },
      expect: request,
    },
    {
      why: 'one that failed three times comes after those who are to be told',
      given: { ...asked, memory: { ...untoldOf(), tries: { rotate: 3 } } },
      expect: 'act',
    },
    {
      why: 'and is tried again once all are told',
      given: { ...asked, memory: { ...recorded, tries: { rotate: 3 } } },
      expect: request,
    },
    { why: 'it comes before what is to be published', given: unpublished, expect: request },
    {
      why: 'unless it failed last',
      given: { ...unpublished, memory: failed('Reconciling', 'ldap.role.rotate: no answer') },
      expect: 'act by output.write',
    },
    {
      why: 'or was refused last',
      given: { ...unpublished, memory: failed('Stalled', 'ldap.role.rotate: denied') },
      expect: 'act by output.write',
    },
    {
      why: 'not where another call failed',
      given: { ...unpublished, memory: failed('Reconciling', 'ldap.bind: no answer') },
      expect: request,
    },
    {
      why: 'what can not be published now does not hold it up',
      given: { ...asked, rotated: later, memory: failed('Stalled', 'ldap.role.rotate: denied') },
      expect: request,
    },
    {
      why: 'while one has no answer, those are told who are not told yet',
      given: { ...asked, memory: untoldOf({ rotating }) },
      expect: 'act',
    },
    {
      why: 'but not once it was answered',
      given: { ...asked, memory: untoldOf({ rotating: { ...rotating, answered: true } }) },
      expect: 'blocked RotationInProgress until time',
    },
    {
      why: 'nor while another output of the last one is to be published first',
      given: {
        ...asked,
        memory: untoldOf({ rotating }),
        published: { is: 'ours', revision: 'x', whole: true },
      },
      expect: 'blocked RotationInProgress until time',
    },
  ])('$why', ({ given, expect: plan }) => {
    expect(outline(given)).toBe(plan);
  });
});
