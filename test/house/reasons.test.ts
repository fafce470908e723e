// Reasons and condition types stand in src/core/status/reasons.ts. tsc refuses any other; what it can not see is looked for here.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { conditionTypes, reasons } from '../../src/core/status/reasons.ts';

const root = `${import.meta.dirname}/../..`;
const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => path !== 'src/core/status/reasons.ts' && !path.startsWith('src/embedded/'))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));
const holding = (pattern: RegExp) => sources.filter(({ text }) => pattern.test(text)).map(({ path }) => path);

test('each reason and each type is written by something: nobody reads of what never occurs', () => {
  const names = [...Object.keys(reasons), ...Object.keys(conditionTypes)];
  expect(names.filter((name) => !sources.some(({ text }) => text.includes(`'${name}'`)))).toEqual([]);
});

test('no text is cast to a reason or to a type: it could be one that nothing explains', () => {
  expect(holding(/\bas (Reason|ConditionType|Stated|Blocked)\b/)).toEqual([]);
});

test('no stored reason is compared with a literal: tsc would not notice when that is renamed (isBecause does)', () => {
  expect(holding(/\?\.reason [!=]== '/)).toEqual([]);
});
