// What is deleted at the mounts of the secrets service: invariants 19 (only what left, was to go and is its own) and 4
// (no more than the limits allow).
import { isApproved, limitsFor } from './limits.ts';
import {
  hadIt,
  heldAt,
  isBy,
  isDistrusted,
  isOfSecrets,
  keyAt,
  lifeFrom,
  lookMs,
  lookOutsideMs,
  once,
} from './mount-lives.ts';
import { operatorOf, placeText, type Declared, type Held, type MountAct, type Violation } from './record.ts';
import { isDeclared, type Stretch, type Timeline } from './timeline.ts';

type Removed = Extract<MountAct, { is: 'removed' }>;

const hourMs = 3_600_000;
const percentFrom = 6;

const isRemoved = (act: MountAct): act is Removed => act.is === 'removed';

export function* judgeMountRemovals(time: Timeline): Generator<Violation> {
  const removed = [...once(time.account.mountActs)].filter(isRemoved);
  for (const act of removed) {
    const operator = operatorOf(act.by);
    if (operator !== undefined) yield* judgeRemoved(operator, act, time);
  }
  for (const operator of time.operators) {
    yield* judgeLimits(
      operator,
      removed.filter((act) => isBy(act, operator)),
      time,
    );
  }
}

function* judgeRemoved(operator: string, act: Removed, time: Timeline): Generator<Violation> {
  const { at, sentAt, place, before } = act;
  const say = (message: string): Violation => ({
    invariant: 'I19',
    at,
    message: `${operator} deleted ${placeText(place)}: ${message}`,
  });
  const key = keyAt(operator, place, time);
  if (key === undefined) return yield say('it never declared it');
  const known = goesBy(operator, key, sentAt, time);
  const able = known.filter(({ suspended, observed }) => !suspended && !observed);
  if (!able.some(({ deletion }) => deletion === 'Delete')) yield say('it was to be kept');
  const stretches = time.stretches(operator, key).filter(({ from }) => from <= sentAt);
  const lately = stretches.filter(({ to }) => to > sentAt - lookMs);
  if (!lately.some(isLeft) && !isGoing(stretches)) yield say('it was declared');
  if (isDistrusted(operator, sentAt, time))
    yield say('its state was put back, and nobody has said that it may');
  const stood = heldAt(place, sentAt - lookOutsideMs(time), time);
  if (!stood) return; // it came since the last look
  if (!hadIt(operator, key, place, at, time)) yield say('somebody else had made it');
  else if (!isRecognised(operator, key, before, sentAt, time))
    yield say('it was not what was declared: somebody else had put it there');
}

const isLeft = ({ declared, unsound }: Stretch): boolean => declared === undefined && !unsound;

/** It had left while all could be used, and what can't be used since says whose it is: another one's. */
function isGoing(until: readonly Stretch[]): boolean {
  const back = until.findLastIndex(({ declared }) => declared !== undefined);
  const absent = until.slice(back + 1);
  return absent.some(({ unsound }) => !unsound) && absent.at(-1)?.hides === false;
}

/** An edit that can't be made leaves it to what was declared before. */
function goesBy(operator: string, key: string, at: number, time: Timeline): readonly Declared[] {
  const known = time.known(operator, key, at);
  const from = lifeFrom(operator, key, at, time);
  const all = time
    .stretches(operator, key)
    .flatMap((one) => (one.to > from && one.from <= at && isDeclared(one.declared) ? [one.declared] : []));
  const isEdited = new Set(all.map(({ source }) => JSON.stringify(source))).size > 1;
  return isEdited ? all : known;
}

/** What tells one from another of the same name: who logs in by it, or which keys it reaches. */
function isRecognised(operator: string, key: string, { shown }: Held, at: number, time: Timeline): boolean {
  const names = ['user', 'collection'] as const;
  return time.stretches(operator, key).some(({ declared, from }) => {
    if (!isDeclared(declared) || !declared.held || from > at) return false;
    const { held, adoption } = declared;
    return adoption !== 'Fail' || names.every((name) => held.shown[name] === shown[name]);
  });
}

interface Loss {
  readonly at: number;
  readonly key: string;
  readonly since: number;
}

function* judgeLimits(operator: string, removed: readonly Removed[], time: Timeline): Generator<Violation> {
  const losses: Loss[] = [];
  for (const { at, sentAt, place } of removed) {
    const key = keyAt(operator, place, time);
    if (key === undefined) continue;
    const absent = time
      .stretches(operator, key)
      .findLast(({ from, declared }) => from <= sentAt && declared === undefined);
    const loss = { at, key, since: absent?.from ?? sentAt };
    if (isApproved(operator, loss, at, time)) continue;
    const forgot = (['lost', 'restored', 'copied'] as const).flatMap((is) => time.facts(operator, is));
    const since = Math.max(at - hourMs, 0, ...forgot.flatMap((fact) => (fact.at <= at ? [fact.at] : [])));
    const hour = losses.filter(
      (one) => one.at > since && one.key !== key && !isApproved(operator, one, at, time),
    );
    losses.push(loss);
    yield* judgeHour(operator, [...hour, loss], time);
  }
}

function* judgeHour(operator: string, hour: readonly Loss[], time: Timeline): Generator<Violation> {
  const last = hour.at(-1);
  if (!last) return;
  const { perHour, percent } = limitsFor(operator, last, time);
  const names = [...new Set(hour.map(({ key }) => key))];
  const say = (rule: string): Violation => ({
    invariant: 'I4',
    at: last.at,
    message: `${operator} let ${names.length} go within an hour without approval (${names.join(', ')}): ${rule}`,
  });
  if (names.length > perHour) yield say(`at most ${perHour} may`);
  const at = [...hour.flatMap(({ since }) => [since - 1, since]), last.at];
  const now = keysAt(operator, last.at, time);
  // What has nothing of its own outside leaves at once, and is no part of the whole.
  const isPart = (key: string): boolean =>
    now.has(key) || names.includes(key) || hadSomething(operator, key, last.at, time);
  const totals = at.map((one) => [...new Set([...keysAt(operator, one, time), ...names])].filter(isPart));
  const total = Math.max(...totals.map(({ length }) => length));
  // The directory is one of them, and not told of here.
  if (total >= percentFrom && names.length * 100 > percent * (total + 1))
    yield say(`at most ${percent} % of ${total} may`);
  const hasRoles = [...time.keys(operator)].some((key) => key.startsWith('LDAPStaticRole/'));
  if (!hasRoles && total >= 2 && names.length >= total && now.size === 0) yield say('all of them never may');
}

/** Those of the secrets service that were declared at that instant. */
const keysAt = (operator: string, at: number, time: Timeline): ReadonlySet<string> =>
  new Set(
    [...(time.at(operator, at)?.objects.values() ?? [])].flatMap((one) =>
      isOfSecrets(one) ? [one.key] : [],
    ),
  );

/** It wrote something for it by then, or was told to take it over. */
const hadSomething = (operator: string, key: string, at: number, time: Timeline): boolean =>
  time
    .stretches(operator, key)
    .some(
      ({ declared, from }) =>
        from <= at &&
        isDeclared(declared) &&
        (!declared.held || hadIt(operator, key, declared.place, at, time)),
    );
