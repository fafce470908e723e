// Invariant 4: how much may go without a person's word. Counted are objects of which the operator took away a registration
// or a disk because they left or were replaced.
import {
  isRetired,
  operatorOf,
  placeText,
  type Declared,
  type Destroyed,
  type Entry,
  type Limits,
  type Snapshot,
  type Violation,
} from './record.ts';
import { isDeclared, type Stretch, type Timeline } from './timeline.ts';

const hourMs = 3_600_000;
/** A limit that is raised together with what it holds back is not raised. */
const togetherMs = 2_000;
/** What is registered again after that was not taken away. */
const againMs = 20 * 60_000;
const percentFrom = 6;
/** Between the last look at the tree and the request. */
const lookMs = 1_500;

interface Loss {
  readonly at: number;
  /** When nothing was left to do: until then a person may say that it may go. */
  readonly doneAt: number;
  readonly key: string;
  readonly declared: Declared;
  readonly places: ReadonlySet<string>;
  /** When its disk was made; 0: it was there. */
  readonly madeAt: number;
  /** When its manifest went, or the edit came that replaces it. */
  readonly since: number;
}

type Removal = Destroyed | Extract<Entry, { is: 'deregistered' }>;

export function* judgeLimits(
  operator: string,
  time: Timeline,
  entries: readonly Entry[],
): Generator<Violation> {
  const losses: Loss[] = [];
  for (const entry of entries) {
    if (operatorOf(entry.by) !== operator) continue;
    if (entry.is !== 'destroyed' && entry.is !== 'deregistered') continue;
    const loss = lossOf(operator, entry, entries, time);
    if (!loss || isApproved(operator, loss, loss.at, time) || isApprovedBefore(operator, loss, time))
      continue;
    const hour = losses.filter(
      (one) =>
        one.at > loss.at - hourMs &&
        !isApproved(operator, one, Math.min(one.doneAt, loss.at), time) &&
        !isTakenBack(operator, one, loss.at, time),
    );
    if (hour.some(({ key }) => key === loss.key)) continue;
    losses.push(loss);
    // What was lost with the state is not known, and what it has counted neither.
    const forgot = ['lost', 'restored', 'copied'] as const;
    const since = Math.max(0, ...forgot.flatMap((is) => time.facts(operator, is).map(({ at }) => at)));
    const judged = [...hour.filter(({ at }) => at > since), loss];
    yield* judge(operator, judged, since > 0, hadOutside(operator, entries), time);
  }
}

type Had = (declared: Declared, at: number) => boolean;

/** Whether an operator had a volume by then: it registered one there, or was told to take over whatever is. */
function hadOutside(operator: string, entries: readonly Entry[]): Had {
  const since = new Map<string, number>();
  const note = (text: string, at: number) => since.set(text, Math.min(at, since.get(text) ?? at));
  for (const { is, place, at, by } of entries) {
    if ((is !== 'registered' && is !== 'made') || !place) continue;
    note(`Adopt ${placeText(place)}`, at);
    if (operatorOf(by) === operator) note(`Fail ${placeText(place)}`, at);
  }
  return ({ place, adoption }, at) => {
    const told = adoption === 'Adopt' ? adoption : 'Fail';
    return (since.get(`${told} ${placeText(place)}`) ?? Number.POSITIVE_INFINITY) <= at;
  };
}

/**
 * @param forgot its state was lost, or another was put in its place
 * @param had what had nothing outside leaves at once, and is no part of the whole any more
 */
function* judge(
  operator: string,
  hour: readonly Loss[],
  forgot: boolean,
  had: Had,
  time: Timeline,
): Generator<Violation> {
  const last = hour.at(-1);
  if (!last) return;
  const { perHour, percent } = limitsFor(operator, last, time);
  const say = (rule: string): Violation => ({
    invariant: 'I4',
    at: last.at,
    message: `${operator} let ${hour.length} go within an hour without approval (${hour.map(({ key }) => key).join(', ')}): ${rule}`,
  });
  if (hour.length > perHour) yield say(`at most ${perHour} may`);
  const first = Math.min(...hour.map(({ since }) => since));
  const before = [first - 1, ...hour.map(({ since }) => since)];
  // Those that were declared since are the connection's objects, too, as those that go are until they are gone.
  const now = volumesOf(time.at(operator, last.at), keysOf(hour));
  const total = Math.max(now, ...before.map((at) => volumesOf(time.at(operator, at))));
  const known = before.map((at) => volumesOf(time.at(operator, at), keysOf(hour), (one) => had(one, at)));
  // Nor is what a person let go, and is gone.
  const isLetGo = ({ key }: Declared): boolean =>
    time.facts(operator, 'approved').some((fact) => fact.keys.includes(key) && fact.at <= last.at) &&
    time.at(operator, last.at)?.objects.has(key) !== true;
  const rest = before.map((at) => volumesOf(time.at(operator, at), keysOf(hour), (one) => !isLetGo(one)));
  // What it does not know to be its own leaves at once, too.
  const all = [total, Math.max(now, ...known), Math.max(now, ...rest), ...(forgot ? [now] : [])];
  if (all.every((of) => of >= percentFrom && hour.length * 100 > percent * of))
    yield say(`at most ${percent} % of ${total} may`);
  const left = volumesOf(time.at(operator, last.at));
  if (total >= 2 && hour.length >= total && left === 0) yield say('all of them never may');
}

/**
 * Whether the limits may have held an object back that was gone from the tree for that time: then it never left, and is the
 * same object when it is declared again.
 */
export function mayBeHeldBack(
  operator: string,
  key: string,
  from: number,
  to: number,
  time: Timeline,
): boolean {
  const approved = time.facts(operator, 'approved');
  if (approved.some((fact) => fact.keys.includes(key) && fact.at >= from && fact.at < to)) return false;
  const lately = time.snapshots(operator).filter(({ at }) => at > from - hourMs && at <= to);
  const before = time.at(operator, from - hourMs);
  const seen = before ? [before, ...lately] : lately;
  const left = volumesOf(time.at(operator, from));
  const total = new Set(seen.flatMap(({ objects }) => [...objects.keys()])).size;
  const gone = total - left;
  return seen.some(
    ({ limits: { perHour, percent } }) =>
      gone > perHour || (total >= percentFrom && gone * 100 > percent * total) || (left === 0 && total >= 2),
  );
}

const keysOf = (hour: readonly Loss[]): ReadonlySet<string> => new Set(hour.map(({ key }) => key));

/** Roles are another connection's. */
function volumesOf(
  snapshot: Snapshot | undefined,
  gone: ReadonlySet<string> = new Set(),
  counts: (one: Declared) => boolean = () => true,
): number {
  const objects = [...(snapshot?.objects.values() ?? [])];
  const volumes = objects.filter((one) => one.place.scheduler !== 'secrets' && counts(one));
  return new Set([...volumes.map(({ key }) => key), ...gone]).size;
}

/** The stricter of those before and after the change that takes it away, for an hour. */
export function limitsFor(
  operator: string,
  { since, at }: Pick<Loss, 'since' | 'at'>,
  time: Timeline,
): Limits {
  const before = time.at(operator, since - togetherMs);
  // What was raised by the same change holds after an hour (docs/decisions/0013).
  const holds = (from: number): boolean =>
    from > since + togetherMs ? from <= at : from > since - togetherMs && from <= at - hourMs;
  const all = time
    .snapshots(operator)
    .filter((snapshot) => holds(snapshot.at))
    .map(({ limits }) => limits);
  const allowed = before ? [before.limits, ...all] : all;
  if (allowed.length === 0) return { perHour: Number.POSITIVE_INFINITY, percent: 100 };
  return {
    perHour: Math.max(...allowed.map(({ perHour }) => perHour)),
    percent: Math.max(...allowed.map(({ percent }) => percent)),
  };
}

/** Declared again before its disk was destroyed: it gets its registration back as soon as its plugin allows it. */
const isTakenBack = (operator: string, { key, doneAt }: Loss, at: number, time: Timeline): boolean =>
  doneAt > at && time.at(operator, at)?.objects.has(key) === true;

/** What an object lost by it; `undefined`: nothing that counts. */
function lossOf(
  operator: string,
  entry: Removal,
  entries: readonly Entry[],
  time: Timeline,
): Loss | undefined {
  const { sentAt, at } = entry;
  const places = placesOf(entry, entries);
  const keys = [...time.keys(operator)];
  // Where another one names it by now, it has moved there (docs/decisions/0016): what becomes of it is that one's loss.
  const isNamed = (key: string): boolean => {
    const now = time.at(operator, sentAt)?.objects.get(key);
    return now !== undefined && places.has(placeText(now.place));
  };
  const named = keys.filter(isNamed);
  for (const key of named.length > 0 ? named : keys) {
    const stretches = time.stretches(operator, key).filter(({ from }) => from <= sentAt);
    const last = stretches.at(-1);
    const declared = stretches.flatMap((one) => (isDeclared(one.declared) ? [one.declared] : [])).at(-1);
    if (!last || !declared || !places.has(placeText(declared.place))) continue;
    const back = entries.some(
      (one) =>
        one.is === 'registered' &&
        one.disk === entry.disk &&
        !isRetired(one.place) &&
        one.at >= at &&
        one.at < at + againMs,
    );
    if (entry.is === 'deregistered' && (back || last.declared !== undefined)) continue;
    const end = entries.find((one) => one.is === 'destroyed' && one.disk === entry.disk && one.at >= at);
    const doneAt = end?.at ?? (declared.deletion === 'Delete' ? Number.POSITIVE_INFINITY : at);
    const madeAt = entries.find((one) => one.is === 'made' && one.disk === entry.disk)?.at ?? 0;
    // What changed since the last look may be missed: then it is what stood there before that goes.
    const seen = stretches.findLast(({ from }) => from <= sentAt - lookMs) ?? last;
    // What is destroyed was deregistered before that, for what stood there then.
    const begunAt = begunOf(entry, entries);
    const begun = stretches.findLast(({ from }) => from <= begunAt - lookMs) ?? last;
    const since = Math.min(...[last, seen, begun].map((one) => sinceWhen(stretches, one)));
    return { at, doneAt, key, declared, places, madeAt, since };
  }
  return undefined;
}

/** When its registration was taken away, or itself. */
const begunOf = ({ disk, sentAt }: Removal, entries: readonly Entry[]): number =>
  entries.findLast(
    (one) => one.is === 'deregistered' && one.disk === disk && one.at <= sentAt && !isRetired(one.place),
  )?.sentAt ?? sentAt;

/** What can't be read for a while, this file or another one, changes nothing about it. */
const sinceWhen = (stretches: readonly Stretch[], one: Stretch): number => {
  const said = JSON.stringify(one.declared);
  const upTo = stretches.slice(0, stretches.indexOf(one) + 1);
  const before = upTo.findLastIndex(
    ({ declared }) =>
      JSON.stringify(declared) !== said && (declared !== 'broken' || one.declared === 'broken'),
  );
  return upTo[before + 1]?.from ?? one.from;
};

/** A registration is where it is; a disk may have been moved before, to be destroyed where nobody can claim it. */
function placesOf({ is, disk, place, at }: Removal, entries: readonly Entry[]): ReadonlySet<string> {
  const own = place ? [placeText(place)] : [];
  if (is === 'deregistered') return new Set(own);
  const before = entries.flatMap((one) =>
    (one.is === 'registered' || one.is === 'made') && one.disk === disk && one.at <= at
      ? [placeText(one.place)]
      : [],
  );
  return new Set([...own, ...before]);
}

/** Before it moved, under the name that it had: who takes it over goes on with what was let go. */
const isApprovedBefore = (operator: string, { at, key, madeAt, places }: Loss, time: Timeline): boolean =>
  time.facts(operator, 'approved').some((fact) => {
    if (fact.at > at || fact.at < madeAt) return false;
    return fact.keys.some((former) => {
      const stretches = time.stretches(operator, former);
      const had = stretches.findLast(
        ({ from, declared }) => from <= fact.at && isDeclared(declared),
      )?.declared;
      const isBack = stretches.some(
        ({ from, to, declared }) =>
          from > fact.at && declared !== undefined && time.surelySeen(operator, from, Math.min(to, at)),
      );
      const isGone = time.at(operator, at)?.objects.get(former) === undefined;
      return former !== key && isGone && !isBack && isDeclared(had) && places.has(placeText(had.place));
    });
  });

/** A person let just this one go, after it had left; and since then nobody can have seen it back. */
export const isApproved = (
  operator: string,
  { key, since }: Pick<Loss, 'key' | 'since'>,
  at: number,
  time: Timeline,
): boolean =>
  time.facts(operator, 'approved').some((fact) => {
    if (fact.at > at || !fact.keys.includes(key)) return false;
    const until = time.stretches(operator, key).filter(({ from, to }) => from <= at && to > fact.at);
    // It may have come back while the person spoke.
    const saidAt = fact.saidAt ?? fact.at;
    const wasGone = until[0]?.declared === undefined || until[0].from > saidAt - togetherMs;
    // An empty or unreadable manifest holds it, and does not bring it back.
    const seenBack = until.some(
      ({ declared, from, to }) =>
        isDeclared(declared) && time.surelySeen(operator, Math.max(from, fact.at), Math.min(to, at)),
    );
    return fact.at >= since || (wasGone && !seenBack);
  });
