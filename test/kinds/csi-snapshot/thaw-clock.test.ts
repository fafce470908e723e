// What froze an allocation may arrive late, so it is thawed once more, five seconds later by the machine's date. That was set back by a
// year in between: for a year it was thawed every few seconds, and nothing else was done for the snapshot.
import { expect, test } from 'vitest';
import type { HooksOwn } from '../../../src/kinds/csi-snapshot/own.ts';
import { afterThaw } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import { begun, memory, quiesce, wallMs } from './frozen.ts';

const reply = { a1: { is: 'done', exitCode: 0 }, a2: { is: 'done', exitCode: 0 } };
const thawed = (own: HooksOwn, atMs: number): HooksOwn =>
  afterThaw(memory(own), own, { reply, late: false, wallMs: atMs, isGone: () => false, disturbance: '' });

test('it waited until a date that was set back came again; the five seconds count from anew', () => {
  const unsure: HooksOwn = { ...begun, quiesce: { ...quiesce, frozen: false, unsure: true } };
  const setBackMs = wallMs - 365 * 86_400_000;
  const again = thawed(thawed(unsure, wallMs), setBackMs);
  expect(thawed(again, setBackMs + 4_999).quiesce).toBeDefined();
  expect(thawed(again, setBackMs + 5_000).quiesce).toBeUndefined();
});
