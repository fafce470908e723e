// What leaves while others are to be made from it stays for them only if it is there. What is not there, or may not be, was taken for
// there: each waited for the other for good. It is looked at, and goes by the deletion limits as everything does.
import { expect, test } from 'vitest';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { defineKind, type SealedKind } from '../../../src/core/kind/sealed-kind.ts';
import { quiet } from '../chain.ts';
import { disk, disks } from '../disks.ts';

interface Leaving {
  readonly kind?: Partial<SealedKind<string, string>>;
  readonly policy?: object;
  readonly perHour?: number;
  readonly isLost?: boolean;
  readonly isMade?: boolean;
}

const isPresent = () => undefined;
const unsure = { tellsPresence: true, isPresent } as const;

/** The disk a leaves, and b is to be made from it. */
async function leaving({ kind = unsure, policy = {}, perHour = 100, isLost, isMade = true }: Leaving) {
  const { at, outside, declare, leave } = await disks([], { perHour, percent: 100 });
  declare('a', { policy });
  if (isMade) await at.visit(disk('a'));
  if (isLost) outside.delete('a');
  declare('b', { of: 'a' });
  leave('a');
  await at.visit('Conn/c');
  const own = at.ports.kinds.get('Disk');
  if (!own) throw new Error('there are disks');
  const ports = { ...at.ports, kinds: new Map(at.ports.kinds).set('Disk', { ...own, ...kind }) };
  const visit = async () => (await reconcile(disk('a'), 0, ports, new AbortController().signal))?.ending;
  return { at, outside, visit };
}

const waits = { is: 'blocked', plan: { reason: 'DeletionBlocked', message: `still used by ${disk('b')}` } };
const gone = { is: 'gone' };

test('one that may not be there is looked at, and leaves if it is not', async () => {
  expect(await (await leaving({ isLost: true })).visit()).toMatchObject(gone);
  expect(await (await leaving({})).visit()).toMatchObject(waits);
});

test('one of a kind that never tells waits unseen', async () => {
  expect(await (await leaving({ kind: { isPresent }, isLost: true })).visit()).toMatchObject(waits);
});

test('one that is kept, and that may be there, stays for those as well', async () => {
  const policy = { deletion: 'Retain' };
  expect(await (await leaving({ policy })).visit()).toMatchObject(waits);
  expect(await (await leaving({ policy, isLost: true })).visit()).toMatchObject(gone);
});

test('one that is not there asks the deletion limits before it leaves, and what they stop can be approved', async () => {
  const { at, visit } = await leaving({ isLost: true, perHour: 0 });
  const ending = await visit();
  expect(ending).toMatchObject({ is: 'blocked', plan: { reason: 'DeletionLimitExceeded' } });
  const wake = ending?.is === 'blocked' ? ending.plan.wake : undefined;
  if (wake?.on !== 'approval' || wake.id === undefined) throw new Error('an approval lets it go');
  const { id } = wake;
  at.source.approved = (key) => (key === disk('a') ? id : undefined);
  expect(await visit()).toMatchObject(gone);
});

test('one that is only observed has nothing of its own there, and asks nobody', async () => {
  const policy = { management: 'ObserveOnly' };
  const observed = await leaving({ policy, isLost: true, isMade: false, perHour: 0 });
  expect(await observed.visit()).toMatchObject(gone);
});

test('one that can be brought back is, whatever the deletion limits say: that is no deletion', async () => {
  let isBack = false;
  const part = defineKind<unknown, null, string, string, string>({
    ...quiet,
    name: 'Part',
    connectionField: '/conn',
    references: () => [
      { to: 'object', field: '/conn', target: { kind: 'Conn', namespace: '', name: 'c' }, holds: true },
    ],
    locate: (_, { name: id }, { backend }) => ({ backend, id }),
    observe: () => Promise.resolve(isBack ? { state: 'present', live: null } : { state: 'absent' }),
    plan: () =>
      isBack
        ? { verdict: 'in-sync', drift: [] }
        : {
            verdict: 'change',
            steps: [{ verb: 'revive', summary: 'put it back', changes: [], effect: 'back' }],
          },
    record: () => undefined,
    outputs: () => ({}),
    isPresent,
  });
  const back = () => () => {
    isBack = true;
    return { is: 'done' } as const;
  };
  const { at } = await disks([], { perHour: 0, percent: 100 }, back, [part]);
  const key = { kind: 'Part', namespace: 'shop', name: 'a' };
  at.source.declare({ key, spec: {}, deleting: true, held: true });
  const references = [{ to: 'object', field: '/of', target: key, holds: 'until-made' }] as const;
  const node = { uid: 'u', generation: 1, deleting: false, connection: undefined };
  at.ports.graph.set(disk('b'), { ...node, references });
  expect((await at.visit('Part/shop/a'))?.ending).toMatchObject(waits);
  expect(at.source.log).toContain('c: back');
});

test('one in whose place something else has come waits for a person, who is told of both', async () => {
  const { outside, visit } = await leaving({ policy: { deletion: 'Retain' } });
  const before = outside.get('a');
  if (!before) throw new Error('it was made');
  outside.set('a', { ...before, disk: 'theirs' });
  const ending = await visit();
  expect(ending).toMatchObject({
    is: 'blocked',
    plan: {
      reason: 'DeletionBlocked',
      message: `still used by ${disk('b')}, and what is there is not its own: theirs. Remove that outside, or remove what uses it`,
      wake: { on: 'object' },
    },
  });
});
