// What a command works on, and which object is meant: from what is typed alone.
import { describe, expect, test } from 'vitest';
import { objectKey, oneObject, queryOf } from '../../src/cli/object-key.ts';
import { placeOf } from '../../src/cli/options.ts';

describe('a cluster is worked on only if it is asked for', () => {
  const stateDir = 'S';
  const env = { HOME: '/home/ann' };
  test.for([
    { flags: {}, place: { stateDir } },
    { flags: { namespace: 'shop' }, place: { stateDir, namespace: 'shop' } },
    { flags: { source: 'kubernetes' }, place: { cluster: { env } } },
    { flags: { context: 'prod' }, place: { cluster: { env, context: 'prod' } } },
    {
      flags: { kubeconfig: 'file', namespace: 'shop' },
      place: { cluster: { env, kubeconfig: 'file' }, namespace: 'shop' },
    },
  ])('$flags', ({ flags, place }) => {
    expect(placeOf({ stateDir, ...flags }, env)).toStrictEqual(place);
  });
});

test.for([
  { text: 'CSIVolume/orders', key: 'CSIVolume/shop/orders' },
  { text: 'CSIVolume/blog/orders', key: 'CSIVolume/blog/orders' },
  { text: 'CSIVolume/shop/a.b', key: 'CSIVolume/shop/a.b' },
  { text: 'SchedulerConnection/local', key: 'SchedulerConnection/local' },
  { text: 'csivol/orders', key: 'CSIVolume/shop/orders' },
  { text: 'csivolumes.holdfast.dev/blog/orders', key: 'CSIVolume/blog/orders' },
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

test('a kind without a name is told what is missing, as after kubectl describe', () => {
  const says = 'csivol: expected a name, too; `holdfast get CSIVolume` lists what there is';
  expect(() => oneObject(['csivol'], 'shop')).toThrow(says);
});

test.for([
  { words: '', query: { kinds: [], keys: [] } },
  { words: 'all', query: { kinds: [], keys: [] } },
  { words: 'csivol', query: { kinds: ['CSIVolume'], keys: [] } },
  { words: 'CSIVolumes,ldapstaticrole', query: { kinds: ['CSIVolume', 'LDAPStaticRole'], keys: [] } },
  { words: 'csivol a b', query: { kinds: [], keys: ['CSIVolume/shop/a', 'CSIVolume/shop/b'] } },
  { words: 'csivol blog/a', query: { kinds: [], keys: ['CSIVolume/blog/a'] } },
  {
    words: 'csivol/a schedulerconnection/local',
    query: { kinds: [], keys: ['CSIVolume/shop/a', 'SchedulerConnection/local'] },
  },
])('as kubectl takes it, `get $words` is understood', ({ words, query }) => {
  expect(queryOf(words.split(' ').filter(Boolean), 'shop')).toEqual(query);
});

test.for([
  { words: 'all orders', says: 'all orders: expected a kind before a name' },
  { words: 'csivolum', says: 'csivolum: expected a kind, or KIND/NAMESPACE/NAME; did you mean CSIVolume?' },
  { words: 'csivol,pods', says: 'csivol,pods: expected a kind, or KIND/NAMESPACE/NAME; kinds: ' },
])('`get $words` says what it does not understand', ({ words, says }) => {
  expect(() => queryOf(words.split(' '), 'shop')).toThrow(says);
});

test('`describe KIND NAME` is one object, and never two', () => {
  expect(oneObject(['csivol', 'orders'], 'shop')).toBe('CSIVolume/shop/orders');
  expect(() => oneObject(['csivol', 'orders', 'archive'], 'shop')).toThrow('archive: expected one object');
  const two = ['csivol/shop/orders', 'csivol/shop/archive'];
  expect(() => oneObject(two, 'shop')).toThrow('csivol/shop/archive: expected one object'); // not a name of both
});
