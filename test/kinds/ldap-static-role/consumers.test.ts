// LDAPStaticRole under the real reconciler: who is told of a new password, how often and at which pace.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { consumersOf, isJob, stateOf, turnOf, viaOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import type { ConsumerProgress } from '../../../src/kinds/ldap-static-role/own.ts';
import { jobsAt, said, settled, tells } from './asking.ts';
import { declared, restarted, signalled } from './surroundings.ts';
import { World } from './world.ts';

describe('consumers', () => {
  const two = [signalled('web'), restarted('api', { maxParallel: 2 })];

  test('are told of a second password, each allocation once, at the pace that is given', async () => {
    const world = new World({ spec: { consumers: two } });
    jobsAt(world).run('web', 3);
    jobsAt(world).run('api', 5);
    await world.settle();
    expect(tells(world, 'web')).toEqual([0, 0, 0]); // they started with the first
    world.request('rotate', 't1');
    await world.settle();
    expect([tells(world, 'web'), tells(world, 'api')]).toEqual([
      [1, 1, 1],
      [1, 1, 1, 1, 1],
    ]);
    expect(jobsAt(world).mostAtOnce).toBe(2);
    expect(said(world, 'ConsumersNotified')).toBe('True Notified');
    expect(world.memory.own).not.toHaveProperty('notification');
  });

  test('are told after the password was published, never before', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    world.request('rotate', 't1');
    await world.settle();
    expect(world.log.indexOf('allocation.signal')).toBeGreaterThan(world.log.lastIndexOf('publish'));
  });

  test('that are many take several visits, and say how far it is', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 60);
    await world.settle();
    world.request('rotate', 't1');
    await world.visit();
    expect(said(world, 'Ready')).toBe('False NotificationInProgress');
    await world.settle();
    expect(tells(world, 'web')).toEqual(Array.from({ length: 60 }, () => 1));
  });

  test('that ended meanwhile are not waited for', async () => {
    const world = new World({ spec: { consumers: [restarted('api')] } });
    const [first = '', second = ''] = jobsAt(world).run('api', 3);
    await world.settle();
    world.request('rotate', 't1');
    await world.visit(); // the first is restarting
    jobsAt(world).end(first);
    jobsAt(world).end(second);
    await world.settle();
    expect(tells(world, 'api')).toEqual([1, 0, 1]);
  });

  test('whose scheduler can not be used hold up nobody but themselves, and are told when it can', async () => {
    const unreachable = { job: { connectionRef: { name: 'other' }, id: 'far', action: 'Signal' as const } };
    const world = new World({ spec: { consumers: [unreachable, signalled('web')] } });
    jobsAt(world, 'other').run('far', 1);
    jobsAt(world).run('web', 1);
    world.broken.add('other');
    await world.settle();
    world.request('rotate', 't1');
    await world.settle();
    expect(tells(world, 'web')).toEqual([1]);
    expect([said(world, 'Ready'), said(world, 'ConsumersNotified')]).toEqual([
      'True InSync',
      'False NotificationFailed',
    ]);
    expect(conditionOf(world.memory.conditions, 'ConsumersNotified')?.message).toMatch(
      /^\/consumers\/0: .*no leader$/,
    );
    world.broken.clear();
    await world.settle();
    expect(Object.values(jobsAt(world, 'other').told('far'))).toHaveLength(1);
    expect([tells(world, 'web'), said(world, 'ConsumersNotified')]).toEqual([[1], 'True Notified']);
  });

  test('whose calls fail come after those whose calls do not', async () => {
    const world = new World({
      spec: { consumers: [signalled('bad'), signalled('web')] },
      fates: ['done', 'done', 'lost'],
    });
    jobsAt(world).run('bad', 1);
    jobsAt(world).run('web', 2);
    await world.settle();
    world.request('rotate', 't1');
    await world.visit();
    await world.visit();
    expect([tells(world, 'bad'), tells(world, 'web')]).toEqual([[0], [1, 1]]);
    await world.settle();
    expect(tells(world, 'bad')).toEqual([1]);
  });

  test('that never come back from a restart are named, hold up nobody else, and end it once they are back', async () => {
    const world = new World({
      spec: { consumers: [restarted('api'), restarted('db'), signalled('web')] },
    });
    const [hanging = '', next = ''] = jobsAt(world).run('api', 2);
    const [other = ''] = jobsAt(world).run('db', 1);
    jobsAt(world).run('web', 1);
    for (const id of [hanging, other]) jobsAt(world).comesBack(id, false);
    await world.settle();
    world.request('rotate', 't1');
    await world.settle();
    expect(tells(world, 'web')).toEqual([1]);
    // The rest of its own job waits for it: a job that does not come back is not taken down further.
    expect(tells(world, 'api')).toEqual([1, 0]);
    expect(conditionOf(world.memory.conditions, 'ConsumersNotified')).toMatchObject({
      status: 'False',
      reason: 'NotificationFailed',
      message: `/consumers/0: job api: told to restart and not running again since: ${hanging}; /consumers/1: job db: told to restart and not running again since: ${other}`,
    });
    expect([said(world, 'Ready'), said(world, 'RotationVerified')]).toEqual([
      'True InSync',
      'True Published',
    ]);
    const rested = await world.visit();
    expect(rested?.requeueMs).toBeLessThan(90_000);

    jobsAt(world).comesBack(hanging, true);
    jobsAt(world).comesBack(other, true);
    await world.settle();
    expect([tells(world, 'api'), tells(world, 'db')]).toEqual([[1, 1], [1]]);
    expect(Object.keys(jobsAt(world).told('api'))).toEqual([hanging, next]);
    expect(said(world, 'ConsumersNotified')).toBe('True Notified');
    expect(world.memory.own).not.toHaveProperty('notification');
  });

  test.for([signalled('web'), restarted('web')])(
    'are told although not all tasks of an allocation run: $job.action',
    async (consumer) => {
      const world = new World({ spec: { consumers: [consumer] } });
      const [first = '', second = ''] = jobsAt(world).run('web', 3);
      const waiting = { State: 'pending', Restarts: 0, Events: [] };
      jobsAt(world).has(first, { cleanup: waiting });
      jobsAt(world).has(second, { init: { State: 'dead', Restarts: 0, Events: [] } });
      await world.settle();
      world.request('rotate', 't1');
      await world.settle();
      expect([tells(world, 'web'), said(world, 'ConsumersNotified')]).toEqual([[1, 1, 1], 'True Notified']);
    },
  );

  test.for([
    { why: 'is on a node that is disconnected', is: 'unknown' },
    { why: 'starts, and may have read the old password before', is: 'pending' },
  ] as const)('of which one $why: it is named, told once it runs, and holds up nobody', async ({ is }) => {
    const world = new World({ spec: { consumers: [signalled('web'), signalled('api')] } });
    const [away = ''] = jobsAt(world).run('web', 3);
    jobsAt(world).run('api', 1);
    await world.settle();
    jobsAt(world).shows(away, is);
    world.request('rotate', 't1');
    await world.settle();
    expect([tells(world, 'web'), tells(world, 'api')]).toEqual([[0, 1, 1], [1]]);
    expect(conditionOf(world.memory.conditions, 'ConsumersNotified')).toMatchObject({
      status: 'False',
      reason: 'NotificationFailed',
      message: `/consumers/0: job web: not told, because it does not run: ${away}`,
    });
    expect(said(world, 'Ready')).toBe('True InSync');
    const { length } = world.log;
    await world.settle();
    expect(world.log.slice(length)).toEqual([]); // nothing is written while it is away
    jobsAt(world).shows(away, '');
    await world.settle();
    expect([tells(world, 'web'), said(world, 'ConsumersNotified')]).toEqual([[1, 1, 1], 'True Notified']);
  });

  test('that come later, or say something else, are told of the next password', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    world.request('rotate', 't1');
    await world.settle();
    world.declare({ consumers: [signalled('web', { signal: 'SIGUSR1' })] });
    await world.settle();
    expect(tells(world, 'web')).toEqual([1]);
  });

  test('that are declared otherwise while they are told are told anew, as they are declared now', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 20);
    await world.settle();
    world.request('rotate', 't1');
    await world.visit();
    expect(tells(world, 'web')[0]).toBe(1);
    world.declare({ consumers: [signalled('web', { signal: 'SIGUSR1' })] });
    await world.settle();
    expect([tells(world, 'web')[0], tells(world, 'web').at(-1)]).toEqual([2, 1]);
  });

  test('in Kubernetes are named as what can not be told here', async () => {
    const workload = { workload: { kind: 'Deployment' as const, name: 'web' } };
    const world = await settled({ spec: { consumers: [workload] } });
    expect([said(world, 'Ready'), said(world, 'ConsumersNotified')]).toEqual([
      'True InSync',
      'False WorkloadsNotSupported',
    ]);
  });

  test('are left alone while nothing rotates: their scheduler is not asked', async () => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    await world.settle();
    expect(jobsAt(world).lists).toBe(0);
  });
});

/** Whom the next step asks about, of a job whose allocations are told one after the other. */
function asksFor(told: ConsumerProgress): readonly string[] | undefined {
  const consumers = [restarted('api', { maxParallel: 1 })];
  const spec = declared({ consumers });
  const [consumer] = consumersOf(spec, false).filter(isJob);
  if (!consumer) throw new Error('nobody is to be told');
  const own = { notification: { instant: 'x', steps: 0, consumers: { [consumer.key]: told } } };
  const resolved = new Map([[viaOf(consumer), { state: 'ready', outputs: {} } as const]]);
  return turnOf({ spec, resolved, status: { ...noStatus, own } }, { restarts: false, problems: {} })?.ask;
}

test('a call that was not seen yet is looked at before anything else, whatever the pace is by now', () => {
  const open = { allocation: 'a', event: '0', restarts: '0' };
  expect(asksFor({ left: ['a'], under: { b: '0' }, succeeded: 0, open })).toEqual(['a']);
});

test('of those that do not run, some are looked at again at a time: each costs a read', () => {
  const late = Array.from({ length: 60 }, (_, n) => `a${n}`);
  expect(asksFor({ left: late, under: {}, succeeded: 0, late })).toEqual(late.slice(0, 50));
});

test('an allocation of which no task is known yet has not ended', () => {
  const [consumer] = consumersOf(declared({ consumers: [signalled('web')] }), false).filter(isJob);
  if (!consumer) throw new Error('nobody is to be told');
  const shown = { ID: 'a1', JobID: 'web', DesiredStatus: 'run', ClientStatus: 'pending', TaskStates: null };
  expect(stateOf(consumer.job, shown)).toMatchObject({ ended: false, running: false });
  const dead = { ...shown, TaskStates: { app: { State: 'dead', Restarts: 0, Events: [] } } };
  expect(stateOf(consumer.job, dead)).toMatchObject({ ended: true });
});
