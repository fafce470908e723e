// Every field that the documents give a reply, seen in what the embedded services answer, of the kind that they give it.
import { beforeAll, expect, test } from 'vitest';
import { documents } from './items/all.ts';
import { problemOf } from './kinds.ts';
import { kept, scheduled, type Replies } from './scenario.ts';

const replied = documents
  .flatMap(({ sections }) => sections)
  .flatMap(({ items }) => items)
  .flatMap((one) => one.replied ?? []);

const operations = [
  'allocation.list',
  'allocation.read',
  'allocation.stop',
  'volume.list',
  'volume.read',
  'volume.external',
  'snapshot.create',
  'snapshot.list',
  'event.stream',
  'ldap.config.read',
  'ldap.role.read',
  'ldap.credential.read',
];

let replies: Replies = new Map();
beforeAll(async () => {
  replies = new Map([...(await scheduled()), ...(await kept())]);
});

test.each(operations)('every documented field of %s is answered, of its kind', (key) => {
  const fields = replied.filter((one) => one.key === key);
  expect(fields).not.toEqual([]);
  expect(fields.flatMap((one) => problemOf(replies, one) ?? [])).toEqual([]);
});

test('no reply that has documented fields is left out', () => {
  expect([...new Set(replied.map(({ key }) => key))].toSorted()).toEqual(operations.toSorted());
});
