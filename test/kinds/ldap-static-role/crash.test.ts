// LDAPStaticRole: whatever dies, is lost or comes late, it comes to rest with the right password where it belongs.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jobsAt, said, tells, versionIn } from './asking.ts';
import { canary } from './services.ts';
import { restarted, signalled } from './surroundings.ts';
import { World, type Fate, type Options } from './world.ts';

/** From the declaration to the second password being told: everything that can be interrupted. */
async function journey(options: Omit<Options, 'spec'>): Promise<World> {
  const workload = { workload: { kind: 'Deployment' as const, name: 'web' } };
  const consumers = [signalled('web'), workload, restarted('api', { maxParallel: 2 })];
  const world = new World({ ...options, spec: { consumers, verify: { bind: true } } });
  world.source.hasWorkloads('Deployment/shop/web');
  jobsAt(world).run('web', 3);
  jobsAt(world).run('api', 3);
  await world.settle();
  expect([tells(world, 'web'), tells(world, 'api')]).toEqual([
    [0, 0, 0],
    [0, 0, 0],
  ]);
  world.request('rotate', 't1');
  await world.settle();
  return world;
}

const types = ['Ready', 'RotationVerified', 'ConsumersNotified'] as const;

/** What it came to, without what differs from one run to the next. */
function outcomeOf(world: World) {
  const { directory, output, memory } = world;
  return {
    publishes:
      versionIn(world) === String(directory.role?.version) && output?.revision.startsWith(directory.instant),
    conditions: types.map((type) => said(world, type)),
    handledRequests: memory.handledRequests,
    pending: memory.pending,
    own: memory.own,
    showsSecrets: JSON.stringify(memory).includes(canary),
    rotations: directory.rotations.length,
    overlaps: directory.overlaps,
    told: [tells(world, 'web'), tells(world, 'api')],
    restarts: [...world.source.workloads.values()].flat(),
    tooMany: jobsAt(world).mostAtOnce > 2,
  };
}

/** One rotation for the token, each allocation told once of it, and nothing left to do. */
const once = (world: World): ReturnType<typeof outcomeOf> => ({
  publishes: true,
  conditions: ['True InSync', 'True BindSucceeded', 'True Notified'],
  handledRequests: { rotate: 't1' },
  pending: undefined,
  own: { published: world.directory.instant, verified: world.directory.instant },
  showsSecrets: false,
  rotations: 1,
  overlaps: 0,
  told: [
    [1, 1, 1],
    [1, 1, 1],
  ],
  restarts: [world.directory.instant],
  tooMany: false,
});

test('the process may die before and after anything that lasts, and all happens just once', async () => {
  const points = (await journey({})).log.length * 2;
  expect(points).toBeGreaterThan(30); // else there would be little to die at
  for (let at = 0; at < points; at++) {
    const world = await journey({ deaths: new Set([at]) });
    expect(world.deaths, `at ${at}`).toBe(1);
    expect(outcomeOf(world), `at ${at}`).toEqual(once(world));
  }
});

test('it may die often', async () => {
  const deaths = fc.uniqueArray(fc.nat(90), { minLength: 2, maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(deaths, async (all) => {
      const world = await journey({ deaths: new Set(all) });
      expect(outcomeOf(world)).toEqual(once(world));
    }),
    { numRuns: 40 },
  );
});

const fate = fc.constantFrom<Fate>('done', 'done', 'unanswered', 'late', 'lost');

test('calls may also come late or never, and answers be lost: still just once, since the services show what happened', async () => {
  const deaths = fc.uniqueArray(fc.nat(90), { maxLength: 4 });
  const fates = fc.array(fate, { maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(deaths, fates, async (all, each) => {
      const world = await journey({ deaths: new Set(all), fates: each });
      expect(outcomeOf(world)).toEqual(once(world));
    }),
    { numRuns: 60 },
  );
});

test('a token is answered by a rotation after it, and by one at most, however tokens and rotations of the service fall', async () => {
  const event = fc.oneof(
    fc.record({ is: fc.constant('token' as const) }),
    fc.record({ is: fc.constant('time' as const), ms: fc.integer({ min: 1, max: 400_000 }) }),
    fc.record({ is: fc.constant('visit' as const) }),
  );
  const events = fc.array(event, { minLength: 1, maxLength: 12 });
  const given = [
    fc.uniqueArray(fc.nat(120), { maxLength: 4 }),
    fc.array(fate, { maxLength: 10 }),
    events,
  ] as const;
  await fc.assert(
    fc.asyncProperty(...given, async (all, fates, story) => {
      const spec = { consumers: [signalled('web')], rotationPeriod: '5m' };
      const world = new World({ spec, deaths: new Set(all), fates });
      jobsAt(world).run('web', 2);
      await world.settle();
      let [tokens, lastMs] = [0, 0];
      for (const now of story) {
        if (now.is === 'time') world.advance(now.ms);
        else if (now.is === 'visit') await world.visit();
        else {
          world.request('rotate', `t${++tokens}`);
          lastMs = world.nowMs;
        }
      }
      await world.settle();
      expect(versionIn(world)).toBe(String(world.directory.role?.version));
      expect(world.directory.overlaps).toBe(0);
      expect(world.directory.rotations.length).toBeLessThanOrEqual(tokens);
      expect(Date.parse(world.directory.instant)).toBeGreaterThanOrEqual(lastMs);
      for (const times of Object.values(jobsAt(world).told('web')))
        expect(times.length).toBeLessThanOrEqual((world.directory.role?.version ?? 1) - 1);
    }),
    { numRuns: 60 },
  );
});
