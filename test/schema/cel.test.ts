import { describe, expect, test } from 'vitest';
import { compile, fieldsRead, rulesOf } from '../../src/schema/cel.ts';
import type { FieldTable } from '../../src/core/planning/diff.ts';

/** Whether a spec keeps one rule. */
const keeps = (rule: string, self: unknown, oldSelf?: unknown): boolean =>
  compile([{ rule, message: 'm' }])(self, oldSelf).length === 0;

describe('rules see JSON as the API server gives it to them', () => {
  test.each([
    { rule: 'type(self.n) == int', self: { n: 5 }, why: 'whole numbers are int, not double' },
    { rule: 'self.n + 1 == 6', self: { n: 5 }, why: 'int arithmetic works' },
    { rule: 'self.n / 2 == 2', self: { n: 5 }, why: 'int division cuts off' },
    { rule: 'type(self.n) == string', self: { n: '5' }, why: 'text stays text' },
    { rule: 'self.l.all(x, x > 0)', self: { l: [1, 2] }, why: 'lists hold int too' },
    { rule: "self.m['constructor'] == 'x'", self: { m: { constructor: 'x' } }, why: 'any key is just a key' },
    { rule: '!has(self.constructor)', self: {}, why: 'nothing is inherited' },
    { rule: '!has(self.toString) && !has(self.hasOwnProperty)', self: {}, why: 'nothing is inherited' },
    {
      rule: "quantity('1Gi').compareTo(quantity('1024Mi')) == 0",
      self: {},
      why: 'quantities compare by bytes',
    },
    {
      rule: "quantity(string(self.n)).compareTo(quantity('1k')) == -1",
      self: { n: 999 },
      why: 'numbers are bytes',
    },
    { rule: "quantity('2k').compareTo(quantity('1999')) == 1", self: {}, why: 'the other way round' },
    { rule: "isURL('https://a:4646') && !isURL('https://a:99999')", self: {}, why: 'ports have a bound' },
  ])('$rule: $why', ({ rule, self }) => {
    expect(keeps(rule, self)).toBe(true);
    expect(keeps(`!(${rule})`, self)).toBe(false);
  });
});

describe('a broken rule is a problem, never a crash', () => {
  test('false is broken, without a failure', () => {
    expect(compile([{ rule: 'self.a == 1', message: 'm' }])({ a: 2 })).toStrictEqual([
      { rule: { rule: 'self.a == 1', message: 'm' } },
    ]);
  });

  test.each([
    { rule: 'self.a.b == 1', self: {}, says: /No such key: a/, why: 'a field that is not there' },
    { rule: 'self.a < 1', self: { a: 'x' }, says: /no such overload/, why: 'another type' },
    {
      rule: "quantity(self.a).compareTo(quantity('1')) == 0",
      self: { a: 'x' },
      says: /not a quantity/,
      why: 'our own function',
    },
  ])('$why says why it could not be evaluated', ({ rule, self, says }) => {
    const [broken] = compile([{ rule, message: 'm' }])(self);
    expect(broken?.failure).toMatch(says);
    expect(broken?.failure).not.toContain('\n');
  });

  test('a rule whose value turns out to be no truth value is broken', () => {
    expect(keeps('self.a', { a: 1 })).toBe(false);
    expect(keeps('self.a', { a: true })).toBe(true);
  });

  test.each([
    { rule: 'self.a ==', why: 'no CEL' },
    { rule: 'slef.a == 1', why: 'no such variable' },
    { rule: '1 + 1', why: 'no truth value' },
    { rule: "self.a.nonsense('x')", why: 'no such function' },
  ])('$rule fails when it is compiled: $why', ({ rule }) => {
    expect(() => compile([{ rule, message: 'm' }])).toThrow(/rule|self|Unexpected|nonsense/);
  });
});

describe('rules about changes come from the field table', () => {
  const fields: FieldTable = {
    '/id': { change: 'identity' },
    '/plugin/name': { change: 'replace' },
    '/size': { change: 'in-place' },
    '/from': { change: 'creation' },
  };
  const rules = compile(rulesOf({ rules: [], fields }));
  const before = { id: 'a', plugin: { name: 'p' }, size: 1, from: 's' };
  const when = { ...before, replacePolicy: 'WhenUnused' };

  test.each([
    { after: before, broken: [], why: 'nothing changed' },
    { after: { ...before, size: 2, from: 't' }, broken: [], why: 'these may change' },
    { after: { ...before, id: 'b' }, broken: ['.id'], why: 'identity' },
    { after: { ...when, id: 'b' }, broken: ['.id'], why: 'identity, whatever replacePolicy says' },
    { after: { plugin: { name: 'p' } }, broken: ['.id'], why: 'identity taken away' },
    {
      after: { ...before, plugin: { name: 'q' } },
      broken: ['.plugin.name'],
      why: 'a replacement nobody asked for',
    },
    { after: { ...when, plugin: { name: 'q' } }, broken: [], why: 'a replacement asked for' },
    { after: { ...before, plugin: {} }, broken: ['.plugin.name'], why: 'let go is changed too' },
    { after: { id: 'a' }, broken: ['.plugin.name'], why: 'let go with its parent' },
  ])('$why', ({ after, broken }) => {
    expect(rules(after, before).map((b) => b.rule.fieldPath)).toStrictEqual(broken);
    expect(rules(before, before)).toStrictEqual([]);
  });

  test('what was absent and stays absent is unchanged', () => {
    expect(rules({ size: 1 }, {})).toStrictEqual([]);
    expect(rules({ plugin: {} }, {})).toStrictEqual([]);
  });

  test('nothing is asked about changes where there is no earlier spec', () => {
    expect(rules({ id: 'b' })).toStrictEqual([]);
  });
});

test('fieldsRead finds every field that a rule names, inside of macros too', () => {
  const rule =
    "has(self.a.b) && self.c.all(k, k.x == oldSelf.d) && 'x' in self.f && quantity(self.g).compareTo(self.h) == 0";
  expect(
    fieldsRead(rule)
      .map((path) => path.join('.'))
      .toSorted(),
  ).toStrictEqual(['a.b', 'c', 'd', 'f', 'g', 'h']);
});
