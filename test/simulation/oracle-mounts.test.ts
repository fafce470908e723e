// What the oracle forbids at the mounts of the secrets service, and what it allows.
import { expect, test } from 'vitest';
import { A, broken, gone, keeper, minute, tree } from './accounts.ts';
import {
  held,
  at,
  object,
  sub,
  teams,
  keys,
  otherKeys,
  otherSecret,
  people,
  invoices,
  stranger,
  by,
  wrote,
  removed,
  lost,
  since,
  theirs,
  own,
  madeKeys,
  left,
  type Row,
  role,
  provider,
} from './mount-accounts.ts';

const writes: readonly Row[] = [
  { why: 'what is declared is made', mountActs: [own], snapshots: [since(0, people)] },
  { why: 'what nobody declares is made', mountActs: [own], snapshots: [since(0)], breaks: 'I18' },
  {
    why: 'what is suspended is made',
    mountActs: [own],
    snapshots: [since(0, { ...people, suspended: true })],
    breaks: 'I18',
  },
  {
    why: 'what left long ago is made',
    mountActs: [wrote(role, sub, 2 * gone)],
    snapshots: left,
    breaks: 'I18',
  },
  {
    why: 'what somebody else made is written over',
    mountActs: [theirs, wrote(role, sub, minute, teams)],
    snapshots: [since(0, people)],
    breaks: 'I18',
  },
  {
    why: 'what somebody else made since the last look is written over',
    mountActs: [{ ...theirs, at: minute - 5 }, wrote(role, sub, minute, teams)],
    snapshots: [since(0, people)],
  },
  {
    why: 'what somebody else made is taken over, as was declared',
    mountActs: [theirs, wrote(role, sub, minute, teams)],
    snapshots: [since(0, { ...people, adoption: 'Adopt' })],
  },
  {
    why: 'what somebody else made is written over, where a create may have had no answer when the process ended',
    mountActs: [{ ...theirs, at: minute / 2 }, wrote(role, sub, minute, teams)],
    snapshots: [since(0, people)],
    facts: [{ at: 100, operator: 'A', is: 'ended' }],
  },
  {
    why: 'the same, for who else logs in than the create would have had',
    mountActs: [
      wrote(role, held({ user: 'upn' }), minute / 2, undefined, stranger),
      wrote(role, sub, minute, held({ user: 'upn' })),
    ],
    snapshots: [since(0, people)],
    facts: [{ at: 100, operator: 'A', is: 'ended' }],
    breaks: 'I18',
  },
  {
    why: 'the same, where the process ended once it was there',
    mountActs: [theirs, wrote(role, sub, minute, teams)],
    snapshots: [since(0, people)],
    facts: [{ at: 100, operator: 'A', is: 'ended' }],
    breaks: 'I18',
  },
  {
    why: 'what differs is taken over, though only the same was to be',
    mountActs: [theirs, wrote(role, sub, minute, teams)],
    snapshots: [since(0, { ...people, adoption: 'AdoptIfIdentical' })],
    breaks: 'I18',
  },
  {
    why: 'its own is brought back in line',
    mountActs: [own, wrote(role, teams, minute, sub, stranger), wrote(role, sub, 2 * minute, teams)],
    snapshots: [since(0, people)],
  },
  {
    why: 'what it made before its state was lost is written over',
    mountActs: [own, wrote(role, teams, minute, sub, stranger), wrote(role, sub, 2 * minute, teams)],
    snapshots: [since(0, people)],
    facts: [{ at: minute, operator: 'A', is: 'lost' }],
    breaks: 'I18',
  },
];

/** Six, of which three leave together. */
const others = ['a', 'b', 'c', 'd', 'e'].map((id) => object('OIDCRole', at('auth/oidc/role', id), sub));
const tenth = { limits: { perHour: 100, percent: 10 } };
const sixth = [tree(0, [keeper, people, ...others], tenth), tree(gone, [keeper, ...others.slice(2)], tenth)];
const goes = removed(role, sub, gone + minute);

const removals: readonly Row[] = [
  { why: 'what left is deleted', mountActs: [own, removed(role, sub, gone + minute)], snapshots: left },
  {
    why: 'what is declared is deleted',
    mountActs: [own, removed(role, sub, gone)],
    snapshots: [since(0, people)],
    breaks: 'I19',
  },
  {
    why: 'what was to be kept is deleted',
    mountActs: [own, removed(role, sub, gone + minute)],
    snapshots: [since(0, { ...people, deletion: 'Retain' }, invoices), since(gone, invoices)],
    breaks: 'I19',
  },
  {
    why: 'what somebody else made is deleted',
    mountActs: [wrote(role, sub, 50, undefined, stranger), removed(role, sub, gone + minute)],
    snapshots: left,
    breaks: 'I19',
  },
  {
    why: 'what somebody else put in its place for other users is deleted',
    mountActs: [
      own,
      wrote(role, held({ user: 'upn' }), minute, sub, stranger),
      removed(role, held({ user: 'upn' }), gone + minute),
    ],
    snapshots: left,
    breaks: 'I19',
  },
  {
    why: 'it is deleted after the state was put back',
    mountActs: [own, removed(role, sub, gone + minute)],
    snapshots: left,
    facts: [{ at: gone, operator: 'A', is: 'restored' }],
    breaks: 'I19',
  },
  {
    why: 'it is deleted after the state that was put back was lost, and it was adopted anew',
    mountActs: [wrote(role, sub, 50, undefined, stranger), removed(role, sub, gone + minute)],
    snapshots: [since(0, { ...people, adoption: 'Adopt' }, invoices), since(gone, invoices)],
    facts: [
      { at: 100, operator: 'A', is: 'restored' },
      { at: 200, operator: 'A', is: 'lost' },
    ],
  },
  {
    why: 'one more is deleted than the limits allow',
    mountActs: [own, removed(role, sub, gone + minute)],
    snapshots: left.map((one) => ({ ...one, limits: { perHour: 0, percent: 100 } })),
    breaks: 'I4',
  },
  {
    why: 'more of six is deleted than the limits allow',
    mountActs: [own, ...others.map(({ place, held: what = sub }) => wrote(place, what, 100)), goes],
    snapshots: sixth,
    breaks: 'I4',
  },
  {
    why: 'one of four is deleted, beside two of which nothing was outside',
    mountActs: [own, ...others.slice(2).map(({ place, held: what = sub }) => wrote(place, what, 100)), goes],
    snapshots: sixth,
  },
  {
    why: 'one more is deleted, which a person let go',
    mountActs: [own, removed(role, sub, gone + minute)],
    snapshots: left.map((one) => ({ ...one, limits: { perHour: 0, percent: 100 } })),
    facts: [{ at: gone + 1_000, operator: 'A', is: 'approved', keys: [people.key], digest: 'x' }],
  },
];

const again: readonly Row[] = [
  {
    why: 'it is written again for nothing',
    mountActs: [own, wrote(role, sub, 2 * minute, sub)],
    snapshots: [since(0, people)],
    breaks: 'I20',
  },
  {
    why: 'it is written again, and the network doubled it',
    mountActs: [own, { ...wrote(role, sub, 600, sub), sentAt: 100 }],
    snapshots: [since(0, people)],
  },
  {
    why: 'it is written again, as its answer was lost',
    mountActs: [lost(own), wrote(role, sub, 2 * minute, sub)],
    snapshots: [since(0, people)],
  },
  {
    why: 'credentials are sent again for nothing',
    mountActs: [madeKeys, wrote(provider, keys, 2 * minute, keys)],
    snapshots: [since(0, invoices)],
    breaks: 'I20',
  },
  {
    why: 'credentials are sent again, as their Secret moved',
    mountActs: [madeKeys, wrote(provider, otherSecret, 2 * minute, keys)],
    snapshots: [since(0, invoices), since(minute, { ...invoices, held: otherSecret })],
  },
  {
    why: 'credentials are sent to what is taken over',
    mountActs: [wrote(provider, keys, 50, undefined, stranger), wrote(provider, keys, 2 * minute, keys)],
    snapshots: [since(0, { ...invoices, adoption: 'Adopt' })],
    breaks: 'I20',
  },
  {
    why: 'a provider gets another collection',
    mountActs: [madeKeys, removed(provider, keys, minute, stranger), wrote(provider, otherKeys, 2 * minute)],
    snapshots: [since(0, invoices), since(minute, { ...invoices, held: otherKeys })],
    breaks: 'I21',
  },
  {
    why: 'another collection is asked for in vain',
    mountActs: [
      madeKeys,
      { ...by(2 * minute, A), is: 'refused', place: provider, why: 'key_collection cannot be changed' },
    ],
    snapshots: [since(0, invoices)],
    breaks: 'I21',
  },
];

const judged = /^I(4|18|19|20|21|22)$/;

test.each([...writes, ...removals, ...again])('$why: breaks $breaks', ({ breaks, ...row }) => {
  const found = broken({ entries: [], ...row }).filter((one) => judged.test(one));
  expect(found).toEqual(breaks === undefined ? [] : [breaks]);
});
