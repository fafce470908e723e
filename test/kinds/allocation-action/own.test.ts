// What is known of an action after a crash, a lost answer, a lost status and a restored state; and what is read of a status.
import { expect, test } from 'vitest';
import { countsOf, progressOf } from '../../../src/kinds/allocation-action/progress.ts';
import { keep, parseOwn, remembered, said, type Own } from '../../../src/kinds/allocation-action/own.ts';
import { results, startedAt } from './situation.ts';

const own: Own = {
  startedAt,
  results: results(
    { phase: 'Succeeded' },
    { phase: 'Started', startedAt },
    { phase: 'Started', answered: true },
  ),
};
const pending = { op: 'begin', token: 'uid-1' };
const phasesOf = (one: Own | undefined) => one?.results.map(({ phase }) => phase);

test('without a record nothing is known', () => {
  expect(remembered({ status: {} }, false)).toBeUndefined();
  expect(remembered({ status: { pending }, doubt: 'recalled' }, false)).toBeUndefined();
});

test('what is whole stays the same value', () => {
  const whole = { startedAt, results: results({ phase: 'Failed' }, { phase: 'Started', answered: true }) };
  expect(remembered({ status: { own: whole } }, false)).toBe(whole);
});

test('what was begun and not answered is Unknown, and says why; what was answered is not', () => {
  const known = remembered({ status: { own } }, false);
  expect(phasesOf(known)).toEqual(['Succeeded', 'Unknown', 'Started']);
  expect(known?.results[1]).toMatchObject({
    startedAt,
    message: 'its call was begun, and nobody knows what became of it',
  });
});

test('a stop that was begun may be begun again, and is marked', () => {
  const known = remembered({ status: { own } }, true);
  expect(phasesOf(known)).toEqual(['Succeeded', 'Pending', 'Started']);
  expect(known?.results[1]?.again).toBe(true);
  expect(known?.results[2]?.again).toBeUndefined();
});

test('only a status that was recalled makes the rest Unknown: a crash before the first call does not', () => {
  const begun: Own = { startedAt, results: results({ phase: 'Succeeded' }) };
  const status = { own: begun, pending };
  expect(remembered({ status }, false)).toBe(begun);
  expect(remembered({ status, doubt: 'copied' }, false)).toBe(begun);
  expect(remembered({ status: { own: begun }, doubt: 'recalled' }, false)).toBe(begun);
  const recalled = remembered({ status, doubt: 'recalled' }, false);
  expect(phasesOf(recalled)).toEqual(['Succeeded', 'Unknown', 'Unknown']);
  expect(recalled?.results[1]?.message).toContain('its status was lost');
  // What was stopped shows that, so the others have their turn.
  expect(remembered({ status, doubt: 'recalled' }, true)).toBe(begun);
});

test('of a state that was restored, what had ended counts, and the rest is for a person to decide', () => {
  expect(phasesOf(keep(own))).toEqual(['Succeeded', 'Unknown', 'Unknown']);
  expect(keep(own).results[1]?.message).toContain('after this state was written');
  const ended = { ...own, finishedAt: startedAt };
  expect(keep(ended)).toBe(ended);
});

test('progress counts what is begun, what is through and what succeeded', () => {
  expect(countsOf(own)).toEqual({ Pending: 0, Started: 2, Succeeded: 1, Failed: 0, Unknown: 0 });
  expect(progressOf({ startedAt, results: results({ phase: 'Succeeded' }, { phase: 'Failed' }) })).toBe(
    '2 of 3 begun, 2 through, 1 succeeded',
  );
});

test.for([
  { why: 'nothing', raw: undefined },
  { why: 'another phase', raw: { ...own, results: [{ allocation: 'a', node: 'n', phase: 'Retrying' }] } },
  { why: 'no list', raw: { ...own, results: {} } },
  { why: 'no time', raw: { results: [] } },
  { why: 'too many', raw: { ...own, results: Array.from({ length: 501 }, () => own.results[0]) } },
])('a stored record that can not be read is none: $why', ({ raw }) => {
  expect(parseOwn(raw)).toBeUndefined();
});

test('what was recorded is read back, as many as may take part', () => {
  const most = { ...own, results: Array.from({ length: 500 }, () => own.results[0]) };
  expect(parseOwn(JSON.parse(JSON.stringify(most)))).toEqual(most);
});

test('messages of the service are cut', () => {
  expect(said('x'.repeat(300))).toHaveLength(256);
});

test('every phase, and every mark, is read back', () => {
  for (const phase of ['Pending', 'Started', 'Succeeded', 'Failed', 'Unknown'] as const) {
    const marked: Own = {
      startedAt,
      expired: true,
      results: results({ phase, answered: true, again: true }),
    };
    expect(parseOwn(marked)).toEqual(marked);
  }
});
