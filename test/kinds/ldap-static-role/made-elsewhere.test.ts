// The configuration says that the service binds at another server than declared, as drift leaves it. Making a role rotates its
// password at once: it was set for an account there, and what was published was unknown to the declared directory.
import { expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { said, versionIn } from './asking.ts';
import { outline, planned, recorded, type Given } from './situation.ts';
import { World } from './world.ts';

const astray = 'the service binds at ldap://theirs, unlike /urls declares';
const config = { astray };
const absent: Given = {
  role: 'absent',
  memory: noStatus,
  held: false,
  published: { is: 'absent' },
  config,
};
const lost: Given = { role: 'absent', config };
const keeping = { onCreate: 'Keep' } as const;
const { own: _own, observed: _observed, ...neverRotated } = recorded;
const pending = (op: string) => ({ pending: { op, token: 't' } });
const toDelete = { deleting: true, policy: { deletion: 'Delete' } } as const;

test.for<{ why: string; given: Given }>([
  { why: 'a role that is not there', given: absent },
  {
    why: 'one whose creation was answered by nobody',
    given: { ...absent, held: true, memory: { ...noStatus, ...pending('create') } },
  },
  { why: 'one that was deleted outside', given: lost },
  {
    why: 'one that was deleted outside, and whose password was kept at first: the service lost the next one with it',
    given: { ...lost, spec: keeping },
  },
  {
    why: 'one that was being made again when it was to be deleted: the password would change before it goes',
    given: { ...lost, ...toDelete, memory: { ...recorded, ...pending('revive') } },
  },
])('no role is made there whose password would be rotated: $why', ({ given }) => {
  expect(outline(given)).toBe('stalled AnotherServer until object');
  expect(planned(given)).toMatchObject({
    message: `/configRef: the role is not made, because that rotates its password: ${astray}. Have the configuration corrected, or declare what is there`,
    dueMs: 60_000, // nobody tells that the service was set right
  });
});

test('nor is one changed there that never rotated, because its service would do so then', () => {
  const changed: Given = { config, role: 'never rotated', spec: { rotationPeriod: '2h' } };
  expect(planned(changed)).toMatchObject({
    reason: 'AnotherServer',
    message: `/configRef: the role is not changed, because that rotates its password: ${astray}. Have the configuration corrected, or declare what is there`,
  });
});

test.for<{ why: string; given: Given; expect: string }>([
  {
    why: 'a role that keeps its password is made',
    given: { ...absent, spec: keeping },
    expect: 'create by ldap.role.write',
  },
  {
    why: 'one that was never rotated and keeps its password is made again',
    given: { ...lost, spec: keeping, memory: neverRotated },
    expect: 'revive by ldap.role.write',
  },
  {
    why: 'an edit is written, which rotates nothing',
    given: { config, spec: { rotationPeriod: '2h' } },
    expect: 'update by ldap.role.write /rotationPeriod',
  },
  {
    why: 'what a create may have made is taken back',
    given: { ...absent, ...toDelete, held: true, memory: { ...noStatus, ...pending('create') } },
    expect: 'delete by ldap.role.delete',
  },
])('what sets no password goes on there: $why', ({ given, expect: plan }) => {
  expect(outline(given)).toBe(plan);
});

test('once the configuration is set right, the role is made, rotated once and published', async () => {
  const found: Record<string, string> = { astray };
  const world = new World({ spec: {}, config: found });
  const refused = await world.visit();
  expect([said(world, 'Stalled'), world.directory.role, world.log]).toEqual([
    'True AnotherServer',
    undefined,
    ['status'],
  ]);
  expect(refused?.requeueMs).toBeLessThanOrEqual(60_000);
  delete found['astray'];
  world.advance(refused?.requeueMs ?? Infinity);
  await world.settle();
  expect([said(world, 'Ready'), versionIn(world)]).toEqual(['True InSync', '1']);
});
