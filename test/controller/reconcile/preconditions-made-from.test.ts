// What others are made from, as a snapshot of a volume is, stays until they are, and no longer.
import { expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import { blocked } from '../../../src/core/planning/plan.ts';
import { keyText, type Holds } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { chain, leaf, part } from '../chain.ts';

const [leafName, partName] = [keyText(leaf), keyText(part)];
const plan = blocked('DeletionBlocked', `still used by ${leafName}`, { on: 'object' });
const still = { is: 'blocked', plan, usable: true };

/** What becomes of the part that leaves, where the leaf refers to it like that. */
async function leaving(holds: Holds, isMade: boolean) {
  const { source, ports } = await chain();
  const node = ports.graph.get(leafName);
  const before = source.entries.get(leafName);
  const entry = source.read(partName);
  if (!node || !before || !entry) throw new Error('the chain has both');
  const references = [{ to: 'object', field: '/from', target: part, holds } as const];
  ports.graph.set(leafName, { ...node, references });
  const status = isMade ? { ...noStatus, externalRef: { backend: 'first' } } : noStatus;
  source.entries.set(leafName, { ...before, status });
  const object = { ...entry.object, deleting: true, held: true };
  return preconditionsOf({ key: partName, object, status: entry.status, secrets: new Map() }, ports);
}

test('until it is made, it holds what it is made from, which serves it meanwhile', async () => {
  expect(await leaving('until-made', false)).toEqual({ ...still, plan: { ...plan, serves: true } });
});

test('once it is made, it does not need that any more', async () => {
  expect(await leaving('until-made', true)).not.toMatchObject({ is: 'blocked' });
});

test.for([true, false])('what it always needs stays, and serves nobody new: made %s', async (isMade) => {
  expect(await leaving(true, isMade)).toEqual(still);
});
