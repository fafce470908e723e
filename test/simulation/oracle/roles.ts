// Roles of the directory: invariants 1, 6, 9 and 13.
import { operatorOf, placeText, type Entry, type Violation } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

type Removed = Extract<Entry, { is: 'role made' | 'role removed' | 'role rotated' }>;

const lookMs = 1_500;

export function* judgeRoles(time: Timeline): Generator<Violation> {
  const { entries, end } = time.account;
  const roles = entries.filter((entry): entry is Removed => entry.is.startsWith('role '));
  for (const [i, entry] of roles.entries()) {
    const operator = operatorOf(entry.by);
    if (operator === undefined) continue;
    if (entry.is === 'role removed') yield* judgeRemoved(operator, entry, roles.slice(0, i), time);
  }
  for (const operator of time.operators) yield* judgeRotations(operator, roles, time);
  for (const { at, operator, key } of end.stale) {
    yield {
      invariant: 'I13',
      at,
      message: `${operator} ${key} is ready, and what it published is not in force`,
    };
  }
}

function keyAt(operator: string, entry: Removed, time: Timeline): string | undefined {
  return [...time.keys(operator)].find((key) =>
    time
      .stretches(operator, key)
      .some(({ declared }) => isDeclared(declared) && placeText(declared.place) === placeText(entry.place)),
  );
}

function* judgeRemoved(
  operator: string,
  entry: Removed,
  before: readonly Removed[],
  time: Timeline,
): Generator<Violation> {
  const { at, sentAt, place, disk } = entry;
  const say = (invariant: string, message: string): Violation => ({
    invariant,
    at,
    message: `${operator} removed the role ${place.id} of ${disk}: ${message}`,
  });
  const key = keyAt(operator, entry, time);
  if (key === undefined) return yield say('I1', 'it never declared it');
  const made = before.findLast((one) => one.is === 'role made' && one.place.id === place.id);
  const stretches = time.stretches(operator, key);
  const adopts = stretches.some(({ declared }) => isDeclared(declared) && declared.adoption !== 'Fail');
  if (made && operatorOf(made.by) !== operator && !adopts) yield say('I1', 'somebody else had made it');
  const known = time.known(operator, key, sentAt);
  if (!known.some(({ deletion }) => deletion === 'Delete')) yield say('I6', 'it was to be kept');
  const gone = stretches.some(
    ({ from, to, declared, unsound }) =>
      from <= sentAt && to > sentAt - lookMs && declared === undefined && !unsound,
  );
  if (!gone) yield say('I1', 'it was declared');
  for (const is of ['lost', 'restored', 'copied'] as const) {
    for (const fact of time.facts(operator, is)) {
      if (fact.at > sentAt || (made?.at ?? 0) > fact.at || (is === 'lost' && adopts)) continue;
      if (time.facts(operator, 'accepted').some((one) => one.at > fact.at)) continue;
      yield say('I6', `the state was ${is} before`);
    }
  }
}

/** Every request is answered once: as often as another one was put into the manifest, and no more. */
function* judgeRotations(operator: string, roles: readonly Removed[], time: Timeline): Generator<Violation> {
  const asked = new Map<string, number>();
  const allowed = new Map<string, number>();
  const sent = new Set<string>();
  for (const entry of roles) {
    if (entry.is !== 'role rotated' || operatorOf(entry.by) !== operator) continue;
    // One that the network doubled was asked for once.
    const request = `${placeText(entry.place)} ${entry.sentAt}`;
    if (sent.has(request)) continue;
    sent.add(request);
    const key = keyAt(operator, entry, time);
    if (key === undefined) continue;
    asked.set(key, (asked.get(key) ?? 0) + 1);
    allowed.set(key, asks(operator, key, entry.sentAt, time));
    const [done = 0, may = 0] = [asked.get(key), allowed.get(key)];
    if (done <= may) continue;
    const message = `${operator} rotated the password of ${key} ${done} times, and was asked to ${may} times`;
    yield { invariant: 'I9', at: entry.at, message };
  }
}

/** How often another token came into the manifest; one that stands there when an object is first seen asks for nothing. */
function asks(operator: string, key: string, until: number, time: Timeline): number {
  let count = 0;
  let before: string | undefined;
  for (const { from, declared } of time.stretches(operator, key)) {
    if (from > until || !isDeclared(declared)) continue;
    if (declared.rotate !== undefined && declared.rotate !== before) count += 1;
    before = declared.rotate;
  }
  return count;
}
