import { expect, test } from 'vitest';
import { ServerDate } from '../../../src/api/kubernetes/server-date.ts';

const reply = (date?: string) => ({ status: 200, text: '', headers: date === undefined ? {} : { date } });
const noon = Date.UTC(2026, 0, 1, 12);

test('the date goes on from the last answer by the monotonic clock, and a machine that is set can’t change it', () => {
  let nowMs = 5_000;
  const date = new ServerDate(() => nowMs);
  expect(date.wallMs()).toBeUndefined();
  date.noted(reply('Thu, 01 Jan 2026 12:00:00 GMT'));
  nowMs += 1_500;
  expect(date.wallMs()).toBe(noon + 1_500);
  date.noted(reply('Thu, 01 Jan 2026 12:00:00 GMT')); // of the same second: nothing new
  expect(date.wallMs()).toBe(noon + 1_500);
  date.noted(reply('Thu, 01 Jan 2026 12:00:02 GMT'));
  expect(date.wallMs()).toBe(noon + 2_000);
});

test.for([undefined, '', 'yesterday'])('an answer that says %o says nothing', (text) => {
  const date = new ServerDate(() => 0);
  expect(date.noted(reply(text))).toEqual(reply(text));
  expect(date.wallMs()).toBeUndefined();
});
