// The policies: the table of test/support/policy-rows.ts holds, and it notices every change of a policy.
import { describe, expect, test } from 'vitest';
import * as policies from '../../../src/core/planning/policy.ts';
import type { Change, Plan } from '../../../src/core/planning/plan.ts';
import {
  managing,
  mergePolicy,
  releases,
  suspended,
  type Policy,
} from '../../../src/core/planning/policy.ts';
import { planned, rows, short } from '../../support/policy-rows.ts';
import { given, situation } from '../../support/toy.ts';

describe.for(Object.entries(rows))('%s', ([, table]) => {
  test.for(table)('$why: $expect', (row) => {
    expect(short(planned(given(...row.given)))).toBe(row.expect);
  });
});

/** One cell of a table, and another value that occurs in the same table. */
interface Mutant {
  readonly cell: string;
  readonly node: object;
  readonly key: string;
  readonly value: unknown;
  readonly other: unknown;
}

const leaves = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leaves) : [value];

function mutants(name: string, node: object, values: ReadonlySet<unknown>): readonly Mutant[] {
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    const cell = `${name}.${key}`;
    if (typeof value === 'object' && value !== null) return mutants(cell, value, values);
    return [...values].filter((other) => other !== value).map((other) => ({ cell, node, key, value, other }));
  });
}

const tables = Object.entries(policies).flatMap(
  ([name, value]): [string, object][] =>
    typeof value === 'object' && name !== 'managing' ? [[name, value]] : [], // a policy, no table of them
);

/** Fields that are only sent when creating are never compared, so nothing asks how to bring them in line. */
const isReachable = ({ cell }: Mutant): boolean => !cell.startsWith('remedy.creation.');

const cells = tables
  .flatMap(([name, table]) => mutants(name, table, new Set(leaves(table))))
  .filter(isReachable);

const red = (): readonly string[] =>
  Object.values(rows)
    .flat()
    .filter((row) => short(planned(given(...row.given))) !== row.expect)
    .map((row) => row.why);

describe('a mutation of each policy table row turns a test red', () => {
  test('all tables of policies take part', () => {
    const names = ['absence', 'adoption', 'correction', 'removal', 'remedy'];
    expect(new Set(tables.map(([name]) => name))).toEqual(new Set(names));
  });

  test.for(cells)('$cell = $other', ({ node, key, value, other }) => {
    expect(red()).toEqual([]);
    try {
      Reflect.set(node, key, other);
      expect(red()).not.toEqual([]);
    } finally {
      Reflect.set(node, key, value);
    }
  });
});

const policyOf = (management: Policy['management'], deletion: Policy['deletion']): Policy =>
  situation({ policy: { management, deletion } }).policy;

test('a suspended connection suspends an object that says otherwise: one object could undo what holds for all', () => {
  expect(mergePolicy({ suspend: false }, { suspend: true }, managing).suspend).toBe(true);
});

const changing: Change<string> = {
  verdict: 'change',
  steps: [{ verb: 'update', summary: 'write', changes: [], effect: 'write' }],
};

test.for([
  { why: 'itself', suspend: true, deleting: false, expected: 'Suspended: not done while suspended: write' },
  {
    why: 'its connection',
    suspend: false,
    deleting: false,
    connection: 'Conn/c',
    expected: 'Suspended: not done while Conn/c is suspended: write',
  },
  {
    why: 'its connection, while it is being deleted',
    suspend: true,
    deleting: true,
    connection: 'Conn/c',
    expected: 'DeletionBlocked: not done while Conn/c is suspended: write',
  },
])(
  'a plan that is held back names what is suspended: $why',
  ({ suspend, deleting, connection, expected }) => {
    const plan = suspended(changing, { ...managing, suspend }, deleting, connection);
    expect(plan.verdict === 'blocked' ? `${plan.reason}: ${plan.message}` : plan.verdict).toBe(expected);
  },
);

test.for([
  { why: 'after its interval', of: {}, expected: 600_000 },
  { why: 'earlier, where other work is due', of: { dueMs: 5_000 }, expected: 5_000 },
  { why: 'after its interval, where other work is due later', of: { dueMs: 900_000 }, expected: 600_000 },
])(
  'what is held back is looked at again $why, so that what is reported of it is true',
  ({ of, expected }) => {
    const due: Plan<string> = { ...changing, steps: [{ ...changing.steps[0], ...of }] };
    expect(suspended(due, { ...managing, suspend: true }, false)).toMatchObject({ dueMs: expected });
  },
);

test('a plan goes through where nothing is suspended', () => {
  expect(suspended(changing, managing, false)).toBe(changing);
});

test.for([{ suspend: false }, {}])('any other connection leaves it to the object: %j', (connection) => {
  expect(mergePolicy({ suspend: true }, connection, managing).suspend).toBe(true);
  expect(mergePolicy({}, connection, managing).suspend).toBe(false);
});

test('where nobody says anything, what is there is left as found, and what is ours is kept in line', () => {
  expect(managing).toEqual({
    management: 'Full',
    adoption: 'Fail',
    deletion: 'Retain',
    replace: 'Never',
    suspend: false,
    drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
  });
});

test('what is suspended names what it is kept from, whether it is to be changed or deleted', () => {
  expect(planned(given('suspend', 'drifted'))).toMatchObject({
    reason: 'Suspended',
    message: 'not done while suspended: write',
  });
  expect(planned(given('suspend', 'deleting', 'Delete'))).toMatchObject({
    reason: 'DeletionBlocked',
    message: 'not done while suspended: Delete it',
    wake: { on: 'edit' },
  });
});

test.for([
  { why: 'what is kept needs no connection', policy: policyOf('Full', 'Retain'), expect: true },
  { why: 'deregistering is a call', policy: policyOf('Full', 'Deregister'), expect: false },
  { why: 'deleting is a call', policy: policyOf('Full', 'Delete'), expect: false },
  { why: 'an observer keeps it', policy: policyOf('ObserveOnly', 'Retain'), expect: true },
  { why: 'an observer deregisters nothing', policy: policyOf('ObserveOnly', 'Deregister'), expect: true },
  { why: 'an observer deletes nothing', policy: policyOf('ObserveOnly', 'Delete'), expect: true },
])('releases without a call: $why', (row) => {
  expect(releases(row.policy)).toBe(row.expect);
});

describe('whose policy counts', () => {
  const kind = policyOf('Full', 'Retain');

  test('the object before its connection before the kind', () => {
    expect(mergePolicy({}, {}, kind)).toEqual(kind);
    expect(mergePolicy({}, { adoption: 'Adopt' }, kind).adoption).toBe('Adopt');
    expect(mergePolicy({ adoption: 'Fail' }, { adoption: 'Adopt' }, kind).adoption).toBe('Fail');
  });

  test('of drift, each part by itself', () => {
    const merged = mergePolicy({ drift: { ignore: ['/a'] } }, { drift: { mode: 'Warn' } }, kind);
    expect(merged.drift).toEqual({ mode: 'Warn', intervalMs: 600_000, ignore: ['/a'] });
    const overruled = mergePolicy({ drift: { mode: 'Ignore' } }, { drift: { mode: 'Warn' } }, kind);
    expect(overruled.drift.mode).toBe('Ignore');
  });

  test("an interval is an object's own only if the object says so", () => {
    expect(mergePolicy({}, { drift: { intervalMs: 1 } }, kind).drift).not.toHaveProperty('ownInterval');
    const own = mergePolicy({ drift: { intervalMs: 2 } }, { drift: { intervalMs: 1 } }, kind).drift;
    expect(own).toMatchObject({ intervalMs: 2, ownInterval: true });
  });
});
