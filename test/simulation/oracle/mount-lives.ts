// What was at the mounts of the secrets service when, and since when it is an object's own: what the judges of the others
// ask.
import { surelySeenSound } from './edits.ts';
import { operatorOf, placeText, type Declared, type Held, type MountAct, type Place } from './record.ts';
import { isDeclared, type Stretch, type Timeline } from './timeline.ts';

export type Written = Extract<MountAct, { is: 'written' }>;

/** Between the last look at the tree and the request: what is changed in that time may be missed. */
export const lookMs = 1_500;
/**
 * The same of the service: some requests that are answered within 20 ms each (world/network.ts). In a cluster, what is seen is noted
 * by an API server before anything is sent, which may take as long as this without another look.
 */
export const lookOutsideMs = ({ account: { inCluster } }: Timeline): number => (inCluster ? 1_100 : 100);
/** The network brings a request sooner, or late (world/network.ts). */
export const lateMs = 1_000;
/** So long an operator that is up may take to let go of what left. */
const leavesWithinMs = 5 * 60_000;
const hourMs = 3_600_000;

/** Of the connection to the secrets service. */
export const isOfSecrets = ({ place }: Declared): boolean => place.scheduler === 'secrets';

const isSame = (a: Place, b: Place): boolean => placeText(a) === placeText(b);

export function keyAt(operator: string, place: Place, time: Timeline): string | undefined {
  return [...time.keys(operator)].find((key) =>
    time
      .stretches(operator, key)
      .some(({ declared }) => isDeclared(declared) && isSame(declared.place, place)),
  );
}

/** All that was done there, whoever did it. */
export const actsAt = (place: Place, { account }: Timeline): readonly MountAct[] =>
  account.mountActs.filter((act) => isSame(act.place, place));

export const isBy = ({ by }: MountAct, operator: string): boolean => operatorOf(by) === operator;

const after = (act: MountAct | undefined): Held | undefined =>
  act?.is === 'written' ? act.after : undefined;

/** What was there at that instant. */
export const heldAt = (place: Place, at: number, time: Timeline): Held | undefined =>
  after(actsAt(place, time).findLast((act) => act.is !== 'refused' && act.at <= at));

/** The fields that are declared are so. What is not declared may be anything. */
export const agrees = ({ shown }: Held, held: Held): boolean =>
  Object.entries(shown).every(([name, value]) => held.shown[name] === value);

/** Whether it agreed with a declaration at some time between the two. */
function agreed(declared: Held, place: Place, from: number, to: number, time: Timeline): boolean {
  const [first, ...later] = [
    heldAt(place, from, time),
    ...actsAt(place, time)
      .filter(({ at }) => at > from && at <= to)
      .map(after),
  ];
  return [first, ...later].some((held) => held !== undefined && agrees(declared, held));
}

/** Whether what left must have been let go of in that time: nothing held it back. */
export function surelyLeft(operator: string, key: string, { from, to }: Stretch, time: Timeline): boolean {
  const { secretsOutages, end } = time.account;
  const until = Math.min(to, end.at);
  const isLong = time.surelySeen(operator, from, until, leavesWithinMs);
  if (!isLong || !surelySeenSound(operator, from, until, time)) return false;
  if (secretsOutages.some((outage) => outage.from < until && outage.to > from)) return false;
  if (isDistrusted(operator, until, time)) return false;
  if (time.known(operator, key, from).some(({ suspended, observed }) => suspended || observed)) return false;
  const lately = time.snapshots(operator).filter(({ at }) => at > from - hourMs && at <= until);
  const before = time.at(operator, from - hourMs);
  const seen = before ? [before, ...lately] : lately;
  if (seen.some(({ limits: { perHour, percent } }) => perHour < 100 || percent < 100)) return false;
  const isAlone = lately.some(({ at, objects }) => at >= from && ![...objects.values()].some(isOfSecrets));
  // A configuration waits for the roles that are declared of it.
  const isHeld = key.startsWith('OIDCConfig/') && seen.some(({ objects }) => hasRole(objects));
  return !isAlone && !isHeld;
}

const hasRole = (objects: ReadonlyMap<string, Declared>): boolean =>
  [...objects.keys()].some((key) => key.startsWith('OIDCRole/'));

/**
 * A state was put back by then, and nobody had said that it may go on from that. If that one was lost afterwards, nothing goes on
 * from it.
 */
export const isDistrusted = (operator: string, at: number, time: Timeline): boolean =>
  (['restored', 'copied'] as const).some((is) =>
    time
      .facts(operator, is)
      .some(
        (put) =>
          put.at <= at &&
          !(['accepted', 'lost'] as const).some((over) =>
            time.facts(operator, over).some((fact) => fact.at > put.at && fact.at < at),
          ),
      ),
  );

/** Since when the object is the same one, at the earliest. */
export function lifeFrom(operator: string, key: string, at: number, time: Timeline): number {
  const left = time
    .stretches(operator, key)
    .filter(({ declared, to }) => declared === undefined && to <= at - lookMs)
    .filter((stretch) => !stretch.unsound && surelyLeft(operator, key, stretch, time));
  const lost = time.facts(operator, 'lost').filter((fact) => fact.at <= at);
  return Math.max(0, ...left.map(({ to }) => to), ...lost.map((fact) => fact.at));
}

/** Whether it may have left in that time, or its state went: then it may be another object. */
export const mayBeAnother = (
  operator: string,
  key: string,
  from: number,
  to: number,
  time: Timeline,
): boolean =>
  time
    .stretches(operator, key)
    .some((one) => one.declared === undefined && one.from <= to && one.to > from) ||
  (['lost', 'restored', 'copied'] as const).some((is) =>
    time.facts(operator, is).some((fact) => fact.at >= from && fact.at <= to),
  );

/** By these fields what can't be marked is recognized. */
const telling = ['issuer', 'user', 'collection'];

/**
 * Whether an operator that ended where nothing was may have begun to make what somebody else made since: nobody can tell the two apart
 * where they agree in what they are recognized by.
 */
function mayHaveBegun(
  operator: string,
  key: string,
  place: Place,
  from: number,
  at: number,
  time: Timeline,
): boolean {
  const now = heldAt(place, at - 1, time);
  return time
    .facts(operator, 'ended')
    .filter((end) => end.at >= from && end.at < at && heldAt(place, end.at, time) === undefined)
    .some((end) =>
      time
        .known(operator, key, end.at)
        .some((one) => now && telling.every((name) => one.held?.shown[name] === now.shown[name])),
    );
}

/** Whether what is there was the object's own by then: it wrote it, or was told to take it over. */
export function hadIt(operator: string, key: string, place: Place, at: number, time: Timeline): boolean {
  const from = lifeFrom(operator, key, at, time);
  const wrote = actsAt(place, time).some(
    (act) => act.is === 'written' && isBy(act, operator) && act.at >= from && act.at < at,
  );
  if (wrote || mayHaveBegun(operator, key, place, from, at, time)) return true;
  return time.stretches(operator, key).some(({ declared, from: since, to }) => {
    if (!isDeclared(declared) || !declared.held || since > at || to <= from) return false;
    if (declared.adoption === 'Adopt') return true;
    const [a, b] = [Math.max(since, from) - lookMs, Math.min(to + lookMs, at - 1)];
    return declared.adoption === 'AdoptIfIdentical' && agreed(declared.held, place, a, b, time);
  });
}

/** A request that the network doubled was asked once. */
export function* once(acts: readonly MountAct[]): Generator<MountAct> {
  const sent = new Set<string>();
  for (const act of acts) {
    const request = `${act.is} ${placeText(act.place)} ${act.sentAt}`;
    if (!sent.has(request)) yield act;
    sent.add(request);
  }
}
