// What a command works on, and which object is meant: from what is typed alone.
import { describe, expect, test } from 'vitest';
import { objectKey } from '../../src/cli/object-key.ts';
import { placeOf } from '../../src/cli/options.ts';

describe('a cluster is worked on only if it is asked for', () => {
  const stateDir = 'S';
  const env = { HOME: '/home/ann' };
  test.for([
    { flags: {}, place: { stateDir } },
    { flags: { source: 'kubernetes' }, place: { cluster: { env } } },
    { flags: { context: 'prod' }, place: { cluster: { env, context: 'prod' } } },
    {
      flags: { kubeconfig: 'file', namespace: 'shop' },
      place: { cluster: { env, kubeconfig: 'file' }, namespace: 'shop' },
    },
  ])('$flags', ({ flags, place }) => {
    expect(placeOf({ stateDir, ...flags }, env)).toStrictEqual(place);
  });

  test('a namespace alone does not say which one', () => {
    expect(() => placeOf({ stateDir, namespace: 'shop' }, env)).toThrow('-n is for a cluster');
  });
});

test.for([
  { text: 'CSIVolume/orders', key: 'CSIVolume/shop/orders' },
  { text: 'CSIVolume/blog/orders', key: 'CSIVolume/blog/orders' },
  { text: 'CSIVolume/shop/a.b', key: 'CSIVolume/shop/a.b' },
  { text: 'SchedulerConnection/local', key: 'SchedulerConnection/local' },
])('$text in the namespace shop is $key', ({ text, key }) => {
  expect(objectKey(text, 'shop')).toBe(key);
});

test.for([
  { why: 'another path', text: 'CSIVolume/../orders' },
  { why: 'another path at its end', text: 'CSIVolume/shop/..' },
  { why: 'a query', text: 'CSIVolume/shop/a?dryRun=All' },
  { why: 'escaped already', text: 'CSIVolume/shop/a%2f..' },
  { why: 'a control character', text: 'CSIVolume/shop/a\u001b[2J' },
  { why: 'upper case', text: 'CSIVolume/shop/Orders' },
  { why: 'too long', text: `CSIVolume/shop/${'a'.repeat(254)}` },
  { why: 'too many parts', text: 'CSIVolume/shop/a/status' },
  { why: 'a namespace where there is none', text: 'SchedulerConnection/shop/local' },
  { why: 'no kind', text: 'Secret/shop/login' },
])('$why is no object', ({ text }) => {
  expect(() => objectKey(text, 'shop')).toThrow(/expected/);
});
