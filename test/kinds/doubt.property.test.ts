// Every kind, whatever a service answers: what a look and its plan end in is a plan or a typed error, never a bug.
import { noStatus, type Status } from '../../src/core/status/status.ts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Effect, Reader } from '../../src/api/routes.ts';
import type { Connection } from '../../src/core/connection.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { ObservationInput, Opened, Observation } from '../../src/core/kind/opened.ts';
import { type Resolution } from '../../src/core/resource.ts';
import { encode, Secret } from '../../src/core/secret.ts';
import { registry } from '../../src/kinds/registry.ts';
import { patience, runs } from '../api/fuzz/runs.ts';
import { never } from '../api/servers.ts';
import { samples } from './samples.ts';
import { editsOf, reading } from './wrong-replies.ts';
import { momentAt } from '../support/moment.ts';

const uid = '3f0c2f3e-8f4b-5b8e-9d0a-6c1d2e3f4a5b';
const nowMs = Date.parse('2026-03-01T00:10:00Z');
const connection: Connection = {
  service: 'scheduler',
  backend: 'b1',
  addresses: [],
  dialect: 'nomad',
  namespace: 'default',
  access: [],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 20, percent: 30 } },
};
/** Of whatever is referred to. */
const outputs = {
  upsert: 'true',
  mount: 'ldap',
  url: 'ldap://directory',
  probeHosts: 'directory',
  namespace: 'default',
};

const resolvedBy = ({ references }: Opened<Effect, Reader>): ReadonlyMap<string, Resolution> =>
  new Map(
    references.map((one): [string, Resolution] => [
      one.field,
      one.to === 'secret'
        ? { state: 'secret', secret: Secret.of('ops/login', '1', 'canary') }
        : { state: 'ready', outputs },
    ]),
  );

/** All that the reconciler asks of a look. @returns what is remembered after its step, where it comes to one */
function exercise(seen: Observation<Effect>): Status | undefined {
  const plan = seen.plan(momentAt(nowMs));
  const { index, observed, conditions } = seen.report();
  storable({ observed, conditions });
  expect(JSON.stringify({ observed, conditions }).length).toBeLessThan(65_536);
  if (index !== undefined) expect(index).toBeTypeOf('number');
  for (const { message } of conditions) expect(message).toBeTypeOf('string');
  if (plan.verdict === 'change') {
    const [step] = plan.steps;
    expect(step.summary).toBeTypeOf('string');
    if (step.effect && 'body' in step.effect) encode({ ...step.effect.body });
    return storable(seen.afterStep(step));
  }
  if (plan.verdict === 'in-sync') storable(seen.afterRest(plan));
  else expect('message' in plan ? plan.message : plan.because).toBeTypeOf('string');
  return undefined;
}

function storable<T>(value: T): T {
  expect(JSON.parse(JSON.stringify(value))).toEqual(value);
  return value;
}

/** Visits until there is nothing more to do; what was done is not seen by the next one. */
async function visited(
  opened: Opened<Effect, Reader>,
  around: Omit<ObservationInput<Reader>, 'resolved' | 'connection' | 'nonce'>,
): Promise<number> {
  let { status: memory } = around;
  for (let visit = 0; visit < 5; visit += 1) {
    const seen = await opened.observe(
      { ...around, status: memory, resolved: resolvedBy(opened), connection, nonce: 'n0nce001' },
      never,
    );
    const after = exercise(seen);
    if (!after) return visit + 1;
    memory = after;
  }
  return 5;
}

test('there is a sample of every kind', () => {
  expect(Object.keys(samples).toSorted()).toEqual(registry.map(({ kind }) => kind.name).toSorted());
});

test.for(registry)('$kind.name: whatever is answered is doubted', patience, async ({ kind }) => {
  const sample = samples[kind.name];
  if (!sample) throw new Error('no sample');
  const key = { kind: kind.name, namespace: 'shop', name: 'data' };
  const { ref: externalRef, own } = sample;
  const recorded = { ...noStatus, externalRef, ...(own !== undefined && { own }) };
  const one = fc.record({
    spec: fc.constantFrom(...sample.specs),
    memory: fc.constantFrom<Status>(noStatus, recorded),
    deleting: fc.boolean(),
    requests: fc.subarray([...sample.requests]),
    edits: editsOf(Object.keys(sample.replies)),
    published: fc.constantFrom({}, { published: { is: 'absent' } as const }),
  });
  let looks = 0;
  await fc.assert(
    fc.asyncProperty(one, async ({ spec, memory, deleting, requests: names, edits, published }) => {
      const opened = kind.open({ key, spec, requests: {} }, {});
      const read = reading(sample.replies, edits);
      const requests = Object.fromEntries(names.map((name) => [name, 't1']));
      const object = { key, uid, generation: 1, deleting, held: true, spec, requests };
      try {
        looks += await visited(opened, { object, status: memory, read, via: () => read, ...published });
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
    }),
    runs(500),
  );
  expect(looks).toBeGreaterThan(10); // else it doubted everything
});
