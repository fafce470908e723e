// How it ended: invariants 8 (no orphans), 10 (the world agrees with what is declared, or a condition says why not) and 11
// (all comes to rest). What is exempted is listed in docs/reliability.md.
import type { DiskLife, Disks } from './disks.ts';
import {
  operatorOf,
  placeText,
  type Declared,
  type Entry,
  type Place,
  type Told,
  type Violation,
} from './record.ts';
import { mayHold } from './lives.ts';
import { wasToldToShare } from './sharing.ts';
import { isDeclared, type Stretch, type Timeline } from './timeline.ts';

/** Reasons that name something that passes by itself, and had an hour to. */
const passing =
  /^(Unavailable|Timeout|ServerError|Throttled|InvalidResponse|StateUnavailable|DeclarationUnreadable|OutputUnusable|AwaitingVisibility|RemovalInProgress|RotationInProgress|CredentialNotReady|StreamClosed|NoLeader)$/;
const hourMs = 3_600_000;
/** All have the same limits (world/manifests.ts). */
const connections = ['scheduler', 'directory'] as const;
/** All jobs ended when the trouble did. */
const claimed = /claimed by allocation|in use/;

export function* judgeEnd(disks: Disks, time: Timeline): Generator<Violation> {
  const { at, told, idleWrites, bugs } = time.account.end;
  const say = (invariant: string, message: string): Violation => ({ invariant, at, message });
  for (const bug of bugs.slice(0, 3)) yield say('I12', `called a bug: ${bug.split('\n', 1)[0]}`);
  if (time.account.end.isStorm) {
    if (!isShared(time)) yield say('I11', `${time.account.entries.length} changes: it never came to rest`);
    return;
  }
  // What can't be done is tried again, and each try is noted before it is made.
  const allReady = told.every((one) => conditionOf(one, 'Ready')?.status === 'True');
  const idle = idleWrites.filter(
    (write) => !write.endsWith(' commits') || (allReady && Number.parseInt(write, 10) > hoursEnded(time)),
  );
  if (!isShared(time) && !time.account.end.awaitsHour && idle.length > 0)
    yield say('I10', `one more pass wrote: ${idle.slice(0, 3).join('; ')}`);
  for (const one of told) yield* judgeTold(one, time, disks, say);
  for (const life of disks.all()) yield* judgeOrphan(life, disks, time, say);
}

/** Limits that were changed hold on for an hour. That they do no longer is noted, for each change and connection. */
function hoursEnded(time: Timeline): number {
  const { at: endedAt } = time.account.end;
  return time.operators
    .flatMap((operator) => time.snapshots(operator).map((one, i, all) => ({ one, before: all[i - 1] })))
    .filter(({ one, before }) => before && JSON.stringify(one.limits) !== JSON.stringify(before.limits))
    .filter(({ one }) => one.at + hourMs <= endedAt)
    .flatMap(() => connections).length;
}

/** A create may follow what it is for by that much. */
const seenMs = 60_000;

type Said = Told['conditions'][number];

const isPassing = ({ reason, message }: Said): boolean => passing.test(reason) || claimed.test(message);

type Say = (invariant: string, message: string) => Violation;

const conditionOf = ({ conditions }: Told, type: string) => conditions.find((one) => one.type === type);

/** Nothing may be believed to be gone: something can't be read, or is an edit that can't be made, and it says so. */
function isUnsound(operator: string, time: Timeline): boolean {
  const { at, told } = time.account.end;
  const refused = told.some(
    (one) => one.operator === operator && conditionOf(one, 'Ready')?.reason === 'InvalidSpec',
  );
  return refused || time.at(operator, at)?.unsound === true;
}

/** Two operators were told to manage the same: they will not agree, and that is what was asked for. */
function isShared(time: Timeline): boolean {
  const places = time.operators.map((operator) => {
    const all = [...time.keys(operator)].flatMap((key) => time.stretches(operator, key));
    const declared = all.flatMap((one) => (one.declared && one.declared !== 'broken' ? [one.declared] : []));
    return new Map(declared.map((one) => [placeText(one.place), one.adoption]));
  });
  const copied = time.operators.some((operator) => time.facts(operator, 'copied').length > 0);
  const [first, second] = places;
  if (!first || !second) return false;
  const common = [...first.keys()].filter((place) => second.has(place));
  return common.some((place) => copied || first.get(place) !== 'Fail' || second.get(place) !== 'Fail');
}

const isSaidBefore = ({ operator, key }: Told, { reason }: Said, time: Timeline): boolean =>
  time.account.end.toldBefore.some(
    (one) =>
      one.operator === operator && one.key === key && one.conditions.some((said) => said.reason === reason),
  );

function* judgeTold(told: Told, time: Timeline, disks: Disks, say: Say): Generator<Violation> {
  const { operator, key, leaving } = told;
  const { at } = time.account.end;
  const tree = time.at(operator, at);
  const who = `${operator} ${key}`;
  const ready = conditionOf(told, 'Ready');
  if (!ready && !leaving) yield say('I10', `${who}: nothing is said of it`);
  // Where a person is told what to do, what else waits for that.
  const said = ready?.status === 'False' && !isPassing(ready) ? [ready] : told.conditions;
  const isUndecided = !isUnsound(operator, time) && said.some(({ reason }) => reason === 'DeletionPending');
  // What stands there and can't be read passes when somebody mends it.
  const mayPass = (one: Said): boolean =>
    isPassing(one) && (one.reason !== 'DeclarationUnreadable' || !isUnsound(operator, time));
  const stuck = isUndecided ? said.find(({ reason }) => reason === 'DeletionPending') : said.find(mayPass);
  if (stuck && isSaidBefore(told, stuck, time))
    yield say('I11', `${who}: still ${stuck.reason} ${stuck.message}`);
  const declared = tree?.objects.get(key);
  if (key.startsWith('CSIVolume/') && !declared && !leaving && tree && !isUnsound(operator, time)) {
    yield say('I10', `${who}: is not declared, and nothing says that it leaves`);
  }
  if (
    !declared ||
    !key.startsWith('CSIVolume/') ||
    ready?.status !== 'True' ||
    declared.suspended ||
    declared.observed
  )
    return;
  if (isAskedToRest(operator, key, time) || isShared(time)) return;
  yield* judgeReady(who, operator, declared, disks, time, say);
}

const isAskedToRest = (operator: string, key: string, time: Timeline): boolean =>
  time.facts(operator, 'asked').some((fact) => fact.key === key && fact.name === 'suspend');

/** Ready, so it is as declared. */
function* judgeReady(
  who: string,
  operator: string,
  declared: Declared,
  disks: Disks,
  time: Timeline,
  say: Say,
): Generator<Violation> {
  const disk = disks.at(declared.place);
  if (disk === undefined) return yield say('I10', `${who}: is ready, and not registered`);
  const life = disks.life(disk);
  const { shape, madeBy, destroyedBy } = life;
  if (destroyedBy === operator) yield say('I10', `${who}: is ready with ${disk}, which it destroyed`);
  if (!disks.isThere(disk)) return; // lost behind everybody's back: nobody is told of that
  const { source, plugin } = declared;
  if ('register' in source) {
    if (!disk.endsWith(`:${source.register}`)) yield say('I10', `${who}: is ready with ${disk}`);
    return;
  }
  if (wasToldToShare({ operator, declared }, time) || !shape) return;
  if (madeBy !== operator && time.facts(operator, 'copied').length === 0)
    yield say('I7', `${who}: is ready with ${disk}, which ${madeBy ?? 'somebody'} made`);
  const isIts = madeBy !== operator || mayHold(operator, declared.key, life, time.account.end.at, time);
  if (!isIts) yield say('I7', `${who}: is ready with ${disk}, which was another object’s`);
  const same =
    shape.plugin === plugin && JSON.stringify(shape.parameters) === JSON.stringify(source.create.parameters);
  if (!same)
    yield say('I10', `${who}: is ready with ${disk}, which was made otherwise: ${JSON.stringify(shape)}`);
}

/** The network answers sooner, or not at all. */
const lateMs = 1_000;

/**
 * Nobody's but the network's: made by a create that was taken for lost, and came after it had been repeated and what that
 * made was gone; or deregistered by a request that was for the disk before it, and was doubled (docs/reliability.md).
 */
function isStray(life: DiskLife, place: Place, entries: readonly Entry[]): boolean {
  const at = placeText(place);
  const isOf = (one: Entry): boolean => one.place !== undefined && placeText(one.place) === at;
  const made = entries.find((one) => one.is === 'made' && one.disk === life.disk);
  const isLate = made !== undefined && made.at > made.sentAt + lateMs;
  const isRepeated = entries.some(
    (one) => one.is === 'made' && isOf(one) && made && one.at > made.sentAt && one.at < made.at,
  );
  const isDoubled = entries.some(
    (one) => one.is === 'deregistered' && one.disk === life.disk && isOf(one) && one.sentAt < life.madeAt,
  );
  return (isLate && isRepeated) || isDoubled;
}

/** What had gone stands as it was declared, for as long as something in the tree can't be read. */
const believedUntil = (stretches: readonly Stretch[], i: number): number =>
  stretches.slice(i + 1).find(({ declared, unsound }) => declared !== undefined || !unsound)?.from ??
  Number.POSITIVE_INFINITY;

/**
 * Another operator, which was told to adopt it, registered it again in the moment in which it had no registration; it
 * declares it still, whatever it says of adoption by now, or says why it is not gone.
 */
function isAdopted({ disk, madeAt }: DiskLife, place: Place, disks: Disks, time: Timeline): boolean {
  const has = ({ declared, to }: Stretch): boolean =>
    isDeclared(declared) &&
    to > madeAt &&
    placeText(declared.place) === placeText(place) &&
    declared.adoption !== 'Fail' &&
    disks.at(declared.place) === disk;
  return time.operators.some((other) =>
    [...time.keys(other)].some((key) => {
      const { told } = time.account.end;
      const all = time.stretches(other, key);
      if (told.some((one) => one.operator === other && one.key === key && one.leaving)) return all.some(has);
      const since = all.findLastIndex(({ declared }) => declared === undefined) + 1;
      return isDeclared(all.at(-1)?.declared) && all.slice(since).some(has);
    }),
  );
}

/** Another operator, which was told to adopt it and to keep the disk, let it go. */
const isKeptByAnother = ({ disk, madeBy }: DiskLife, place: Place, time: Timeline): boolean =>
  time.account.entries.some((entry) => {
    const other = operatorOf(entry.by);
    if (entry.is !== 'deregistered' || entry.disk !== disk) return false;
    if (other === undefined || other === madeBy) return false;
    const known = [...time.keys(other)].flatMap((key) => time.known(other, key, entry.sentAt));
    return known.some(
      (one) =>
        placeText(one.place) === placeText(place) && one.adoption !== 'Fail' && one.deletion !== 'Delete',
    );
  });

/** Every disk that an operator had made is registered, was to be kept, or is waited for. */
function* judgeOrphan(life: DiskLife, disks: Disks, time: Timeline, say: Say): Generator<Violation> {
  const { disk, madeBy: operator, madeFor, madeAt, destroyedAt } = life;
  const { end, entries, facts } = time.account;
  if (operator === undefined || !madeFor || destroyedAt !== undefined) return;
  const at = placeText(madeFor);
  const isRegistered = end.registrations.some((one) => one.disk === disk);
  const upset = ['lost', 'restored', 'copied', 'stripped'];
  const disturbed =
    facts.some(({ operator: who, is }) => who === operator && upset.includes(is)) ||
    entries.some((e) => 'stranger' in e.by && (e.place === undefined || placeText(e.place) === at));
  if (disturbed || isStray(life, madeFor, entries)) return;
  const keys = [...time.keys(operator)].filter((key) =>
    time
      .stretches(operator, key)
      .some(({ declared }) => declared && declared !== 'broken' && placeText(declared.place) === at),
  );
  const kept = keys.some((key) =>
    time
      .stretches(operator, key)
      .some(
        ({ declared }, i, all) =>
          (believedUntil(all, i) >= madeAt - seenMs ||
            !time.surelySeen(operator, believedUntil(all, i), madeAt)) &&
          isDeclared(declared) &&
          (declared.deletion !== 'Delete' || declared.suspended || declared.observed),
      ),
  );
  const orphaned = facts.some((fact) => fact.is === 'asked' && keys.includes(fact.key));
  if (kept || orphaned) return;
  const told = end.told.filter((one) => one.operator === operator && keys.includes(one.key));
  const waits = told.some((one) => one.leaving || conditionOf(one, 'Ready')?.status !== 'True');
  if (waits) return;
  const isStillDeclared = keys.some((key) => time.at(operator, end.at)?.objects.has(key));
  if (isRegistered && (isStillDeclared || isUnsound(operator, time))) return;
  if (isAdopted(life, madeFor, disks, time) || isKeptByAnother(life, madeFor, time)) return;
  yield say(
    'I8',
    `${disk}, made for ${at}, is ${isRegistered ? 'registered and not declared' : 'not registered'}, and nobody says why`,
  );
}
