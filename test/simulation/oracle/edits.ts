// Edits that ask for another disk than there is, and those that can't be made.
import type { DiskLife } from './disks.ts';
import type { Declared } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

/** Whether such a disk is not what is declared, or was not by what may have been read when it was made. */
export function differs(
  { plugin, source }: Declared,
  { shape, madeAt }: DiskLife,
  operator: string,
  key: string,
  time: Timeline,
): boolean {
  if (!('create' in source) || !shape) return true;
  const { parameters, required } = source.create;
  if (shape.plugin !== plugin || JSON.stringify(shape.parameters) !== JSON.stringify(parameters)) return true;
  const then = time
    .known(operator, key, madeAt)
    .map((one) => ('create' in one.source ? one.source.create.required : ''));
  return then.length === 0 || then.some((one) => one !== required);
}

/**
 * What it had asked for before edits that can't be made, where a person let it go after it had left, and was told that the
 * last of them may have asked to keep it.
 */
export function beforeRefused(
  operator: string,
  key: string,
  life: DiskLife,
  sentAt: number,
  time: Timeline,
): readonly Declared[] {
  const stood = time
    .stretches(operator, key)
    .filter(({ from, declared }) => from <= sentAt && declared !== undefined);
  const goneAt = stood.at(-1)?.to ?? Number.POSITIVE_INFINITY;
  const isConfirmed = time
    .facts(operator, 'approved')
    .some(({ at, keys, unread }) => unread === true && keys.includes(key) && at >= goneAt && at < sentAt);
  if (!isConfirmed) return [];
  const isRefused = (one: Declared): boolean =>
    one.replace === 'Never' && differs(one, life, operator, key, time);
  const valid: Declared[] = [];
  for (const { from, to, declared } of stood.toReversed()) {
    if (!isDeclared(declared) || isRefused(declared)) continue;
    valid.push(declared);
    if (time.surelySeen(operator, from, to)) break;
  }
  return valid;
}

/** The service can't make one of the other, and nobody asks for another object. */
const cantBecome = (before: Declared, after: Declared): boolean =>
  after.replace === 'Never' &&
  (before.plugin !== after.plugin || JSON.stringify(before.source) !== JSON.stringify(after.source));

/** When an edit that may have been one that can't be made stood in the tree. Nothing is believed to be gone then. */
function* refusedIn(operator: string, time: Timeline): Generator<Span> {
  for (const key of time.keys(operator)) {
    let valid: readonly Declared[] = []; // each of them may be the one that was taken last
    let isBack = false; // whether it was gone in between may have been seen, or not
    for (const { from, to, declared } of time.stretches(operator, key)) {
      if (declared === undefined) isBack = true;
      if (declared === undefined && time.surelySeen(operator, from, to)) valid = [];
      if (!isDeclared(declared)) continue;
      const against = valid.filter((before) => cantBecome(before, declared));
      if (against.length > 0) yield { from, to };
      if (isBack || against.length < valid.length || valid.length === 0) valid = [declared, ...against];
      isBack = false;
    }
  }
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Whether the operator must have seen, in some time without such an edit beside, what stood there between the two. */
export const surelySeenSound = (operator: string, from: number, to: number, time: Timeline): boolean =>
  surelySeenBeside(refusedIn(operator, time), operator, from, to, time);

/** So long an operator may wait to try again after an outage. */
const recoversMs = 6 * 60_000;
/** What was edited shortly before may be asked for when it begins. */
const seenMs = 60_000;

/**
 * Whether it must have let go, as well, of what was gone between the two. What was asked for in vain before, while the scheduler is
 * down, may have been done: that is looked at first.
 */
export function surelyLetGo(
  operator: string,
  key: string,
  from: number,
  to: number,
  time: Timeline,
): boolean {
  const outages = time.account.outages
    .filter((down) =>
      time.stretches(operator, key).some((one) => one.from < from && one.from >= down.from - seenMs),
    )
    .map((one) => ({ ...one, to: one.to + recoversMs }));
  return surelySeenBeside([...refusedIn(operator, time), ...outages], operator, from, to, time);
}

function surelySeenBeside(
  spans: Iterable<Span>,
  operator: string,
  from: number,
  to: number,
  time: Timeline,
): boolean {
  let since = from;
  for (const span of [...spans].toSorted((a, b) => a.from - b.from)) {
    if (span.to <= since || span.from >= to) continue;
    if (time.surelySeen(operator, since, span.from)) return true;
    since = Math.max(since, span.to);
  }
  return time.surelySeen(operator, since, to);
}
