// What the oracle allows for in a cluster only, and what it forbids there and elsewhere.
import { expect, test } from 'vitest';
import { broken, declared, dereg, gone, keeper, made, minute, shape, tree, type Told } from './accounts.ts';
import type { Held } from './oracle/record.ts';
import {
  asForeign,
  endsWith,
  held,
  invoices,
  keys,
  madeKeys,
  object,
  otherSecret,
  own,
  people,
  provider,
  role,
  since,
  sub,
  wrote,
} from './mount-accounts.ts';

const stripped = { at: 3 * minute, operator: 'A', is: 'stripped' } as const;

/** Its Secret is another one for a minute, which nobody writes, and is sent again once it is back. */
const thereAndBack: Told = {
  entries: [],
  mountActs: [madeKeys, wrote(provider, keys, 4 * minute, keys)],
  snapshots: [
    since(0, invoices),
    since(2 * minute, object('KMSProvider', provider, otherSecret)),
    since(3 * minute, invoices),
  ],
};
const sentAgain: Told = {
  entries: [],
  mountActs: [madeKeys, wrote(provider, keys, 4 * minute, keys)],
  snapshots: [since(0, invoices)],
};
const less = object('OIDCRole', role, held({ user: 'sub' }));
const letGo: Told = {
  entries: [],
  mountActs: [own],
  snapshots: [since(0, people), since(2 * minute, less)],
  end: endsWith(role, sub, less),
};
/** Refused as another's, which it made itself. @param now what is declared by then */
const refusedOwn = (now: Held): Told => ({
  entries: [],
  mountActs: [own],
  snapshots: [since(0, people), since(2 * minute, object('OIDCRole', role, now))],
  end: {
    held: [{ place: role, held: sub }],
    told: [asForeign],
  },
});
const other = held({ user: 'email' });
/** Deregistered on its way out, and nothing says what became of the disk. */
const leftOver: Told = {
  entries: [...made('d1'), dereg('d1', 2 * minute)],
  snapshots: [tree(0, [declared, keeper]), tree(minute, [keeper])],
  end: { disks: new Map([['d1', shape]]) },
};

test.for<readonly [string, Told]>([
  ['a Secret that was there and back', { ...thereAndBack, inCluster: true }],
  ['what is sent again after its status was stripped', { ...sentAgain, facts: [stripped] }],
  ['a field that was let go when its status was stripped', { ...letGo, facts: [stripped] }],
  ['an edit of what was made before its status was stripped', { ...refusedOwn(other), facts: [stripped] }],
  ['a disk on its way out when its status was stripped', { ...leftOver, facts: [stripped] }],
])('nothing is broken by %s', ([, account]) => expect(broken(account)).toEqual([]));

test.for<readonly [string, string, Told]>([
  ['I20', 'a Secret that was there and back in a directory', thereAndBack],
  ['I20', 'what is sent again for no reason', { ...sentAgain, inCluster: true }],
  ['I20', 'what is sent again before', { ...sentAgain, facts: [{ ...stripped, at: gone }] }],
  ['I22', 'a field that was let go', { ...letGo, inCluster: true }],
  [
    'I22',
    'what is refused as it was made, though its status was stripped',
    { ...refusedOwn(sub), facts: [stripped] },
  ],
  ['I22', 'an edit that is refused though all is remembered', { ...refusedOwn(other), inCluster: true }],
  ['I8', 'a disk on its way out', { ...leftOver, inCluster: true }],
  [
    'I23',
    'a request of a process without the Lease',
    { entries: [], snapshots: [since(0)], unfenced: [{ at: gone, message: 'PUT /v1/volume/csi/data' }] },
  ],
])('but %s is broken by %s', ([invariant, , account]) => expect(broken(account)).toContain(invariant));
