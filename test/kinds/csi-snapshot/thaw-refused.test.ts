// Of an allocation that stays frozen, people read why: "not thawed yet" alone sent them to look for a scheduler that is down, where the
// scheduler had said that there is no such task.
import { expect, test } from 'vitest';
import type { HooksOwn } from '../../../src/kinds/csi-snapshot/own.ts';
import { afterThaw, open } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import { begun, memory, wallMs } from './frozen.ts';

const done = { is: 'done', exitCode: 0 };
const refused = { is: 'refused', message: 'unknown task name "db"' };

const thawed = (hooks: HooksOwn, reply: Record<string, object> | undefined): HooksOwn =>
  afterThaw(memory(hooks), hooks, {
    ...(reply && { reply: JSON.parse(JSON.stringify(reply)) }),
    late: false,
    wallMs,
    isGone: () => false,
    disturbance: '',
  });
const told = (hooks: HooksOwn) => open({ own: { hooks } })?.unanswered.message;

test.for([
  { why: 'a refusal', answer: refused, says: 'unknown task name "db"' },
  { why: 'a command that fails', answer: { is: 'done', exitCode: 2 }, says: 'exit code 2' },
  {
    why: 'an answer that does not come',
    answer: { is: 'unknown', message: 'not in time' },
    says: 'not in time',
  },
])('$why is told', ({ answer, says }) => {
  expect(told(thawed(begun, { a1: done, a2: answer }))).toBe(
    `1 allocation of job orders is not thawed yet: a2: ${says}`,
  );
});

test('only the last answer counts: of a service that is down since, the error of the call is told', () => {
  const once = thawed(begun, { a1: refused, a2: done });
  expect(told(thawed(once, undefined))).toBe('1 allocation of job orders is not thawed yet: a1');
  const unsure = { ...once, quiesce: { ...once.quiesce!, unsure: true as const } };
  expect(told(thawed(unsure, { a1: done }))).toBe('1 allocation of job orders is to be thawed once more: a1');
});

test('what a service says at length is cut', () => {
  const long = { is: 'refused', message: 'x'.repeat(5_000) };
  expect(told(thawed(begun, { a1: long, a2: done }))?.length).toBeLessThan(400);
});
