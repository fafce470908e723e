// An object whose manifest is gone while other files can't be used stays, and says so: it looked as if nothing had been asked.
import { expect, test } from 'vitest';
import { conclude, stanceOf, type Ending } from '../../../src/core/status/outcome.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { parked, rest, visited } from '../../support/visits.ts';

const heldBack = "its manifest is gone, and it is not deleted while 1 file can't be used (a.yaml)";
const told = (ending: Ending, why: string | undefined) =>
  conclude({ ...visited({ ending }), heldBack: why }).status.conditions.map(
    ({ type, status, reason, message }) => `${type} ${status} ${reason}: ${message}`,
  );

test('it is as ready as before, and not as declared', () => {
  expect(told(rest(), heldBack)).toEqual([
    'Ready True InSync: ',
    `Synced False DeletionHeldBack: ${heldBack}`,
  ]);
  expect(told(rest(), undefined)).toContain('Synced True InSync: ');
});

test('what else keeps it from being as declared comes first', () => {
  expect(told(parked, heldBack)).toEqual(told(parked, undefined));
});

test('of an object goes into its conclusion what it is judged by', () => {
  const judged = { generation: 3, deleting: false, heldBack: 'its manifest is gone' };
  const key = { kind: 'Disk', namespace: 'shop', name: 'a' };
  const object = { key, uid: 'u', spec: {}, requests: {}, held: true, ...judged };
  const kinds = new Map([['Disk', { isPresent: () => true }]]);
  const stance = stanceOf(object, kinds);
  expect(stance).toMatchObject(judged);
  expect(stance.isPresent(noStatus)).toBe(true);
});
