// Where things are in the API server, and what an answer has to be to be taken for an object.
import { describe, expect, test } from 'vitest';
import {
  collectionPath,
  discoveryPath,
  microTime,
  objectOf,
  objectPath,
  pageOf,
  secrets,
  type Resource,
} from '../../../src/api/kubernetes/resources.ts';
import type { Json } from '../../../src/core/secret.ts';

const nomads: Resource = {
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Nomad',
  plural: 'nomads',
  namespaced: false,
};
const disks: Resource = { ...nomads, kind: 'Disk', plural: 'disks', namespaced: true };

test.for<{ what: string; path: string; is: string }>([
  { what: 'the core', path: discoveryPath('v1'), is: '/api/v1' },
  { what: 'a group', path: discoveryPath('a.b/v2'), is: '/apis/a.b/v2' },
  { what: 'all Secrets', path: collectionPath(secrets, ''), is: '/api/v1/secrets' },
  {
    what: 'those of a namespace',
    path: collectionPath(secrets, 'shop'),
    is: '/api/v1/namespaces/shop/secrets',
  },
  {
    what: 'what has no namespace, whatever is asked for',
    path: collectionPath(nomads, 'shop'),
    is: '/apis/holdfast.dev/v1alpha1/nomads',
  },
  {
    what: 'an object',
    path: objectPath(disks, { namespace: 'shop', name: 'a' }),
    is: '/apis/holdfast.dev/v1alpha1/namespaces/shop/disks/a',
  },
  {
    what: 'the status of one',
    path: objectPath(nomads, { namespace: '', name: 'a' }, 'status'),
    is: '/apis/holdfast.dev/v1alpha1/nomads/a/status',
  },
  {
    what: 'a name that leads elsewhere, which it does not',
    path: objectPath(secrets, { namespace: 'shop/secrets/b?', name: '../c#' }),
    is: '/api/v1/namespaces/shop%2Fsecrets%2Fb%3F/secrets/..%2Fc%23',
  },
])('$what', ({ path, is }) => {
  expect(path).toBe(is);
});

const whole = { metadata: { name: 'a', uid: 'u', resourceVersion: '1' }, data: { k: 'v' } };

describe('an answer', () => {
  test('that is an object is taken as it is', () => {
    expect(objectOf('disks.get', whole)).toStrictEqual(whole);
  });

  test('is kept without who wrote which field: that is as long as the rest, and lists hold thousands', () => {
    const managedFields = [{ manager: 'kubectl', fieldsV1: { 'f:data': {} } }];
    const found = objectOf('disks.get', { ...whole, metadata: { ...whole.metadata, managedFields } });
    expect(found).toStrictEqual(whole);
  });

  test.for<{ what: string; answer: unknown }>([
    { what: 'null', answer: null },
    { what: 'a list', answer: [whole] },
    { what: 'without metadata', answer: { data: {} } },
    { what: 'without a UID', answer: { metadata: { name: 'a', resourceVersion: '1' } } },
    {
      what: 'with a version that is a number',
      answer: { metadata: { ...whole.metadata, resourceVersion: 1 } },
    },
  ])('that is $what is no object, and what was asked for may have been done', ({ answer }) => {
    expect(() => objectOf('disks.patch', answer)).toThrow(
      expect.objectContaining({ class: 'unreadable', mayHaveHadEffect: true }),
    );
  });

  test.for<{ what: string; answer: Json; next?: string }>([
    { what: 'the last page', answer: { metadata: { resourceVersion: '5' }, items: [whole] } },
    {
      what: 'the last page, as Go has it',
      answer: { metadata: { resourceVersion: '5', continue: '' }, items: [whole] },
    },
    {
      what: 'a page with more to come',
      answer: { metadata: { resourceVersion: '5', continue: 'c' }, items: [whole] },
      next: 'c',
    },
  ])('that is $what', ({ answer, next }) => {
    const items = [whole];
    expect(pageOf('disks.list', answer)).toEqual({ items, resourceVersion: '5', ...(next && { next }) });
  });

  test.for<{ what: string; answer: Json }>([
    { what: 'an object', answer: whole },
    { what: 'a list without a version', answer: { metadata: {}, items: [] } },
    {
      what: 'a list without items, which would be taken for an empty one',
      answer: { metadata: { resourceVersion: '5' } },
    },
    {
      what: 'a list with something else among them',
      answer: { metadata: { resourceVersion: '5' }, items: [{}] },
    },
  ])('that is $what is no page', ({ answer }) => {
    expect(() => pageOf('disks.list', answer)).toThrow(expect.objectContaining({ class: 'unreadable' }));
  });
});

test('times have six digits after the second', () => {
  expect([microTime(0), microTime(1_234, 7)]).toEqual([
    '1970-01-01T00:00:00.000000Z',
    '1970-01-01T00:00:01.234007Z',
  ]);
});
