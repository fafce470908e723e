// How it may end at the mounts of the secrets service: invariant 22.
import { expect, test } from 'vitest';
import { broken, gone, minute, told } from './accounts.ts';
import {
  asForeign,
  held,
  sub,
  teams,
  keys,
  otherKeys,
  otherSecret,
  people,
  invoices,
  stranger,
  wrote,
  since,
  own,
  madeKeys,
  left,
  endsWith,
  type Row,
  role,
  provider,
} from './mount-accounts.ts';

const withoutSecret = held({ collection: 'keys-a' });

const ready = endsWith(provider, keys, invoices);
const refused = {
  ...told('A'),
  key: people.key,
  conditions: [{ type: 'Ready', status: 'False', reason: 'InvalidSpec', message: '' }],
};

const ends: readonly Row[] = [
  {
    why: 'all is as declared',
    mountActs: [own],
    snapshots: [since(0, people)],
    end: endsWith(role, sub, people),
  },
  {
    why: 'it is ready, and another',
    mountActs: [own],
    snapshots: [since(0, people)],
    end: endsWith(role, teams, people),
    breaks: 'I22',
  },
  {
    why: 'it is ready, and a field that was let go has its value still',
    mountActs: [own],
    snapshots: [since(0, people), since(minute, { ...people, held: held({ user: 'sub' }) })],
    end: endsWith(role, sub, people),
    breaks: 'I22',
  },
  {
    why: 'it is ready, and a field was let go before a doubled request brought it back',
    mountActs: [
      own,
      wrote(role, held({ user: 'sub' }), minute, sub),
      { ...wrote(role, sub, minute + 300, held({ user: 'sub' })), sentAt: minute - 10 },
    ],
    snapshots: [since(0, people), since(minute - 50, { ...people, held: held({ user: 'sub' }) })],
    end: endsWith(role, sub, people),
  },
  {
    why: 'it is ready, and has other credentials than are declared',
    mountActs: [madeKeys],
    snapshots: [since(0, invoices), since(minute, { ...invoices, held: otherSecret })],
    end: endsWith(provider, keys, invoices),
    breaks: 'I22',
  },
  {
    why: 'it is ready, and somebody else sent other credentials last',
    mountActs: [madeKeys, wrote(provider, otherSecret, minute, keys, stranger)],
    snapshots: [since(0, invoices)],
    end: endsWith(provider, otherSecret, invoices),
  },
  {
    why: 'its own is refused',
    mountActs: [own],
    snapshots: [since(0, people)],
    end: {
      held: [{ place: role, held: sub }],
      told: [asForeign],
    },
    breaks: 'I22',
  },
  {
    why: 'what left and was to go is left over',
    mountActs: [own],
    snapshots: left,
    end: { held: [{ place: role, held: sub }] },
    breaks: 'I22',
  },
  {
    why: 'what left was to be kept',
    mountActs: [own],
    snapshots: [since(0, { ...people, deletion: 'Retain' }, invoices), since(gone, invoices)],
    end: { held: [{ place: role, held: sub }] },
  },
  {
    why: 'a provider that left and was to go is left over',
    mountActs: [madeKeys],
    snapshots: [since(0, people, { ...invoices, deletion: 'Delete' }), since(gone, people)],
    end: { held: [{ place: provider, held: keys }] },
    breaks: 'I22',
  },
  {
    why: 'what left was to be kept, until an edit that can not be made',
    mountActs: [madeKeys],
    snapshots: [
      since(0, people, { ...invoices, deletion: 'Retain' }),
      since(minute, people, { ...invoices, held: otherKeys, deletion: 'Delete' }),
      since(gone, people),
    ],
    end: { held: [{ place: provider, held: keys }] },
  },
  {
    why: 'it is ready, and has credentials that are declared nowhere any more',
    mountActs: [madeKeys],
    snapshots: [since(0, invoices), since(minute, { ...invoices, held: withoutSecret })],
    end: endsWith(provider, keys, invoices),
    breaks: 'I22',
  },
  {
    why: 'it is ready, and its credentials went while a file could not be used, where they may be declared',
    mountActs: [madeKeys],
    snapshots: [
      since(0, invoices),
      { ...since(minute, { ...invoices, held: withoutSecret }), unsound: true },
    ],
    end: endsWith(provider, keys, invoices),
  },
  {
    why: 'it is ready, and its credentials went beside an edit that can not be made, where they may be declared',
    mountActs: [madeKeys],
    snapshots: [since(0, invoices), since(minute, { ...invoices, held: withoutSecret })],
    end: { ...ready, told: [...ready.told, refused] },
  },
];

const judged = /^I(4|18|19|20|21|22)$/;

test.each(ends)('$why: breaks $breaks', ({ breaks, ...row }) => {
  const found = broken({ entries: [], ...row }).filter((one) => judged.test(one));
  expect(found).toEqual(breaks === undefined ? [] : [breaks]);
});
