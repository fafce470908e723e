// Workloads that consume a password: restarted where the source can, once for each rotation, and named where they can't be.
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/core/errors.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { Status } from '../../../src/core/status/status.ts';
import { attemptOf, consumersOf } from '../../../src/kinds/ldap-static-role/consumers.ts';
import { parseOwn, type Own } from '../../../src/kinds/ldap-static-role/own.ts';
import { jobsAt, said, tells } from './asking.ts';
import { credential, firstStep, instant, later, planned, recorded, type Given } from './situation.ts';
import { declared, signalled } from './surroundings.ts';
import { World } from './world.ts';

const workload = (name: string, kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' = 'Deployment') => ({
  workload: { kind, name },
});
const consumers = [workload('web'), signalled('api'), workload('agent', 'DaemonSet')];
const [web, api, agent] = consumersOf(declared({ consumers }), true);
if (!web || !api || !agent) throw new Error('three are declared');
const done = { left: [], under: {}, succeeded: 0 };

/** A role whose password was published, with consumers of whom some are told. */
const notification = (
  told: readonly string[],
  { tries = {}, steps = 0, ...answers }: Given['answers'] & { tries?: Status['tries']; steps?: number } = {},
): Given => {
  const own = { published: instant, notification: { instant, steps, consumers: {} } };
  const all = Object.fromEntries(told.map((key) => [key, done]));
  const memory: Status<Own> = {
    ...recorded,
    tries,
    own: { ...own, notification: { ...own.notification, consumers: all } },
  };
  return { spec: { consumers }, memory, answers: { restarts: true, ...answers } };
};

describe('a restart', () => {
  test('is one step, through the source, with the rotation as its token: the pod template remembers it, so no intent does', () => {
    const step = firstStep(notification([]));
    expect(step).toEqual({
      verb: 'act',
      summary: 'restart Deployment web',
      retryMs: 2_000, // another one is to be told
      changes: [],
      identity: recorded.identity,
      effect: {
        port: 'source',
        op: 'workload.restart',
        workload: { kind: 'Deployment', name: 'web' },
        token: instant,
      },
      attempt: `consumer ${web.key} ${instant}`,
      own: { published: instant, notification: { instant, steps: 1, consumers: { [web.key]: done } } },
    });
  });

  test.for<{ why: string; given: Given; next: string }>([
    { why: 'the first in the spec', given: notification([]), next: 'restart Deployment web' },
    {
      why: 'a job between two of them, which keeps its place',
      given: notification([web.key], { listed: ['a1'] }),
      next: 'tell 1 allocation of job api',
    },
    {
      why: 'the last, once the others are told',
      given: notification([web.key, api.key]),
      next: 'restart DaemonSet agent',
    },
    {
      why: 'not one that could not be restarted now',
      given: notification([api.key], { problems: { [web.key]: 'not there' } }),
      next: 'restart DaemonSet agent',
    },
    {
      why: 'one whose restart failed, after the others',
      given: notification([api.key], { tries: { [attemptOf(web, { instant })]: 1 } }),
      next: 'restart DaemonSet agent',
    },
    {
      why: 'one whose restart failed for an earlier rotation, in its place',
      given: notification([api.key], { tries: { [attemptOf(web, { instant: 'earlier' })]: 1 } }),
      next: 'restart Deployment web',
    },
  ])('is next of $why', ({ given, next }) => expect(firstStep(given).summary).toBe(next));

  test('gives way now and then, and names what it is about', () => {
    expect(planned(notification([], { steps: 8 }))).toMatchObject({
      verdict: 'blocked',
      message: '/consumers/0: Deployment web (8 steps made)',
    });
  });

  test('is nobody’s any more once all are told, or could not be', () => {
    const problems = { [web.key]: 'not there' };
    expect(planned(notification([web.key, api.key, agent.key])).verdict).toBe('in-sync');
    expect(planned(notification([agent.key, api.key], { problems })).verdict).toBe('in-sync');
  });
});

/** What is recorded once a second password is published. */
const published = (restarts: boolean): Own | undefined => {
  const given: Given = {
    spec: { consumers: [workload('web')] },
    rotated: later,
    credential: { ...credential, last_service_rotation: later },
    answers: { restarts },
  };
  return parseOwn(firstStep(given).own);
};

describe('a password that is published', () => {
  test('is to be told to workloads where they can be restarted, and else to nobody', () => {
    expect(published(true)?.notification).toEqual({ instant: later, steps: 0, consumers: {} });
    expect(published(false)).toEqual({ published: later });
  });
});

const rotated = async (...there: readonly string[]): Promise<World> => {
  const world = new World({ spec: { consumers } });
  world.source.hasWorkloads(...there);
  jobsAt(world).run('api', 1);
  await world.settle();
  world.request('rotate', 't1');
  await world.settle();
  return world;
};
const told = (world: World) => conditionOf(world.memory.conditions, 'ConsumersNotified')?.message;

describe('under the real reconciler', () => {
  test('workloads are restarted once per rotation, in the order of the spec, not for the first password', async () => {
    const world = new World({ spec: { consumers } });
    world.source.hasWorkloads('Deployment/shop/web', 'DaemonSet/shop/agent');
    jobsAt(world).run('api', 1);
    await world.settle();
    expect([...world.source.workloads.values()]).toEqual([[], []]);
    const instants: string[] = [];
    for (const token of ['t1', 't2']) {
      world.request('rotate', token);
      await world.settle();
      instants.push(world.directory.instant);
    }
    expect([...world.source.workloads.values()]).toEqual([instants, instants]);
    const order = world.log.filter((what) => ['restart', 'allocation.signal', 'publish'].includes(what));
    const round = ['publish', 'restart', 'allocation.signal', 'restart'];
    expect(order).toEqual(['publish', ...round, ...round]);
    expect(said(world, 'ConsumersNotified')).toBe('True Notified');
    expect(world.memory.own).not.toHaveProperty('notification');
  });

  test('one that is not there is named, holds up nobody, and is restarted once it is there', async () => {
    const world = await rotated('DaemonSet/shop/agent');
    const { instant: last } = world.directory;
    expect([tells(world, 'api'), world.source.workloads.get('DaemonSet/shop/agent')]).toEqual([[1], [last]]);
    expect([said(world, 'Ready'), said(world, 'ConsumersNotified'), told(world)]).toEqual([
      'True InSync',
      'False NotificationFailed',
      '/consumers/0: Deployment shop/web does not exist',
    ]);
    world.source.hasWorkloads('Deployment/shop/web');
    const visit = await world.settle();
    expect(visit.requeueMs).toBe(50_000); // nothing is asked again before the next look at the role
    expect([world.source.workloads.get('Deployment/shop/web'), said(world, 'ConsumersNotified')]).toEqual([
      [last],
      'True Notified',
    ]);
  });

  test('one that may not be restarted is named with what refuses it, and asked again within a minute', async () => {
    const world = new World({ spec: { consumers: [workload('web')] } });
    world.source.hasWorkloads('Deployment/shop/web');
    world.source.tryRestart = () =>
      Promise.reject(new ApiError('refused', 'PermissionDenied', 'deployments.patch: forbidden'));
    await world.settle();
    world.request('rotate', 't1');
    const { requeueMs } = await world.settle();
    expect([said(world, 'Ready'), told(world)]).toEqual([
      'True InSync',
      '/consumers/0: deployments.patch: forbidden',
    ]);
    expect(requeueMs).toBeLessThanOrEqual(60_000);
    expect(world.source.workloads.get('Deployment/shop/web')).toEqual([]);
  });

  test('one whose restart is refused though it could be tried comes after the others', async () => {
    const world = new World({ spec: { consumers } });
    world.source.hasWorkloads('DaemonSet/shop/agent');
    world.source.tryRestart = () => Promise.resolve();
    jobsAt(world).run('api', 1);
    await world.settle();
    world.request('rotate', 't1');
    await world.visit();
    expect([said(world, 'Ready'), tells(world, 'api')]).toEqual(['False NotificationFailed', [0]]);
    await world.visit();
    expect(tells(world, 'api')).toEqual([1]);
    expect(world.source.workloads.get('DaemonSet/shop/agent')).toEqual([world.directory.instant]);
    expect([said(world, 'ConsumersNotified'), told(world)]).toEqual([
      'False NotificationInProgress',
      'Deployment web',
    ]);
  });

  test('a role that is gone and made again tells workloads of its new password', async () => {
    const world = await rotated();
    world.directory.role = undefined;
    world.source.hasWorkloads('Deployment/shop/web', 'DaemonSet/shop/agent');
    await world.settle();
    expect(world.source.workloads.get('Deployment/shop/web')).toEqual([world.directory.instant]);
  });
});
