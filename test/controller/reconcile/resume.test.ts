// After a restart an object is not read if a list shows its recorded version: whatever else is recorded, declared or
// listed has it read, since nobody would notice what had changed while no process ran.
import { describe, expect, test } from 'vitest';
import { isUnobserved, isWorthWriting } from '../../../src/controller/reconcile/endings.ts';
import { indexObject } from '../../../src/controller/index/indexing.ts';
import { Graph } from '../../../src/controller/index/references.ts';
import type { DeclaredObject, Listed, ExternalObject } from '../../../src/core/resource.ts';
import { noStatus, type Condition, type Status } from '../../../src/core/status/status.ts';
import { lookUp, resume } from '../../../src/controller/reconcile/resume.ts';
import { policy } from '../bench.ts';
import { connKey } from '../chain.ts';
import { name, rest, toy } from './toy.ts';

const version = '7 true';
const condition = (type: string, status: Condition['status'] = 'True'): Condition => ({
  type,
  status,
  reason: 'Because',
  message: '',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const settled: Partial<Status> = {
  observedGeneration: 1,
  externalRef: { backend: 'first', id: 'x' },
  observedVersion: version,
  conditions: [condition('Ready'), condition('Synced'), condition('Reconciling', 'False')],
};

interface Given {
  readonly memory?: Partial<Status>;
  readonly object?: Partial<DeclaredObject>;
  readonly kind?: Parameters<typeof toy>[0]['kind'];
  readonly listed?: Listed | undefined;
}

/** A toy that is indexed, as all objects are before the first visit. */
async function recorded(given: Parameters<typeof toy>[0]) {
  const made = await toy(given);
  indexObject(name, made.at.ports);
  const entry = made.at.source.read(name);
  if (!entry) throw new Error('there is no toy');
  return { ...made, subject: { key: name, ...entry } };
}

/** @returns how often the object was read, and what came of the visit */
async function visited({ memory, object, kind = {}, ...given }: Given) {
  let reads = 0;
  const asked: ExternalObject[] = [];
  const seen: number[] = [];
  const { at, visit } = await recorded({
    plans: [rest],
    object: { generation: 1, ...object },
    memory: { ...settled, ...memory },
    kind,
    onObserve: () => void reads++,
  });
  const listed = 'listed' in given ? given.listed : { version, index: 7 };
  const done = await visit({
    listed: (_, connection, ref) => {
      expect(connection).toBe('Conn/first');
      asked.push(ref);
      return listed;
    },
    onObserved: (_, index) => void seen.push(index),
  });
  return { reads, asked, seen, done, writes: at.source.log };
}

test('an object of the recorded version is at rest without a read and without a write, and is read within its interval', async () => {
  const { reads, asked, seen, done, writes } = await visited({});
  expect({ reads, writes, seen }).toEqual({ reads: 0, writes: [], seen: [7] });
  expect(asked).toEqual([{ type: 'scheduler/thing', backend: 'first', id: 'x' }]);
  expect(done).toMatchObject({ done: [], requeueMs: 450_000 });
  const plan = { verdict: 'in-sync', drift: [] };
  expect(done?.ending).toEqual({ is: 'rest', plan, rereadMs: 450_000 });
});

test('while the first list is not complete, it waits, and is not read', async () => {
  const { reads, done, writes } = await visited({ listed: 'pending' });
  expect({ reads, writes }).toEqual({ reads: 0, writes: [] });
  const message = 'not listed yet';
  expect(done?.ending).toEqual({ is: 'parked', message, early: true, listing: true });
  expect(isUnobserved(done)).toBe(true);
});

describe('is read', () => {
  const drift = { summary: '', detectedAt: '', fields: [] };
  test.for<Given & { readonly why: string }>([
    { why: 'of another version', listed: { version: '8 true', index: 8 } },
    { why: 'not in the list', listed: undefined },
    { why: 'recorded at another backend', memory: { externalRef: { backend: 'copy', id: 'x' } } },
    { why: 'never recorded in sync', memory: { observedVersion: undefined } as object, listed: 'pending' },
    { why: 'that is not ours yet', memory: { externalRef: undefined } as object, listed: 'pending' },
    { why: 'edited meanwhile', object: { generation: 2 } },
    { why: 'of an unfinished step', memory: { pending: { op: 'create', token: 't' } } },
    { why: 'with drift that is left alone', memory: { drift } },
    { why: 'that waits for an approval', memory: { awaits: { digest: 'd', id: 'i' } } },
    { why: 'that was refused', memory: { refusal: 'no' } },
    { why: 'with tries', memory: { tries: { '/size': 1 } } },
    { why: 'not ready', memory: { conditions: [condition('Ready', 'False'), condition('Synced')] } },
    { why: 'not synced', memory: { conditions: [condition('Ready'), condition('Synced', 'False')] } },
    ...['Reconciling', 'Stalled'].map((type) => ({
      why: type,
      memory: { conditions: [condition('Ready'), condition('Synced'), condition(type)] },
    })),
    { why: 'being deleted', object: { deleting: true } },
    { why: 'whose finalizer was removed', object: { held: false } },
    { why: 'whose status is in doubt', object: { doubt: 'recalled' } },
    { why: 'whose deletion is held back', object: { heldBack: 'broken file' } },
    { why: 'of which something was requested', object: { requests: { reconcile: 'now' } } },
    { why: 'with an output', kind: { output: 'x' } },
    {
      why: 'that refers to another object, too',
      kind: { references: [{ to: 'object', field: '/of', target: connKey('first'), holds: true }] },
    },
    { why: 'suspended by command', object: { requests: { suspend: 'true' } } },
  ])('an object $why', async ({ memory, object, kind, ...given }) => {
    const { reads } = await visited({
      ...(memory && { memory }),
      ...(object && { object }),
      ...(kind && { kind }),
      ...('listed' in given && { listed: given.listed }),
    });
    expect(reads).toBeGreaterThan(0);
  });

  test('an object whose recorded request was answered is not', async () => {
    const requests = { reconcile: 'now' };
    const { reads } = await visited({ object: { requests }, memory: { handledRequests: requests } });
    expect(reads).toBe(0);
  });
});

test('the version is recorded with what is written anyway, and alone is not written: nothing is written at rest', async () => {
  const { visit, remembered, at } = await toy({ plans: [rest], report: { version } });
  await visit();
  expect(remembered()?.observedVersion).toBe(version);
  const before = at.source.log.length;
  const entry = at.source.read(name);
  if (entry) at.source.entries.set(name, { ...entry, status: { ...entry.status, observedVersion: 'older' } });
  await visit();
  expect(at.source.log.length).toBe(before);
  expect(isWorthWriting({ ...noStatus, observedVersion: '1' }, noStatus)).toBe(false);
  expect(isWorthWriting({ ...noStatus, refusal: 'no' }, noStatus)).toBe(true);
});

test('the version of what is not in sync is not recorded: after a restart it would pass for it', async () => {
  const { visit, remembered } = await toy({
    plans: [{ verdict: 'blocked', reason: 'Suspended', message: '', wake: { on: 'edit' }, changes: [] }],
    report: { version },
    memory: { observedVersion: version },
  });
  await visit();
  expect(remembered()?.observedVersion).toBeUndefined();
});

test('nobody has to ask which version was seen', async () => {
  const { visit } = await recorded({ plans: [rest], object: { generation: 1 }, memory: settled });
  const done = await visit({ listed: () => ({ version, index: 7 }) });
  expect(done?.ending.is).toBe('rest');
});

test('where nothing is watched, as in a single pass, everything is read', async () => {
  let reads = 0;
  const { visit } = await toy({
    plans: [rest],
    object: { generation: 1 },
    memory: settled,
    onObserve: () => void reads++,
  });
  await visit();
  expect(reads).toBe(1);
});

describe('the rest of a visit is not skipped', () => {
  const object = { key: { kind: 'Toy', namespace: 'shop', name: 'x' }, uid: 'u', generation: 1 };
  const declared: DeclaredObject = { ...object, deleting: false, held: true, requests: {}, spec: {} };
  const status: Status = { ...noStatus, ...settled };
  const opened = {
    external: (ref: object) => ({ type: 'scheduler/thing', ...ref }),
    references: [],
    output: undefined,
    policy,
    locate: () => settled.externalRef,
  };
  const ports = { kinds: new Map(), random: () => 0 };
  const resumed = (more: object) =>
    resume(
      { key: name, object: declared, status },
      { version, index: 7 },
      // oxlint-disable-next-line no-unsafe-type-assertion -- all that is read of the preconditions
      { opened, used: {}, resolved: new Map(), connection: 'Conn/first', ...more } as never,
      ports,
    )?.is;

  test('if it changed the status before: that is still to be written', async () => {
    const { at, subject } = await recorded({ plans: [rest], object: { generation: 1 }, memory: settled });
    const lookedUp = (stored: Status) =>
      lookUp(subject, { ...subject, status: stored }, { ...at.ports, listed: () => ({ version, index: 7 }) });
    const copy = { ...subject.status };
    expect([lookedUp(subject.status), lookedUp(copy)]).toEqual([{ version, index: 7 }, undefined]);
  });

  test('if it takes over the external object of another', () => {
    expect([resumed({}), resumed({ inherits: { from: 'Toy/shop/y', status } })]).toEqual(['rest', undefined]);
  });
});

/** How the visit of such an object ends before its preconditions, while its page is on its way. */
const waits = async (kind: NonNullable<Given['kind']>, requests: Status['handledRequests'] = {}) => {
  const object = { generation: 1, requests };
  const memory = { ...settled, handledRequests: requests };
  const { at, subject } = await recorded({ plans: [rest], object, memory, kind });
  return lookUp(subject, subject, { ...at.ports, listed: () => 'pending' });
};

describe('an object that can only wait', () => {
  const another = { to: 'object', field: '/of', target: connKey('first'), holds: true } as const;

  test('waits for its page, unless the list alone would not do', async () => {
    expect(await waits({})).toEqual({ is: 'parked', message: 'not listed yet', early: true, listing: true });
    expect(await waits({ output: 'x' })).toBeUndefined();
    expect(await waits({ references: [another] })).toBeUndefined();
    expect(await waits({}, { suspend: 'true' })).toBeUndefined();
  });

  test('waits for the first probe of its connection; where that failed, its status says so', async () => {
    const { at, subject } = await recorded({ plans: [rest], object: { generation: 1 }, memory: settled });
    const lookedUp = (early: boolean) =>
      lookUp(subject, subject, {
        ...at.ports,
        listed: () => ({ version, index: 7 }),
        // oxlint-disable-next-line no-unsafe-type-assertion -- all that is asked of the connections
        connections: { get: () => ({ early, message: 'not usable' }) } as never,
      });
    expect(lookedUp(true)).toEqual({ is: 'parked', message: 'not usable', early: true });
    expect(lookedUp(false)).toBeUndefined();
  });

  test('does not wait while the way to its connection is not known: its preconditions say what is missing', async () => {
    const { at, subject } = await recorded({ plans: [rest], object: { generation: 1 }, memory: settled });
    const cut = new Graph();
    const { uid, generation, deleting } = subject.object;
    cut.set(name, { uid, generation, deleting, references: [], connection: undefined });
    const lookedUp = (graph: Graph) =>
      lookUp(subject, subject, { ...at.ports, graph, listed: () => ({ version, index: 7 }) });
    expect(lookedUp(at.ports.graph)).toEqual({ version, index: 7 });
    expect([lookedUp(cut), lookedUp(new Graph())]).toEqual([undefined, undefined]);
  });
});
