// What can't be marked is recognized by what it is. Who takes too much for his own writes over what others made; who takes too little
// needs a person after each crash.
import { expect, test } from 'vitest';
import { isMadeHere } from '../../../src/core/planning/made-here.ts';
import { noStatus } from '../../../src/core/status/status.ts';

const declared = { '/user': 'new', '/type': 'oidc' };
const lost = (applied: Readonly<Record<string, string>>) => ({
  ...noStatus,
  pending: { op: 'create', token: 't' },
  applied,
});
const sent = lost({ '/user': 'old', '/type': 'oidc' });
const answered = { ...sent, pending: { op: 'create', token: 't', done: true as const } };

test.for([
  { why: 'it is not held', given: { held: false, status: noStatus }, is: [] },
  { why: 'nothing is open', given: { held: true, status: noStatus }, is: ['new'] },
  { why: 'its create was answered', given: { held: true, status: answered }, is: ['new'] },
  { why: 'its create was not', given: { held: true, status: sent }, is: ['old'] },
  { why: 'what it sent is not recorded', given: { held: true, status: lost({}) }, is: ['new'] },
  {
    why: 'its status was lost, and was written since, maybe',
    given: { held: true, status: sent, doubt: 'recalled' as const },
    is: ['old', 'new'],
  },
])('$why', ({ given, is }) => {
  const made = ['old', 'new', 'others'].filter((there) =>
    isMadeHere(given, declared, (user, type) => user === there && type === 'oidc'),
  );
  expect(made).toEqual(is);
});

test('a field that was not declared was not sent: the others tell', () => {
  const given = { held: true, status: lost({ '/user': 'old' }) };
  const optional = { '/user': 'new', '/type': undefined };
  expect(['old', 'new'].filter((there) => isMadeHere(given, optional, (user) => user === there))).toEqual([
    'old',
  ]);
});
