// `plan` and the reconciler are asked about the same world: what the one says first is what the other does first, or both
// give the same reason why not. People approve what they were shown.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { dryRun, type Forecast } from '../../src/controller/dry-run.ts';
import { reconcile } from '../../src/controller/reconcile/reconciler.ts';
import { ApiError, messageOf } from '../../src/core/errors.ts';
import type { Blocked, Step } from '../../src/core/planning/plan.ts';
import type { DeclaredObject } from '../../src/core/resource.ts';
import type { Visit } from '../../src/controller/reconcile/endings.ts';
import type { World } from './bench.ts';
import { chain, part } from './chain.ts';
import { disk, disks, type DiskSpec } from './disks.ts';

type Scene = Awaited<ReturnType<typeof disks>>;
type Event = (scene: Scene) => Promise<unknown> | void;

const names = ['a', 'b', 'c'] as const;
const name = fc.constantFrom(...names);
const policy = fc.record(
  {
    deletion: fc.constantFrom('Retain', 'Delete', 'Deregister'),
    replace: fc.constantFrom('Never', 'WhenUnused'),
    management: fc.constantFrom('Full', 'ObserveOnly'),
    adoption: fc.constantFrom('Fail', 'Adopt', 'AdoptIfIdentical'),
    suspend: fc.boolean(),
    drift: fc.constantFrom('Correct', 'Warn', 'Ignore').map((mode) => ({ mode })),
  },
  { requiredKeys: [] },
);
const spec: fc.Arbitrary<DiskSpec> = fc.record(
  {
    type: fc.constantFrom('ssd', 'nvme'),
    named: name,
    on: fc.constantFrom('c', 'c', 'c', 'other', 'nowhere'),
    policy,
    waits: fc.constant(true as const),
  },
  { requiredKeys: ['type'] },
);
const requests = fc.constantFrom<Readonly<Record<string, string>>>(
  {},
  { suspend: 'true' },
  { adopt: 'IfIdentical' },
  { 'force-orphan': 'the cluster is gone' },
  { 'moved-from': 'a' },
);

const requested = ({ at }: Scene, of: string, asked: DeclaredObject['requests']): void => {
  const object = at.source.read(disk(of))?.object;
  if (object) at.source.declare({ ...object, requests: asked });
};
const event: fc.Arbitrary<Event> = fc.oneof(
  fc.tuple(name, fc.constantFrom('ssd', 'nvme')).map(
    ([of, type]): Event =>
      ({ declare }) =>
        declare(of, { type }, { deleting: false }),
  ),
  fc.tuple(name, spec).map(
    ([of, as]): Event =>
      ({ declare }) =>
        declare(of, as, { deleting: false }),
  ),
  name.map(
    (of): Event =>
      ({ leave }) =>
        leave(of),
  ),
  {
    weight: 3,
    arbitrary: name.map(
      (of): Event =>
        ({ at }) =>
          at.visit(disk(of)),
    ),
  },
  fc.tuple(name, requests).map(
    ([of, asked]): Event =>
      (scene) =>
        requested(scene, of, asked),
  ),
  name.map(
    (of): Event =>
      ({ outside }) =>
        void outside.delete(of),
  ),
  name.map(
    (of): Event =>
      ({ outside }) =>
        void outside.set(of, { disk: 'theirs', type: 'ssd' }),
  ),
  name.map((of): Event => ({ outside }) => {
    const live = outside.get(of);
    if (live) outside.set(of, { ...live, user: 'a job' });
  }),
  fc.constant<Event>(({ at }) => void (at.source.distrusted = { digest: 'd', message: 'an older state' })),
);

const events = fc.array(event, { maxLength: 8 });

const refused = ({ reason, message }: Blocked): string => `refused: ${reason} ${message}`;

function said(forecast: Forecast): string {
  if ('error' in forecast) return `can't tell: ${forecast.error}`;
  const { plan, held } = forecast;
  if (held) return refused(held);
  switch (plan.verdict) {
    case 'in-sync':
      return 'rests';
    case 'blocked':
      return refused(plan);
    case 'gone':
      return `gone: ${plan.because}`;
    case 'change':
      return `${plan.steps[0].verb}: ${plan.steps[0].summary}`;
  }
}

function did(visit: Visit, first: Step<unknown> | undefined): string {
  const step = visit.tookFrom === undefined ? first : visit.done[0];
  if (step) return `${step.verb}: ${step.summary}`;
  const { ending } = visit;
  switch (ending.is) {
    case 'rest':
      return 'rests';
    case 'blocked':
      return refused(ending.plan);
    case 'parked':
      return `can't tell: ${ending.message}`;
    case 'failed':
      return `can't tell: ${messageOf(ending.error)}`;
    case 'gone':
      return `gone: ${ending.because}`;
    case 'conflict':
      return `conflict: ${ending.reason}`;
  }
}

const refusal = new ApiError('waiting', 'Rejected', 'not now');

/** Another process on the same, whose every effect is refused: only what comes first is asked. */
const next = (at: World): World => {
  const fresh = at.restarted(() => ({ is: 'rejected', error: refusal }));
  fresh.source.distrusted = at.source.distrusted;
  return fresh;
};

async function both(at: World, key: string) {
  const signal = new AbortController().signal;
  const { ports, source } = next(at);
  const before = [...source.entries];
  const forecasts = await dryRun({ ports, concurrency: 2 }, signal);
  expect([...source.entries]).toEqual(before); // it writes nothing
  const forecast = forecasts.find((one) => one.key === key);
  let first: Step<unknown> | undefined;
  const onStep = (_: string, step: Step<unknown>) => void (first ??= step);
  const visit = await reconcile(key, 0, { ...ports, onStep }, signal);
  return { forecast, said: forecast && said(forecast), did: visit && did(visit, first) };
}

test('what is said first is done first, or refused for the same reason, whatever happened before', async () => {
  const limits = fc.constantFrom({ perHour: 100, percent: 100 }, { perHour: 0, percent: 100 });
  await fc.assert(
    fc.asyncProperty(limits, fc.subarray([...names]), events, name, async (within, made, happened, of) => {
      const scene = await disks(made, within);
      for (const happens of happened) await happens(scene);
      const { said: forecast, did: done } = await both(scene.at, disk(of));
      expect(forecast).toBe(done);
    }),
    { numRuns: 200 },
  );
});

test('requests that stood when an object was first seen count as answered: no plan shows what nobody will do', async () => {
  const at = await chain(undefined, { turn: 't1' });
  await at.visit('Leaf/shop/leaf'); // it is made, and nothing else
  const entry = at.source.entries.get('Leaf/shop/leaf');
  if (!entry) throw new Error('it was declared');
  at.source.entries.set('Leaf/shop/leaf', {
    ...entry,
    status: { ...entry.status, handledRequests: {}, conditions: [] },
  });
  expect(await both(at, 'Leaf/shop/leaf')).toMatchObject({ said: 'rests', did: 'rests' });
});

test('who waits only for what the same plan makes is shown with what it would do after that', async () => {
  const at = await chain(() => ({ is: 'rejected', error: refusal })); // the part is not made
  const leaf = await both(at, 'Leaf/shop/leaf');
  expect(leaf.forecast).toMatchObject({
    after: ['Part/shop/part'],
    plan: { verdict: 'change', steps: [{ verb: 'create' }] },
  });
  expect(leaf.did).toBe('refused: DependencyNotReady /part: Part/shop/part is not ready');
  expect((await both(at, 'Part/shop/part')).forecast).not.toHaveProperty('after');
});

test('who is to change where all else is in sync waits for nobody', async () => {
  const at = await chain();
  await at.visit('Part/shop/part');
  const leaf = await both(at, 'Leaf/shop/leaf');
  expect(leaf.said).toBe(leaf.did);
  expect(leaf.forecast).toMatchObject({ plan: { verdict: 'change', steps: [{ verb: 'create' }] } });
  expect(leaf.forecast).not.toHaveProperty('after');
});

test('who waits for what is held up itself is shown as waiting', async () => {
  const at = await chain(() => ({ is: 'rejected', error: refusal }));
  at.source.declare({ key: part, spec: {}, requests: { suspend: 'true' } });
  expect(await both(at, 'Leaf/shop/leaf')).toMatchObject({
    said: 'refused: DependencyNotReady /part: Part/shop/part is not ready',
    did: 'refused: DependencyNotReady /part: Part/shop/part is not ready',
  });
});
