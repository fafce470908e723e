// What the API server would refuse of an event.
import { expect, test } from 'vitest';
import { shortened } from '../../../src/sources/kubernetes/events.ts';

test.for<{ what: string; note: string; shown: string }>([
  { what: 'that fits, as it is', note: 'a'.repeat(1_024), shown: 'a'.repeat(1_024) },
  { what: 'of one byte too many', note: 'a'.repeat(1_025), shown: `${'a'.repeat(1_021)}…` },
  { what: 'without half a character at its end', note: `a${'ü'.repeat(600)}`, shown: `a${'ü'.repeat(510)}…` },
  { what: 'without a third of one', note: `aa${'€'.repeat(400)}`, shown: `aa${'€'.repeat(339)}…` },
  { what: 'without a part of a pair', note: '𝒳'.repeat(300), shown: `${'𝒳'.repeat(255)}…` },
])('a note is sent $what', ({ note, shown }) => {
  expect(shortened(note)).toBe(shown);
  expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(1_024);
});
