// What is written at the mounts of the secrets service: invariants 18 (never over somebody else's), 20 (never for nothing)
// and 21 (a provider keeps its collection).
import { surelySeenSound } from './edits.ts';
import {
  actsAt,
  agrees,
  hadIt,
  heldAt,
  isBy,
  keyAt,
  lateMs,
  lifeFrom,
  lookOutsideMs,
  mayBeAnother,
  once,
  type Written,
} from './mount-lives.ts';
import { isRefusing } from './mounts-ended.ts';
import { operatorOf, placeText, type Declared, type Held, type MountAct, type Violation } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

/** So long the state may take to note what was done. */
const notedMs = 15_000;

type Say = (invariant: string, message: string) => Violation;

export function* judgeMountWrites(time: Timeline): Generator<Violation> {
  for (const act of once(time.account.mountActs)) {
    const operator = operatorOf(act.by);
    if (operator === undefined) continue;
    const say: Say = (invariant, message) => ({
      invariant,
      at: act.at,
      message: `${operator} wrote ${placeText(act.place)}: ${message}`,
    });
    if (act.is === 'refused') yield* judgeRefused(act, time, say);
    if (act.is === 'written') yield* judgeWritten(operator, act, time, say);
  }
}

function* judgeWritten(operator: string, act: Written, time: Timeline, say: Say): Generator<Violation> {
  const { place, sentAt, before } = act;
  const key = keyAt(operator, place, time);
  if (key === undefined) return yield say('I18', 'it never declared it');
  const known = time.known(operator, key, sentAt);
  const able = known.filter(({ suspended, observed }) => !suspended && !observed);
  if (able.length === 0) yield say('I18', 'it was not declared, or not to be touched');
  const left = time
    .stretches(operator, key)
    .some(
      ({ declared, unsound, from, to }) =>
        declared === undefined && !unsound && to > sentAt && surelySeenSound(operator, from, sentAt, time),
    );
  if (left && !isRefusing(operator, time)) yield say('I18', 'it had left');
  const stood = before && heldAt(place, sentAt - lookOutsideMs(time), time);
  if (stood && !hadIt(operator, key, place, act.at, time))
    yield say('I18', 'somebody else had made it, and nobody said that it may be taken over');
  if (before && !hasReason(operator, key, act, before, known, time)) yield say('I20', 'nothing had changed');
  yield* judgeCollection(operator, key, act, time, say);
}

/** A provider never gets another collection as long as it is the same object's. */
function* judgeCollection(
  operator: string,
  key: string,
  act: Written,
  time: Timeline,
  say: Say,
): Generator<Violation> {
  const former = writtenBefore(operator, act, time).at(-1);
  const [then, now] = [former, act].map((one) => one?.after.shown['collection']);
  if (!former || then === undefined || then === now) return;
  if (!mayBeAnother(operator, key, former.sentAt, act.at, time))
    yield say('I21', `it was ${then}, and is ${now ?? 'nothing'} by now`);
}

/** Nobody may so much as ask for it, unless somebody else made another one since the last look. */
function* judgeRefused(
  { place, sentAt, at, why }: Extract<MountAct, { is: 'refused' }>,
  time: Timeline,
  say: Say,
): Generator<Violation> {
  if (!why.includes('cannot be changed')) return;
  const isNew = actsAt(place, time).some(
    (one) => one.is !== 'refused' && one.at > sentAt - lookOutsideMs(time) && one.at <= at,
  );
  if (!isNew) yield say('I21', `it asked for what never changes: ${why}`);
}

const writtenBefore = (operator: string, act: MountAct, time: Timeline): readonly Written[] =>
  actsAt(act.place, time).filter(
    (one): one is Written => one.is === 'written' && isBy(one, operator) && one !== act && one.at < act.at,
  );

/** Why what was there already was written once more. */
function hasReason(
  operator: string,
  key: string,
  act: Written,
  before: Held,
  known: readonly Declared[],
  time: Timeline,
): boolean {
  const { place, sentAt, at } = act;
  if (at > sentAt + lateMs) return true; // when it was sent it may have had one
  const looked = heldAt(place, sentAt - lookOutsideMs(time), time);
  const seen = [before, ...(looked ? [looked] : [])];
  const declared = known.flatMap(({ held }) => held ?? []);
  if (
    looked === undefined ||
    declared.some((one) => seen.some((held) => differs(one, held, operator, key, time)))
  )
    return true;
  return mayBeUnnoted(operator, act, time) || hasHiddenReason(operator, key, act, declared, time);
}

/** A field differs, or was declared once, is not any more, and has a value still. */
function differs(declared: Held, held: Held, operator: string, key: string, time: Timeline): boolean {
  if (!agrees(declared, held)) return true;
  return Object.keys(held.shown).some(
    (name) =>
      declared.shown[name] === undefined &&
      time
        .stretches(operator, key)
        .some((one) => isDeclared(one.declared) && one.declared.held?.shown[name] !== undefined),
  );
}

/** Whether what it did last, or tried to, may not be known to it. */
function mayBeUnnoted(operator: string, act: Written, time: Timeline): boolean {
  const mine = actsAt(act.place, time).filter((one) => isBy(one, operator) && one.at < act.at);
  const isSure = (one: MountAct): boolean =>
    !one.unanswered && time.surelySeen(operator, one.sentAt - 1, one.at + notedMs, notedMs);
  const last = mine.findLastIndex((one) => one.is === 'written' && isSure(one));
  const since = mine.slice(last + 1);
  const from = mine[last]?.at ?? 0;
  return (
    since.some((one) => !isSure(one)) ||
    (['restored', 'stripped'] as const).some((is) =>
      time.facts(operator, is).some((fact) => fact.at >= from && fact.at <= act.at),
    )
  );
}

/** In one order, whoever wrote it. */
const hiddenIn = ({ hidden: { secret, environment } }: Held): string => JSON.stringify([secret, environment]);

/** What nobody can read back is sent again where it is declared otherwise than it was sent, or was seen at first. */
function hasHiddenReason(
  operator: string,
  key: string,
  act: Written,
  declared: readonly Held[],
  time: Timeline,
): boolean {
  const lost = Math.max(0, ...time.facts(operator, 'lost').flatMap(({ at }) => (at <= act.at ? [at] : [])));
  const sent = writtenBefore(operator, act, time).findLast(({ at }) => at >= lost);
  if (sent && !time.account.inCluster) return declared.some((one) => hiddenIn(one) !== hiddenIn(sent.after));
  const from = sent?.at ?? lifeFrom(operator, key, act.at, time);
  const said = time
    .stretches(operator, key)
    .flatMap((one) => (isDeclared(one.declared) && one.to > from && one.from <= act.at ? [one.declared] : []))
    .flatMap(({ held }) => (held ? [hiddenIn(held)] : []));
  return new Set(sent ? [hiddenIn(sent.after), ...said] : said).size > 1;
}
