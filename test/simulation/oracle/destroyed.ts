// Whether a disk might be destroyed as and when it was: invariants 1, 2, 3, 5 and 6.
import type { DiskLife, Disks } from './disks.ts';
import { beforeRefused, differs, surelyLetGo } from './edits.ts';
import { mayBeHeldBack } from './limits.ts';
import { isElsewhere, mayHold } from './lives.ts';
import {
  operatorOf,
  placeText,
  type Declared,
  type Destroyed,
  type Place,
  type Violation,
} from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

/** Between the last look at the tree and the request: what is put back in that time may be missed. */
const lookMs = 1_500;
/** The same of the registrations: some requests that are answered within 20 ms each (world/network.ts). */
const lookOutsideMs = 100;

export function* judgeDestroyed(entry: Destroyed, disks: Disks, time: Timeline): Generator<Violation> {
  const operator = operatorOf(entry.by);
  if (operator === undefined) return;
  const life = disks.life(entry.disk);
  const say = (invariant: string, message: string): Violation => ({
    invariant,
    at: entry.at,
    message: `${operator} destroyed ${entry.disk}: ${message}`,
  });
  const claims = entry.claims.filter((claim) => isKnown(claim.place, entry, life, time));
  if (claims.length > 0)
    yield say('I2', `allocation ${claims.map(({ allocation }) => allocation).join(', ')} was using it`);
  const owners = ownersOf(operator, life, entry, time);
  if (owners.length === 0) {
    yield say(
      'I1',
      `it was made by ${life.madeBy ?? 'somebody'} for ${life.madeFor ? placeText(life.madeFor) : 'nobody'}`,
    );
    return;
  }
  yield* judgeNamed(operator, owners, life, entry, time, say);
  const holders = owners.filter((key) => mayHold(operator, key, life, entry.sentAt, time));
  if (holders.length === 0) yield say('I1', `${owners.join(', ')} had it before, and is another object now`);
  const reasons = (holders.length > 0 ? holders : owners).map((key) =>
    reasonOf(operator, key, life, entry, disks, time),
  );
  if (!reasons.includes('left') && !reasons.includes('replaced')) {
    const [why] = reasons;
    yield say(
      why === 'replaced too early' ? 'I5' : why?.startsWith('kept') ? 'I6' : 'I1',
      `${owners.join(', ')}: ${why}`,
    );
    return;
  }
  yield* judgeKept(operator, owners, life, entry, time, say);
}

type Say = (invariant: string, message: string) => Violation;

/** Objects of the operator for which it was made, or which were told to take it over. */
function ownersOf(
  operator: string,
  life: DiskLife,
  { sentAt }: Destroyed,
  time: Timeline,
): readonly string[] {
  return [...time.keys(operator)].filter((key) =>
    time.stretches(operator, key).some(({ declared, from, to }) => {
      if (declared === undefined || declared === 'broken' || from > sentAt) return false;
      const at = placeText(declared.place);
      const isMade = life.madeBy === operator || isMadeBefore(operator, life, sentAt, time);
      if (isMade && life.madeFor && placeText(life.madeFor) === at) return true;
      if (declared.adoption === 'Fail') return false;
      return life.registered.some((one) => placeText(one.place) === at && one.at <= Math.min(to, sentAt));
    }),
  );
}

/**
 * Made by the operator whose state this one goes on from: once a person has said that it may, all that this state knew then
 * is this operator's own (docs/decisions/0011).
 */
const isMadeBefore = (operator: string, { madeBy, madeAt }: DiskLife, sentAt: number, time: Timeline) =>
  madeBy !== undefined &&
  time
    .facts(operator, 'copied')
    .some(
      ({ at }) =>
        madeAt <= at && time.facts(operator, 'accepted').some((said) => said.at > at && said.at < sentAt),
    );

/** Why it was destroyed, as far as this object is concerned; or what speaks against it. */
function reasonOf(
  operator: string,
  key: string,
  life: DiskLife,
  { sentAt, at }: Destroyed,
  disks: Disks,
  time: Timeline,
): string {
  const lately = time
    .stretches(operator, key)
    .filter(({ from, to }) => from <= sentAt && to > sentAt - lookMs);
  const known = [...time.known(operator, key, sentAt), ...beforeRefused(operator, key, life, sentAt, time)];
  const able = known.filter((one) => !one.suspended && !one.observed);
  if (able.length === 0 || isSuspended(operator, key, sentAt, time)) {
    return 'kept: it was suspended or only observed';
  }
  const deleting = able.filter((one) => one.deletion === 'Delete');
  if (deleting.length === 0) return `kept: its deletionPolicy was ${able[0]?.deletion}`;
  const gone = lately.some(({ declared, unsound }) => declared === undefined && !unsound);
  if (gone || isGoing(operator, key, sentAt, time)) return 'left';
  const asked = deleting.some(
    (one) => one.replace === 'WhenUnused' && differs(one, life, operator, key, time),
  );
  if (!asked) {
    if (lately.some(({ declared }) => declared === 'broken'))
      return 'its manifest stood there, unreadable or empty';
    return lately.some(({ declared }) => declared !== undefined)
      ? 'it was declared, and no edit asked for another disk'
      : 'something in the tree could not be read';
  }
  const [declared] = deleting;
  const now = declared && (disks.at(declared.place) ?? justLost(operator, declared.place, sentAt, time));
  const isThere = now !== undefined && (disks.isThere(now) || isJustDestroyed(operator, now, sentAt, time));
  const stands = isThere && now !== life.disk && at >= life.madeAt;
  return stands ? 'replaced' : 'replaced too early';
}

/** It had left while all could be used, and what can't be used since says whose it is: another one's. */
function isGoing(operator: string, key: string, sentAt: number, time: Timeline): boolean {
  const until = time.stretches(operator, key).filter(({ from }) => from <= sentAt);
  const back = until.findLastIndex(({ declared }) => declared !== undefined);
  const absent = until.slice(back + 1);
  return absent.some(({ unsound }) => !unsound) && absent.at(-1)?.hides === false;
}

/** By somebody else, after the last look. */
const isJustDestroyed = (operator: string, disk: string, sentAt: number, time: Timeline): boolean =>
  time.account.entries.some(
    (entry) =>
      entry.is === 'destroyed' &&
      entry.disk === disk &&
      operatorOf(entry.by) !== operator &&
      entry.at <= sentAt + lookOutsideMs &&
      entry.at > sentAt - lookOutsideMs,
  );

/** The disk of which somebody else, such as an operator that was told to share the volume, took the registration away then. */
const justLost = (operator: string, place: Place, sentAt: number, time: Timeline): string | undefined =>
  time.account.entries.findLast(
    (entry) =>
      entry.is === 'deregistered' &&
      placeText(entry.place) === placeText(place) &&
      operatorOf(entry.by) !== operator &&
      entry.at <= sentAt + lookOutsideMs &&
      entry.at > sentAt - lookOutsideMs,
  )?.disk;

/** By a command, which stands until it is taken back, the object is gone, or the state is. */
function isSuspended(operator: string, key: string, at: number, time: Timeline): boolean {
  const said = time
    .facts(operator, 'asked')
    .filter((fact) => fact.key === key && fact.name === 'suspend' && fact.at < at);
  const asked = said.findLast((fact) => fact.at < at - lookMs);
  if (asked?.token !== 'true' || asked.unanswered || said.at(-1)?.token !== 'true') return false;
  const since = asked.at - lookMs;
  const anew = time
    .stretches(operator, key)
    .some(({ from, to, declared }) => from < at && to > since && to < at && !declared);
  const states = ['lost', 'restored', 'copied'] as const;
  return (
    !anew && !states.some((is) => time.facts(operator, is).some((fact) => fact.at > since && fact.at < at))
  );
}

const isLate = (place: Place, { registered }: DiskLife, sentAt: number): boolean => {
  const last = registered.findLast((one) => placeText(one.place) === placeText(place));
  return last !== undefined && last.at > sentAt - lookOutsideMs;
};

/**
 * Whether an operator can know of another registration, and so of who claims the disk through it: no service refuses a
 * delete because of either.
 */
function isKnown(other: Place, { place, sentAt }: Destroyed, life: DiskLife, { account }: Timeline): boolean {
  if (isLate(other, life, sentAt)) return false;
  // It is connected to one scheduler, and a token may list one namespace only.
  const isListed = !account.narrow || other.namespace === place?.namespace;
  return isListed && (!place || other.scheduler === place.scheduler);
}

/**
 * A create whose answer was lost, repeated once its object had left, so that what it made can be destroyed: so young that
 * whoever names it by now never had it.
 */
const isMadeToGo = (operator: string, key: string, { madeAt }: DiskLife, sentAt: number, time: Timeline) =>
  madeAt > sentAt - lookMs &&
  time
    .stretches(operator, key)
    .every(({ from, to, declared }) => from > sentAt || to <= madeAt || declared === undefined);

/** What another present declaration names, or what is registered elsewhere, is left alone. */
function* judgeNamed(
  operator: string,
  owners: readonly string[],
  life: DiskLife,
  entry: Destroyed,
  time: Timeline,
  say: Say,
): Generator<Violation> {
  const { place, sentAt } = entry;
  const elsewhere = entry.registrations
    .filter((one) => !place || placeText(one) !== placeText(place))
    .filter((one) => isKnown(one, entry, life, time));
  if (elsewhere.length > 0)
    yield say('I3', `it was also registered as ${elsewhere.map(placeText).join(', ')}`);
  const places = new Set(
    [life.madeFor, ...life.registered.map((one) => one.place)].flatMap((p) => (p ? [placeText(p)] : [])),
  );
  const externalID = life.disk.slice(life.disk.indexOf(':') + 1);
  const names = ({ place: its, source }: Declared): boolean =>
    places.has(placeText(its)) || ('register' in source && source.register === externalID);
  const leaving = new Set(owners.filter((key) => time.at(operator, sentAt)?.objects.get(key) === undefined));
  if (leaving.size === 0) return; // it is one that is replaced
  if ([...leaving].every((key) => isMadeToGo(operator, key, life, sentAt, time))) return;
  // Its former self asked, and was renamed while it was replaced.
  const hasAsked = owners.some((key) =>
    time
      .known(operator, key, sentAt)
      .some((one) => one.replace === 'WhenUnused' && differs(one, life, operator, key, time)),
  );
  for (const key of time.keys(operator)) {
    const stayed = time
      .stretches(operator, key)
      .find(
        ({ from, to, declared }) =>
          from <= sentAt - lookMs && to > sentAt && isDeclared(declared) && names(declared),
      );
    if (!stayed || leaving.has(key)) continue;
    // It took the volume over, and asks for another disk itself (docs/decisions/0016).
    const { declared } = stayed;
    const asks = isDeclared(declared) && (declared.replace === 'WhenUnused' || hasAsked);
    if (asks && differs(declared, life, operator, key, time)) continue;
    yield say('I3', `${key} is declared and names it`);
  }
}

/** What was to be kept once is kept until somebody declares that it is to be taken over. */
function* judgeKept(
  operator: string,
  owners: readonly string[],
  { madeAt, registered }: DiskLife,
  { sentAt }: Destroyed,
  time: Timeline,
  say: Say,
): Generator<Violation> {
  const adopts = (from: number): boolean =>
    owners.some((key) =>
      time
        .stretches(operator, key)
        .some(({ declared, to }) => isDeclared(declared) && declared.adoption !== 'Fail' && to > from),
    );
  const states = ['lost', 'restored', 'copied'] as const;
  for (const is of states) {
    for (const { at } of time.facts(operator, is)) {
      if (at > sentAt || time.facts(operator, 'accepted').some((fact) => fact.at > at)) continue;
      if (is === 'lost' && (madeAt > at || adopts(at))) continue;
      // What was restored and then lost is nobody's word any more.
      if (is !== 'lost' && time.facts(operator, 'lost').some((fact) => fact.at > at && fact.at < sentAt))
        continue;
      if (madeAt > at && registered.every((one) => one.at > at)) continue;
      yield say('I6', `its state was ${is} before, and nobody has said since that it may`);
    }
  }
  for (const key of owners) {
    for (const { from, to, declared, unsound } of time.stretches(operator, key)) {
      if (declared !== undefined || unsound || from < madeAt || to > sentAt) continue;
      if (!surelyLetGo(operator, key, from, to, time) || adopts(to)) continue;
      if (mayBeHeldBack(operator, key, from, to, time)) continue;
      const then = time.known(operator, key, from);
      if (then.some((one) => isElsewhere(operator, key, one.place, from, to - lookMs, time))) continue;
      if (then.length > 0 && then.every((one) => one.deletion !== 'Delete')) {
        yield say('I6', `${key} had left with ${then[0]?.deletion}, so it was to be kept`);
      }
    }
  }
}
