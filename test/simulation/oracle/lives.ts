// Who a disk belongs to, as objects go: one that is put back or copied is another one, whatever it brings along, and what another had
// made is its own only if it was told to adopt it or took it over (docs/decisions/0016).
import type { DiskLife } from './disks.ts';
import { placeText, type Place } from './record.ts';
import { isDeclared, type Stretch, type Timeline } from './timeline.ts';

/** What an operator learns late: a lost request arrives after that at the most (world/network.ts). */
const lateMs = 20_000;

/** From when it is there first until it is gone for good. */
interface Life {
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly stretches: readonly Stretch[];
}

function* livesOf(operator: string, key: string, time: Timeline): Generator<Life> {
  const ends = time.facts(operator, 'gone').filter((fact) => fact.key === key);
  const all = time.stretches(operator, key);
  let before = Number.NEGATIVE_INFINITY;
  for (const to of [...ends.map(({ at }) => at), Number.POSITIVE_INFINITY]) {
    const since = before;
    before = to;
    const stretches = all.filter(
      ({ declared, from }) => declared !== undefined && from >= since && from < to,
    );
    const [first] = stretches;
    if (first) yield { key, from: first.from, to, stretches };
  }
}

/** @returns the objects that the disk may be of, among all that have ever been */
function holdersOf(operator: string, disk: DiskLife, at: number, time: Timeline): readonly Life[] {
  const places = new Set(
    [disk.madeFor, ...disk.registered.map(({ place }) => place)].flatMap((one) =>
      one ? [placeText(one)] : [],
    ),
  );
  const names = ({ declared }: Stretch): boolean =>
    isDeclared(declared) && places.has(placeText(declared.place));
  const lives = [...time.keys(operator)]
    .flatMap((key) => [...livesOf(operator, key, time)])
    .filter((life) => life.from <= at && life.stretches.some(names));
  const isFirst = ({ from, to }: Life): boolean => from <= disk.madeAt && to >= disk.madeAt - lateMs;
  const isTold = ({ stretches }: Life): boolean =>
    stretches.some((one) => names(one) && isDeclared(one.declared) && one.declared.adoption !== 'Fail');
  const holders = new Set(lives.filter((life) => isFirst(life) || isTold(life)));
  // Who was there together with one that had it may have taken it over.
  for (const had of holders)
    for (const life of lives) if (life.from <= had.to && life.to >= had.from) holders.add(life);
  return [...holders];
}

/**
 * Whether the object that has that name may have the disk as its own, or had, and was not gone for so long that the operator knew.
 * Where nobody tells when objects are gone, as in a directory, who is declared again is who it was.
 */
export const mayHold = (operator: string, key: string, disk: DiskLife, at: number, time: Timeline): boolean =>
  time.account.inCluster !== true ||
  holdersOf(operator, disk, at, time).some(
    (life) => life.key === key && !time.surelySeen(operator, life.to, at),
  );

/** All the while another declaration named it: it moved there, and back (docs/decisions/0016). */
export const isElsewhere = (
  operator: string,
  key: string,
  place: Place,
  from: number,
  to: number,
  time: Timeline,
) =>
  [...time.keys(operator)].some(
    (other) =>
      other !== key &&
      time
        .stretches(operator, other)
        .some(
          (one) =>
            one.from <= from &&
            one.to >= to &&
            isDeclared(one.declared) &&
            placeText(one.declared.place) === placeText(place),
        ),
  );
