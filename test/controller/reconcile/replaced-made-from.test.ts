// A snapshot that is declared of a volume is of the disk of then. A replacement that did not wait for it destroyed that disk,
// and the snapshot was taken of the empty one.
import { expect, test } from 'vitest';
import { dryRun } from '../../../src/controller/dry-run.ts';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import { parseKey, type Holds, type Key } from '../../../src/core/resource.ts';
import { stillAwaited } from '../../../src/controller/reconcile/holders.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { ConditionType } from '../../../src/core/status/reasons.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { policy } from '../bench.ts';
import { disk, disks } from '../disks.ts';
import { idle, running } from '../running.ts';

const copy: Key = { kind: 'Copy', namespace: 'shop', name: 'before' };
const copyName = 'Copy/shop/before';
const of = parseKey(disk('a'));
if (!of) throw new Error('a disk has a key');

/** Made from the disk a, once that is ready. */
const copies = (holds: Holds) =>
  defineKind<unknown, null, string, string, string>({
    name: 'Copy',
    owns: 'scheduler/snapshot',
    connectionField: '/conn',
    parse: (spec) => spec,
    parseOwn: () => undefined,
    references: () => [
      { to: 'object', field: '/conn', target: { kind: 'Conn', namespace: '', name: 'c' }, holds: true },
      { to: 'object', field: '/from', target: of, holds },
    ],
    policy: () => ({}),
    defaults: policy,
    externalName: (_, { name }) => name,
    locate: (_, { name: id }, { backend }) => ({ backend, id }),
    observe: (_, { status }) =>
      Promise.resolve(status.externalRef ? { state: 'present', live: null } : { state: 'absent' }),
    plan: managed({
      fields: {},
      want: () => ({}),
      have: () => ({}),
      identity: () => 'the one',
      isOurs: () => true,
      inUse: () => undefined,
      create: () => ({ summary: 'copy it', effect: 'copy' }),
      revive: () => undefined,
      update: () => ({ path: '', why: 'never' }),
      remove: () => ({ summary: 'delete it', effect: 'delete copy' }),
    }),
    record: () => undefined,
    report: () => ({ observed: {}, conditions: [] }),
    outputs: () => ({}),
  });

/** The disk a is to be replaced, and a copy of it is declared. */
async function edited(holds: Holds = 'until-made') {
  const scene = await disks(['a', 'b'], undefined, undefined, [copies(holds)]);
  const { at } = scene;
  at.source.declare({ key: copy, spec: {} });
  scene.declare('a', { type: 'nvme' });
  const condition = (type: ConditionType) =>
    conditionOf(at.source.read(disk('a'))?.status.conditions ?? [], type);
  const sent = () => at.source.log.filter((line) => line.startsWith('c: '));
  return { ...scene, condition, sent };
}

test('a replacement waits until what is declared of it is made from it, and stays Ready for that', async () => {
  const { at, condition, sent } = await edited();
  await at.visit(disk('a'));
  expect(sent()).toEqual([]);
  expect(condition('Ready')?.status).toBe('True');
  expect(condition('Synced')).toMatchObject({
    status: 'False',
    reason: 'ReplacementBlocked',
    message: `${copyName} is made from it first`,
  });
  expect(at.source.read(disk('a'))?.status.drift?.fields).toMatchObject([{ path: '/type' }]);
  expect(stillAwaited(disk('a'), [], at.ports)?.wake).toEqual({ on: 'object' });
  expect(at.ports.deletions.announced('Conn/c')).toEqual([]);
  await at.visit(copyName);
  await at.visit(disk('a'));
  expect(sent()).toEqual(['c: copy', 'c: delete d1', 'c: make a nvme']);
});

test('what was not ready, because it was in use, gets ready for those: else each waited for the other', async () => {
  const { at, outside, condition, sent } = await edited();
  outside.set('a', { disk: 'd1', type: 'ssd', user: 'a job' });
  await at.visit(disk('a'));
  expect(condition('Ready')?.status).toBe('False');
  outside.set('a', { disk: 'd1', type: 'ssd' });
  const { source, ports } = at;
  const forecasts = await dryRun({ ports, concurrency: 1 }, new AbortController().signal);
  expect(forecasts.find(({ key }) => key === copyName)).toMatchObject({ after: [disk('a')] });
  await at.visit(disk('a'));
  expect(condition('Ready')).toMatchObject({ status: 'True', reason: 'ReplacementBlocked' });
  await at.visit(copyName);
  expect(sent()).toEqual(['c: copy']);
  expect(source.read(copyName)?.status.externalRef).toBeDefined();
});

test.for<Holds>([false, true])('who refers to it otherwise holds up no replacement: %s', async (holds) => {
  const { at, sent } = await edited(holds);
  await at.visit(disk('a'));
  expect(sent()).toEqual(['c: delete d1', 'c: make a nvme']);
});

test('a copy that is declared while the declaration is read once more counts, too', async () => {
  const { at, sent } = await edited();
  const declared = at.source.read(copyName)?.object;
  if (!declared) throw new Error('it was declared');
  at.source.entries.delete(copyName);
  at.ports.graph.delete(copyName);
  at.source.confirm = async () => {
    at.source.declare(declared);
    const node = { uid: 'u', generation: 1, deleting: false, connection: 'Conn/c' };
    const references = [{ to: 'object', field: '/from', target: of, holds: 'until-made' }] as const;
    at.ports.graph.set(copyName, { ...node, references });
  };
  await at.visit(disk('a'));
  expect(sent()).toEqual([]);
});

test('it is woken once that is made: nobody waits for a timer of ten minutes', async () => {
  const { at, sent } = await edited();
  await running(at, () => undefined);
  await idle();
  expect(sent()).toEqual(['c: copy', 'c: delete d1', 'c: make a nvme']);
});

test('nor where that is made during its visit, so that it was not known to wait yet', async () => {
  const { at, sent } = await edited();
  const { lasting } = at.source;
  at.source.lasting = async (write, work) => {
    const before = at.source.entries.get(copyName);
    const externalRef = { backend: 'c', id: 'before' };
    if (before && write.key === disk('a'))
      at.source.entries.set(copyName, { ...before, status: { ...noStatus, externalRef } });
    await lasting(write, work);
  };
  await running(at, () => undefined);
  await idle();
  expect(sent()).toEqual(['c: delete d1', 'c: make a nvme']);
});
