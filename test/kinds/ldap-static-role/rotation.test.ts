// LDAPStaticRole under the real reconciler: from a token, or from the clock, to a password that is published.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { said, settled, textOf, versionIn } from './asking.ts';
import { canary } from './services.ts';
import { signalled } from './surroundings.ts';
import { World } from './world.ts';

const hourMs = 3_600_000;

test('a role that is declared is made, rotated and published in one visit, and then nothing is done or read', async () => {
  const world = await settled({ spec: {} });
  expect(world.log).toEqual(['hold', 'ldap.role.write', 'publish', 'status']);
  expect(versionIn(world)).toBe('1');
  expect([said(world, 'Ready'), said(world, 'RotationVerified')]).toEqual(['True InSync', 'True Published']);
  const { reads } = world.directory;
  const again = await world.visit();
  expect(world.log.slice(4)).toEqual([]);
  expect(world.directory.reads).toBe(reads);
  expect(again?.requeueMs).toBe(50_000); // sooner than the rotation, which is due in an hour
});

test('nothing that is remembered, said or logged holds a password', async () => {
  const world = await settled({ spec: { consumers: [signalled('web')] } });
  expect(textOf(world, 'password')).toContain(canary); // else it would prove nothing
  expect(JSON.stringify([world.memory, world.log, world.output])).not.toContain(canary);
});

describe('a rotation', () => {
  test('that was asked for happens once, and its password is published', async () => {
    const world = await settled({ spec: {} });
    world.request('rotate', 't1');
    await world.settle();
    expect(world.directory.rotations).toHaveLength(1);
    expect(versionIn(world)).toBe('2');
    expect(world.memory.handledRequests).toEqual({ rotate: 't1' });
    await world.settle();
    expect(world.directory.rotations).toHaveLength(1);
  });

  test('that was asked for before the object was there is not for it', async () => {
    const world = new World({ spec: {} });
    world.request('rotate', 'old');
    await world.settle();
    expect(world.directory.rotations).toEqual([]);
  });

  test('that somebody else makes is published within a minute, also with the jitter', async () => {
    const world = await settled({ spec: {} });
    world.directory.rotate();
    world.advance(50_000 * 1.1);
    await world.settle();
    expect(versionIn(world)).toBe('2');
  });

  test('that the service makes by itself is published when it is due, without a request', async () => {
    const world = await settled({ spec: { rotationPeriod: '5m', drift: { interval: '10m' } } });
    const visit = await world.settle();
    expect(visit.requeueMs).toBe(302_000);
    world.advance(visit.requeueMs ?? 0);
    expect(versionIn(world)).toBe('1');
    await world.settle();
    expect(versionIn(world)).toBe('2');
  });

  test('that is overdue is looked for soon, and less and less often', async () => {
    const world = await settled({ spec: { rotationPeriod: '5m', drift: { interval: '10m' } } });
    const waits: (number | undefined)[] = [];
    for (const late of [302_000, 5_000, 10_000, 100_000, 2_000_000]) {
      world.nowMs += late; // the service stands still
      waits.push((await world.settle()).requeueMs);
    }
    expect(waits).toEqual([5_000, 5_000, 15_000, 115_000, 600_000]);
  });

  test('that is missing is said after ten minutes, once, until it comes after all', async () => {
    const world = await settled({ spec: { rotationPeriod: '1h' } });
    world.directory.isStuck = true;
    const saidAfter = async (ms: number) => {
      world.advance(ms);
      await world.settle();
      return said(world, 'RotationVerified');
    };
    expect(await saidAfter(hourMs)).toBe('True Published');
    expect(await saidAfter(599_000)).toBe('True Published');
    expect(await saidAfter(60_000)).toBe('False RotationOverdue');
    expect(conditionOf(world.memory.conditions, 'RotationVerified')?.message).toBe(
      'the service rotates it every 3600 s, and did not when it was due',
    );
    expect(said(world, 'Ready')).toBe('True InSync'); // what is published works
    const written = world.log.length;
    expect(await saidAfter(hourMs)).toBe('False RotationOverdue');
    expect(world.log.slice(written)).toEqual([]);
    world.directory.rotate();
    expect(await saidAfter(1_000)).toBe('True Published');
    expect(world.memory.own).not.toHaveProperty('overdue');
  });

  test('is not missed by a process that only just began to look', async () => {
    const world = await settled({ spec: { rotationPeriod: '1h' } });
    world.nowMs += 3 * hourMs;
    world.restart();
    await world.settle();
    expect(said(world, 'RotationVerified')).toBe('True Published');
  });

  test.for<{ why: string; fate: 'late' | 'lost' | 'unanswered'; rotations: number }>([
    { why: 'went on in the background is waited for', fate: 'late', rotations: 1 },
    { why: 'never came is asked for again', fate: 'lost', rotations: 1 },
    { why: 'was made all the same is not made again', fate: 'unanswered', rotations: 1 },
  ])('whose answer was lost and that $why', async ({ fate, rotations }) => {
    const world = await settled({ spec: {}, fates: ['done', fate] });
    world.request('rotate', 't1');
    const failed = await world.visit();
    expect(failed?.ending.is).toBe('failed');
    await world.settle();
    expect(world.directory.rotations).toHaveLength(rotations);
    expect(world.directory.overlaps).toBe(0);
    expect(versionIn(world)).toBe('2');
    expect(world.memory).not.toHaveProperty('pending');
  });

  test('that was answered is waited for until it is seen, for a standby may hang behind', async () => {
    const world = await settled({ spec: {} });
    world.directory.freeze('ldap.role.read');
    world.request('rotate', 't1');
    await world.visit();
    expect(said(world, 'Ready')).toBe('False RotationInProgress');
    expect(world.memory.handledRequests).toEqual({});
    world.directory.freeze(undefined);
    await world.settle();
    expect([world.directory.rotations.length, versionIn(world)]).toEqual([1, '2']);
    expect(world.memory.handledRequests).toEqual({ rotate: 't1' });
  });

  test('is not published with the password of another one', async () => {
    const world = await settled({ spec: {} });
    world.directory.freeze('ldap.credential.read');
    world.request('rotate', 't1');
    const visit = await world.visit();
    expect([said(world, 'Ready'), versionIn(world), visit?.requeueMs]).toEqual([
      'False CredentialNotReady',
      '1',
      2_000,
    ]);
    world.directory.freeze(undefined);
    await world.settle();
    expect(versionIn(world)).toBe('2');
  });

  test('that may be under way is not forgotten over an edit', async () => {
    const world = await settled({ spec: {}, fates: ['done', 'late'] });
    world.request('rotate', 't1');
    await world.visit();
    world.declare({ rotationPeriod: '2h' });
    await world.visit();
    expect(world.directory.role?.periodSeconds).toBe(7_200);
    expect(said(world, 'Ready')).toBe('False RotationInProgress');
    await world.settle();
    expect([world.directory.rotations.length, world.directory.overlaps]).toEqual([1, 0]);
  });

  test('that nobody asks for any more is given up once it can not be under way', async () => {
    const world = await settled({ spec: {}, fates: ['done', 'lost'] });
    world.request('rotate', 't1');
    await world.visit();
    world.object = { ...world.object, requests: {} };
    await world.settle();
    expect(world.directory.rotations).toEqual([]);
    expect([versionIn(world), said(world, 'Ready')]).toEqual(['1', 'True InSync']);
  });

  test('is published while a field that never changes stands in the way', async () => {
    const world = await settled({ spec: {} });
    world.declare({ username: 'other' });
    world.request('rotate', 't1');
    await world.visit();
    expect(versionIn(world)).toBe('2');
    expect(said(world, 'Stalled')).toBe('True ImmutableFieldChanged');
  });
});

describe('a password that was kept', () => {
  test('can not be published: the role is made, and not ready', async () => {
    const world = new World({ spec: { onCreate: 'Keep', rotationPeriod: '5m', drift: { interval: '10m' } } });
    const visit = await world.visit();
    expect(world.directory.instant).toBe('');
    expect([said(world, 'Ready'), said(world, 'RotationVerified')]).toEqual([
      'False AwaitingRotation',
      'False NeverRotated',
    ]);
    expect([visit?.requeueMs, world.output]).toEqual([302_000, undefined]);
    expect(visit?.ending).toMatchObject({ plan: { wake: { on: 'time' } } }); // one pass waits for it
  });

  test('is not waited for longer than for anything else, however long the period is', async () => {
    const visit = await new World({ spec: { onCreate: 'Keep', rotationPeriod: '24h' } }).visit();
    expect(visit?.requeueMs).toBe(50_000);
    expect(visit?.ending).toMatchObject({ plan: { wake: { on: 'live' } } }); // one pass does not wait for a day
  });

  test('is published once it was rotated', async () => {
    const world = new World({ spec: { onCreate: 'Keep' } });
    await world.visit();
    world.request('rotate', 't1');
    await world.settle();
    expect([versionIn(world), said(world, 'Ready')]).toEqual(['1', 'True InSync']);
  });

  test('is all right where nothing is to be published', async () => {
    const world = new World({ spec: { onCreate: 'Keep' } });
    const { output: _output, ...spec } = { ...world.spec };
    world.object = { ...world.object, spec };
    await world.settle();
    expect([said(world, 'Ready'), world.directory.reads]).toEqual(['True InSync', 0]);
  });
});

describe('what a role says of itself', () => {
  test.for<{ why: string; says: Record<string, unknown>; ready: string }>([
    { why: 'is no time', says: { last_service_rotation: 'yesterday' }, ready: 'False InvalidResponse' },
    { why: 'lacks the user', says: { username: null }, ready: 'False InvalidResponse' },
    { why: 'lacks the period', says: { rotation_period: '1h' }, ready: 'False InvalidResponse' },
    {
      why: 'is the time that stands for never',
      says: { last_service_rotation: '0001-01-01T00:00:00Z' },
      ready: 'False AwaitingRotation',
    },
  ])('$why', async ({ says, ready }) => {
    const world = new World({ spec: {} });
    world.directory.says = says;
    await world.visit();
    expect([said(world, 'Ready'), world.output]).toEqual([ready, undefined]);
  });

  test('in another zone or to another precision is no other rotation', async () => {
    const world = await settled({ spec: {} });
    const { log } = world;
    const { length } = log;
    const east = new Date(Date.parse(world.directory.instant) + 2 * hourMs).toISOString();
    world.directory.says = { last_service_rotation: east.replace('Z', '123456+02:00') };
    await world.settle();
    expect(log.slice(length)).toEqual([]);
  });
});

test('the password of a role that is not ours is not read', async () => {
  const world = new World({ spec: {} });
  world.directory.perform({
    port: 'secrets',
    op: 'ldap.role.write',
    params: { mount: 'ldap', role: 'app' },
    body: { username: 'app', dn: 'uid=app,dc=example,dc=org', rotation_period: 3_600 },
  });
  await world.visit();
  expect([said(world, 'Ready'), world.directory.reads]).toEqual(['False AdoptionRefused', 0]);
  expect(world.memory.conditions.map((c) => c.type)).not.toContain('RotationVerified');
});
