// The configuration says that the service binds at another server than declared, as drift leaves it. A rotation would set the
// password of an account there, and what was published was unknown to the declared directory.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { said, tells, jobsAt, versionIn } from './asking.ts';
import { later, credential, outline, planned, recorded, type Given } from './situation.ts';
import { signalled, startMs } from './surroundings.ts';
import { World } from './world.ts';

const astray = 'the service binds at ldap://theirs, unlike /urls declares';
const asked: Given = { requests: { rotate: 't1' }, config: { astray } };
const rotating = { token: 't1', before: recorded.own?.published ?? '' };

test('a rotation is refused there, and says why and what helps', () => {
  expect(outline(asked)).toBe('stalled AnotherServer until object');
  expect(planned(asked)).toMatchObject({
    message: `/configRef: a rotation was asked for, and the password is not rotated: ${astray}. Have the configuration corrected, or declare what is there`,
  });
});

test('a rotation whose request was lost is not asked for again there', () => {
  const memory = { ...recorded, own: { ...recorded.own, rotating } };
  expect(outline({ ...asked, memory, nowMs: startMs + 100_000 })).toBe('stalled AnotherServer until object');
});

test('who asks for no rotation is not held up', () => {
  expect(outline({ config: { astray } })).toBe('in-sync');
  const missed = { ...recorded, own: { ...recorded.own, rotating } };
  expect(outline({ config: { astray }, memory: missed, nowMs: startMs + 100_000 })).toBe('act');
});

test('what the service rotated by itself is published although a request is refused', () => {
  expect(
    outline({ ...asked, rotated: later, credential: { ...credential, last_service_rotation: later } }),
  ).toBe('act by output.write');
});

test.for([
  { why: 'within a minute', seconds: 2_592_000, dueMs: 60_000 },
  { why: 'when the service rotates by itself, which is published', seconds: 10, dueMs: 12_000 },
])('nobody tells that the service was set right: it is looked at $why', ({ seconds, dueMs }) => {
  const spec = { rotationPeriod: `${seconds}s` };
  expect(planned({ ...asked, spec, role: { rotation_period: seconds } })).toMatchObject({ dueMs });
});

test('once the configuration is set right, the same request is carried out, once, and its consumers are told', async () => {
  const config: Record<string, string> = {};
  const world = new World({ spec: { rotationPeriod: '720h', consumers: [signalled('web')] }, config });
  jobsAt(world).run('web', 1);
  await world.settle();
  config['astray'] = astray;
  world.request('rotate', 't1');
  const refused = await world.visit();
  expect([said(world, 'Ready'), world.directory.rotations, versionIn(world)]).toEqual([
    'False AnotherServer',
    [],
    '1',
  ]);
  expect(conditionOf(world.memory.conditions, 'Stalled')?.message).toContain(astray);
  expect(refused?.requeueMs).toBeLessThanOrEqual(60_000);
  delete config['astray'];
  world.advance(refused?.requeueMs ?? Infinity);
  await world.settle();
  expect([said(world, 'Ready'), world.directory.rotations.length, versionIn(world)]).toEqual([
    'True InSync',
    1,
    '2',
  ]);
  expect([tells(world, 'web'), world.memory.handledRequests]).toEqual([[1], { rotate: 't1' }]);
});
