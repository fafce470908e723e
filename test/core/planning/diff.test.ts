// What counts as a difference: only managed fields, compared as their rules say, blind where nothing can be read.
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diff, publicFields, type Field } from '../../../src/core/planning/diff.ts';
import type { FieldChange } from '../../../src/core/status/status.ts';
import { Secret, publicOf, type Json, type Sealed } from '../../../src/core/secret.ts';
import { boxing, json, reordered } from '../../support/arbitraries.ts';

/** What is known of one field. */
interface Facts {
  readonly want?: Sealed;
  readonly have?: Json;
  readonly applied?: Json;
  readonly adopting?: boolean;
}

const at = <T>(value: T | undefined): { readonly '/f'?: T } => (value === undefined ? {} : { '/f': value });

function changeOf(rule: Field, { want, have, applied, adopting = false }: Facts): FieldChange | undefined {
  const [change, ...others] = diff({ '/f': rule }, at(want), at(have), at(applied), adopting);
  expect(others).toEqual([]);
  return change;
}

const plain: Field = { change: 'in-place' };
const hidden: Field = { change: 'in-place', unreadable: 'always' };
const sometimes: Field = { change: 'in-place', unreadable: 'when-absent' };
const settable: Field = { change: 'in-place', unset: 'none' };
const maybe = fc.option(json, { nil: undefined });
const compared = fc.constantFrom<Field['change']>('in-place', 'replace', 'identity');
const adopting = fc.boolean();

const box = (version: string): Secret => Secret.of('login/password', version, 'canary-77');

describe('what is as declared is no change', () => {
  test('whatever the value, the rule and the history', () => {
    const comparison = fc.constantFrom('exact' as const, 'set' as const, 'dn' as const);
    fc.assert(
      fc.property(json, maybe, compared, comparison, adopting, (value, applied, change, compare, isNew) => {
        const facts = {
          want: value,
          have: value,
          adopting: isNew,
          ...(applied !== undefined && { applied }),
        };
        expect(changeOf({ change, compare }, facts)).toBeUndefined();
      }),
    );
  });

  test('once written, a value with secrets is not written again', () => {
    fc.assert(
      fc.property(boxing, maybe, ({ sealed, boxes }, have) => {
        const written = { want: sealed, applied: publicOf(sealed), ...(have !== undefined && { have }) };
        const seen = boxes > 0 ? written : { ...written, have: publicOf(sealed) };
        expect(changeOf(plain, seen)).toBeUndefined();
      }),
    );
  });

  test('keys have no order', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), json), (want) => {
        expect(changeOf(plain, { want, have: reordered(want) })).toBeUndefined();
      }),
    );
  });

  test('a set has no order, a list has', () => {
    const list = fc.array(json, { minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(list, (want) => {
        const have = want.toReversed();
        expect(changeOf({ change: 'in-place', compare: 'set' }, { want, have })).toBeUndefined();
        const same = isDeepStrictEqual(want, have);
        expect(changeOf(plain, { want, have }) === undefined).toBe(same);
      }),
    );
  });

  test('at least: more than was asked for is enough', () => {
    const rule: Field = { change: 'in-place', compare: 'at-least' };
    fc.assert(
      fc.property(fc.integer(), fc.integer(), (want, have) => {
        expect(changeOf(rule, { want, have }) === undefined).toBe(have >= want);
      }),
    );
    expect(changeOf(rule, { want: 1, have: 1 })).toBeUndefined();
    expect(changeOf(rule, { want: 1 })).toEqual({ path: '/f', desired: 1, cause: 'edit' });
    expect(changeOf(rule, { want: 1, have: '9' })).toMatchObject({ live: '9' });
    expect(changeOf(rule, { want: '1', have: 9 })).toMatchObject({ desired: '1' }); // no number was asked for
  });
});

describe('what differs is a change', () => {
  test('of the declared value and no other', () => {
    fc.assert(
      fc.property(json, maybe, compared, adopting, (want, have, change, isNew) => {
        const found = changeOf({ change }, { want, adopting: isNew, ...(have !== undefined && { have }) });
        expect(found === undefined).toBe(isDeepStrictEqual(want, have));
        if (found === undefined) return;
        expect(isDeepStrictEqual([found.desired, found.live], [want, have])).toBe(true);
      }),
    );
  });

  test('an edit where the declaration left what was last written, else drift', () => {
    fc.assert(
      fc.property(json, json, maybe, (want, have, applied) => {
        fc.pre(!isDeepStrictEqual(want, have));
        const found = changeOf(plain, { want, have, ...(applied !== undefined && { applied }) });
        expect(found?.cause).toBe(isDeepStrictEqual(want, applied) ? 'drift' : 'edit');
      }),
    );
  });

  test('an edit or drift by the same rule by which it is compared: a set that was written in another order is as written', () => {
    const set: Field = { change: 'in-place', compare: 'set' };
    const facts = { want: ['a', 'b'], applied: ['b', 'a'], have: ['c'] };
    expect(changeOf(set, facts)?.cause).toBe('drift');
    expect(changeOf(plain, facts)?.cause).toBe('edit');
    expect(changeOf(set, { ...facts, applied: ['b'] })?.cause).toBe('edit');
  });

  test('more is not as written where at least so much was asked for', () => {
    const rule: Field = { change: 'in-place', compare: 'at-least' };
    expect(changeOf(rule, { want: 5, applied: 7, have: 4 })?.cause).toBe('edit');
    expect(changeOf(rule, { want: 5, applied: 5, have: 4 })?.cause).toBe('drift');
  });

  test('with what is there only where something is there: an absent value is no value', () => {
    expect(Object.keys(changeOf(plain, { want: 1 }) ?? {})).toEqual(['path', 'desired', 'cause']);
    expect(Object.keys(changeOf(hidden, { want: 1, have: 2 }) ?? {})).toEqual(['path', 'desired', 'cause']);
    expect(Object.keys(changeOf(plain, { want: 1, have: 2 }) ?? {})).toContain('live');
  });

  test('in the order of the table, whatever that of the declaration', () => {
    const table = { '/b': plain, '/a': plain, '/c': plain };
    const found = diff(table, { '/c': 1, '/a': 1, '/b': 1 }, {}, {}, false);
    expect(found.map((c) => c.path)).toEqual(['/b', '/a', '/c']);
  });

  test('where a list became null, or a text became a number', () => {
    const set: Field = { change: 'in-place', compare: 'set' };
    expect(changeOf(set, { want: [], have: null })).toMatchObject({ desired: [], live: null });
    expect(changeOf(set, { want: ['1'], have: [1] })).toBeDefined();
    expect(changeOf(set, { want: ['a,b'], have: ['a', 'b'] })).toBeDefined();
    expect(changeOf(plain, { want: 'absent' })).toBeDefined();
  });

  test('where a name leads to another entry, and not where it is only written otherwise', () => {
    const dn: Field = { change: 'in-place', compare: 'dn' };
    expect(changeOf(dn, { want: 'cn=a,dc=shop', have: 'CN=a, DC=shop' })).toBeUndefined();
    expect(changeOf(dn, { want: 'cn=a,dc=shop', have: 'cn=b,dc=shop' })).toBeDefined();
    expect(changeOf(dn, { want: 'cn=a,dc=shop' })).toBeDefined();
  });
});

describe('what is not declared is not managed', () => {
  test('whatever is there', () => {
    fc.assert(
      fc.property(maybe, compared, adopting, (have, change, isNew) => {
        const facts = { adopting: isNew, ...(have !== undefined && { have }) };
        expect(changeOf({ change, unset: 'none' }, facts)).toBeUndefined();
      }),
    );
  });

  test('let go: reset to what the service would have, once', () => {
    fc.assert(
      fc.property(json, json, (have, applied) => {
        const found = changeOf(settable, { have, applied });
        expect(found === undefined).toBe(have === 'none');
        if (found) expect(found).toMatchObject({ path: '/f', desired: 'none' });
        expect(changeOf(plain, { have, applied })).toBeUndefined(); // can't be unset: simply let go
      }),
    );
  });

  test('let go without being readable: reset unless that was what was written', () => {
    const rule: Field = { ...hidden, unset: [] };
    expect(changeOf(rule, { applied: ['x'] })).toEqual({ path: '/f', desired: [], cause: 'edit' });
    expect(changeOf(rule, { applied: [], have: ['x'] })).toBeUndefined();
  });

  test('what is only sent when creating is never compared', () => {
    fc.assert(
      fc.property(maybe, maybe, maybe, (want, have, applied) => {
        const rule: Field = { change: 'creation', unset: 'none' };
        expect(diff({ '/f': rule }, at(want), at(have), at(applied), false)).toEqual([]);
      }),
    );
  });
});

describe('what can not be read', () => {
  test('is compared with what was last written, and never with what is there', () => {
    fc.assert(
      fc.property(json, maybe, maybe, (want, have, applied) => {
        const written = applied === undefined ? {} : { applied };
        const found = changeOf(hidden, { want, ...written, ...(have !== undefined && { have }) });
        expect(isDeepStrictEqual(found, changeOf(hidden, { want, ...written }))).toBe(true);
        expect(found === undefined).toBe(isDeepStrictEqual(want, applied));
        expect(found ?? {}).not.toHaveProperty('live');
      }),
    );
  });

  test('is an edit when it changes: nobody could have seen it drift', () => {
    expect(changeOf(hidden, { want: 1, applied: 2 })?.cause).toBe('edit');
  });

  test('where the server shows it only sometimes, is compared with what it shows', () => {
    fc.assert(
      fc.property(json, json, maybe, (want, have, applied) => {
        const facts = { want, ...(applied !== undefined && { applied }) };
        const shown = [changeOf(sometimes, { ...facts, have }), changeOf(plain, { ...facts, have })];
        const unseen = [changeOf(sometimes, facts), changeOf(hidden, facts)];
        expect(isDeepStrictEqual(shown[0], shown[1]) && isDeepStrictEqual(unseen[0], unseen[1])).toBe(true);
      }),
    );
  });

  test('is trusted when adopting: what was never written is not overwritten unseen', () => {
    fc.assert(
      fc.property(json, maybe, (want, have) => {
        const seen = have === undefined ? {} : { have };
        expect(changeOf(hidden, { want, adopting: true, ...seen })).toBeUndefined();
        expect(changeOf(sometimes, { want, adopting: true })).toBeUndefined();
        expect(changeOf(plain, { want: [box('1')], adopting: true, ...seen })).toBeUndefined();
      }),
    );
  });

  test('as when adopting, what can be read is compared', () => {
    expect(changeOf(sometimes, { want: 1, have: 2, adopting: true })).toMatchObject({ desired: 1, live: 2 });
  });
});

describe('a secret', () => {
  const before = { $secret: 'login/password', version: '1' };

  test('changes with its version, whatever the service shows in its place', () => {
    const same = changeOf(plain, { want: box('1'), have: '***', applied: before });
    expect(same).toBeUndefined();
    const rotated = changeOf(plain, { want: box('2'), have: '***', applied: before });
    expect(rotated).toEqual({
      path: '/f',
      desired: { $secret: 'login/password', version: '2' },
      cause: 'edit',
    });
  });

  test('makes the whole field that holds it unreadable', () => {
    const rotated = changeOf(plain, {
      want: { a: 1, b: box('2') },
      have: { a: 1 },
      applied: { a: 1, b: before },
    });
    expect(rotated).not.toHaveProperty('live');
    expect(JSON.stringify(rotated)).not.toContain('canary');
  });

  test('is drift where a kind reads that it is not the one that was sent, and else what was sent', () => {
    const same = changeOf(sometimes, { want: box('1'), applied: before });
    expect(same).toBeUndefined();
    const swapped = changeOf(sometimes, { want: box('1'), have: 'another', applied: before });
    expect(swapped).toEqual({ path: '/f', desired: before, live: 'another', cause: 'drift' });
  });

  test('does not get into what is remembered', () => {
    const applied = publicFields({ '/a': box('1'), '/b': [box('1')] });
    expect(applied).toEqual({ '/a': before, '/b': [before] });
  });
});
