// Who selects by labels gets what kubectl would: nothing more is deleted, suspended or rotated by a script that reads it.
import { expect, test } from 'vitest';
import { parseSelector } from '../../../src/core/text/selector.ts';

const labels = { team: 'shop', tier: '1', 'example.com/owner': 'ann', empty: '' };

test.for<readonly [text: string, is: boolean]>([
  ['team=shop', true],
  ['team==shop', true],
  ['team = shop', true],
  ['team=blog', false],
  ['team!=blog', true],
  ['team!=shop', false],
  ['absent!=shop', true],
  ['absent=', false],
  ['empty=', true],
  ['team', true],
  ['absent', false],
  ['!absent', true],
  ['!team', false],
  ['team in (shop)', true],
  ['team in (blog, shop)', true],
  ['team in (blog)', false],
  ['team notin (blog,shop)', false],
  ['team notin (blog)', true],
  ['absent notin (blog)', true],
  ['example.com/owner=ann', true],
  ['team=shop,tier=1', true],
  ['team=shop, tier=2', false],
  ['team in (shop,blog),!absent,tier', true],
  ['toString', false],
])('%s: %s', ([text, is]) => expect(parseSelector(text)(labels)).toBe(is));

test.for([
  '',
  'team=shop,',
  '=shop',
  'team=a=b',
  'team>1',
  'team in shop',
  'team in ()x',
  'te am',
  'team=a b',
  '-team',
])('what is no selector is refused, not taken for all: "%s"', (text) =>
  expect(() => parseSelector(text)).toThrow(`--selector ${text}: expected labels such as team=shop`),
);
