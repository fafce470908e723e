// What is read as the frozen are thawed: only where a snapshot stands whose consistency depends on it, since each read costs.
import { expect, test } from 'vitest';
import type { Reader } from '../../../src/api/routes.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { HooksOwn, Own } from '../../../src/kinds/csi-snapshot/own.ts';
import { begun, quiesce } from './frozen.ts';
import { own as taken } from './situation.ts';

const never = new AbortController().signal;
const frozen = { ...quiesce, restarts: { a1: 'none', a2: 'none' } };

async function asked(own: Own | undefined, listed: unknown = []) {
  const asks: object[] = [];
  const read: Reader = {
    read(op, params) {
      asks.push({ op, ...params });
      // oxlint-disable-next-line no-unsafe-type-assertion -- only allocation.list is asked
      return Promise.resolve(listed as never);
    },
    page: () => Promise.reject(new Error('nobody asks for pages')),
  };
  const says = await csiSnapshot.closing({ ...noStatus, ...(own && { own }) }, read, never);
  return { says, asks };
}
const standing = (hooks: Partial<HooksOwn>): Own => ({ ...taken, hooks: { ...begun, ...hooks } });

test('those of the job are listed, of its group where the hooks name one', async () => {
  const one = { op: 'allocation.list', namespace: 'default', task_states: true };
  const says = 'allocation a1 ended while it was frozen';
  expect(await asked(standing({ quiesce: frozen }))).toEqual({
    says,
    asks: [{ ...one, filter: 'JobID == "orders"' }],
  });
  expect(await asked(standing({ quiesce: { ...frozen, group: 'db' } }), undefined)).toEqual({
    says,
    asks: [{ ...one, filter: 'JobID == "orders" and TaskGroup == "db"' }],
  });
});

test.for<readonly [why: string, own: Own | undefined]>([
  ['nothing is recorded', undefined],
  ['the snapshot has no hooks', taken],
  ['nothing is frozen any more', { ...taken, hooks: { of: begun.of, tries: 1 } }],
  ['not all were frozen', standing({ quiesce: { ...frozen, frozen: false } })],
  ['it was said before', standing({ quiesce: frozen, outcome: 'Quiesced' })],
  ['no snapshot was taken', { hooks: { ...begun, quiesce: frozen } }],
])('nothing is read where $0', async ([, own]) => {
  expect(await asked(own)).toEqual({ says: '', asks: [] });
});

test('what is no allocation is not judged', async () => {
  await expect(asked(standing({ quiesce: frozen }), [{ ID: 5 }])).rejects.toThrow(
    'allocation.list: an entry is no allocation',
  );
});
