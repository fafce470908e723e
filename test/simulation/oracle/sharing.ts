// Invariants 5 and 7: a disk that stood before is nobody's new one, and two objects do not end on one disk.
import type { DiskLife, Disks } from './disks.ts';
import { mayBeHeldBack } from './limits.ts';
import { mayHold } from './lives.ts';
import { operatorOf, placeText, type Declared, type Entry, type Place, type Violation } from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

type Found = Extract<Entry, { is: 'found' }>;

/** A create was answered with a disk that was there: its own, of which the answer was lost, or somebody's. */
export function* judgeFound(entry: Found, disks: Disks, time: Timeline): Generator<Violation> {
  const operator = operatorOf(entry.by);
  if (operator === undefined) return;
  const life = disks.life(entry.disk);
  const at = placeText(entry.place);
  const say = (invariant: string, message: string): Violation => ({
    invariant,
    at: entry.at,
    message: `${operator} created ${at} and got ${entry.disk}: ${message}`,
  });
  if (life.madeBy !== operator || !life.madeFor || placeText(life.madeFor) !== at) {
    const owner = life.madeFor ? placeText(life.madeFor) : 'nobody';
    yield say('I7', `it was made by ${life.madeBy ?? 'somebody'} for ${owner}`);
    return;
  }
  const holds = [...time.keys(operator)].some((key) => mayHold(operator, key, life, entry.sentAt, time));
  if (!holds) yield say('I7', 'it was made for another object, which is gone');
  const next = newer(life, disks);
  if (next) yield say('I5', `${next.disk} had taken its place`);
  const lost = time.facts(operator, 'lost').some((fact) => fact.at > life.madeAt && fact.at < entry.at);
  if (lost) yield say('I6', 'its state was lost, so it was nobody’s');
  for (const key of time.keys(operator)) {
    for (const { from, to, declared, unsound } of time.stretches(operator, key)) {
      if (declared !== undefined || unsound || from < life.madeAt || to > entry.at) continue;
      const before = time.known(operator, key, from);
      if (!before.some((one) => placeText(one.place) === at)) continue;
      if (!time.surelySeen(operator, from, to) || before.some((one) => one.deletion === 'Delete')) continue;
      if (mayBeHeldBack(operator, key, from, to, time)) continue;
      yield say('I6', `${key} had left with ${before[0]?.deletion}, so it was to be kept`);
    }
  }
}

const newer = (life: DiskLife, disks: Disks): DiskLife | undefined =>
  [...disks.all()].find(
    (other) =>
      other.disk !== life.disk &&
      other.madeAt > life.madeAt &&
      other.madeBy === life.madeBy &&
      samePlace(other.madeFor, life.madeFor),
  );

const samePlace = (a: Place | undefined, b: Place | undefined): boolean =>
  a !== undefined && b !== undefined && placeText(a) === placeText(b);

interface Held {
  readonly operator: string;
  readonly declared: Declared;
  readonly disk: string;
}

/** At the end: objects that say that all is well, each with its disk. */
export function* judgeShared(time: Timeline): Generator<Violation> {
  const { told, registrations, at } = time.account.end;
  const held = told.flatMap(({ operator, key, conditions }): Held[] => {
    const declared = time.at(operator, at)?.objects.get(key);
    const isReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (!declared || !isReady || declared.observed) return [];
    const there = registrations.find(({ place }) => placeText(place) === placeText(declared.place));
    return there ? [{ operator, declared, disk: there.disk }] : [];
  });
  for (const [i, one] of held.entries()) {
    for (const other of held.slice(i + 1)) {
      if (one.disk !== other.disk || wasToldToShare(one, time) || wasToldToShare(other, time)) continue;
      if ([one, other].some(({ operator }) => time.facts(operator, 'copied').length > 0)) continue;
      const [a, b] = [one, other].map(({ operator, declared }) => `${operator} ${declared.key}`);
      yield { invariant: 'I7', at, message: `${a} and ${b} are both ready on ${one.disk}` };
    }
  }
}

/** It was told to share, now or since it was last surely gone: what it took over then stays its own. */
export function wasToldToShare(
  { operator, declared }: Pick<Held, 'operator' | 'declared'>,
  time: Timeline,
): boolean {
  if (declared.adoption !== 'Fail' || 'register' in declared.source) return true;
  const stretches = time.stretches(operator, declared.key);
  const gone = stretches.findLastIndex(
    (one) => one.declared === undefined && time.surelySeen(operator, one.from, one.to),
  );
  return stretches
    .slice(gone + 1)
    .some((one) => isDeclared(one.declared) && one.declared.adoption !== 'Fail');
}
