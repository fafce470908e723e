// How it ended at the mounts of the secrets service: invariant 22. What is ready is as declared, what is refused is somebody
// else's, and nothing is left over.
import { actsAt, agrees, isBy, lateMs, mayBeAnother, surelyLeft, type Written } from './mount-lives.ts';
import {
  operatorOf,
  placeText,
  type Declared,
  type Held,
  type MountAct,
  type Place,
  type Told,
  type Violation,
} from './record.ts';
import { isDeclared, type Timeline } from './timeline.ts';

export function* judgeMountsEnd(time: Timeline): Generator<Violation> {
  const { end } = time.account;
  if (end.isStorm) return;
  const say = (message: string): Violation => ({ invariant: 'I22', at: end.at, message });
  for (const told of end.told) {
    const { operator, key } = told;
    const tree = time.at(operator, end.at);
    const declared = tree?.objects.get(key);
    const who = `${operator} ${key}`;
    const wasHeld = time
      .stretches(operator, key)
      .some((one) => isDeclared(one.declared) && one.declared.held !== undefined);
    if (!wasHeld) continue;
    if (!declared && !told.leaving && tree?.unsound === false && !isRefusing(operator, time))
      yield say(`${who} is not declared, and nothing says that it leaves`);
    if (!declared?.held || declared.suspended || declared.observed) continue;
    for (const wrong of wrongWith(told, declared, declared.held, time)) yield say(`${who} ${wrong}`);
  }
  for (const { place } of end.held)
    if (isLeftOver(place, time)) yield say(`${placeText(place)} is left over`);
}

/** An edit that can't be made holds up everything that leaves. */
export const isRefusing = (operator: string, { account }: Timeline): boolean =>
  account.end.told.some((one) => one.operator === operator && readyOf(one)?.reason === 'InvalidSpec');

const readyOf = ({ conditions }: Told) => conditions.find(({ type }) => type === 'Ready');

function* wrongWith(told: Told, declared: Declared, wanted: Held, time: Timeline): Generator<string> {
  const { operator, key } = told;
  const { place } = declared;
  const ready = readyOf(told);
  const held = time.account.end.held.find((one) => placeText(one.place) === placeText(place))?.held;
  // An edit that came while nobody remembered what was made looks like another's object.
  const isEditedUnknown =
    time.facts(operator, 'stripped').length > 0 && held !== undefined && !agrees(wanted, held);
  if (ready?.reason === 'AdoptionRefused' && !isEditedUnknown && isSurelyOwn(operator, key, place, time))
    yield 'is refused what it made itself';
  if (ready?.status !== 'True') return;
  if (!held) return yield 'is ready, and not there';
  for (const [name, value] of Object.entries(wanted.shown))
    if (held.shown[name] !== value) yield `is ready, and ${name} is ${held.shown[name] ?? 'not set'}`;
  for (const name of Object.keys(held.shown))
    if (wanted.shown[name] === undefined && isForgotten(operator, key, place, name, time))
      yield `is ready, and ${name} has a value still that it had given it`;
  if (isHiddenWrong(operator, key, place, wanted, time))
    yield 'is ready, and what nobody can read back is not what is declared';
}

const changes = (place: Place, time: Timeline): readonly Exclude<MountAct, { is: 'refused' }>[] =>
  actsAt(place, time).filter((act) => act.is !== 'refused');

/** Neither late nor overtaken by a request that was sent after it, as one can be that the network doubled. */
const isOnTime = (act: MountAct, time: Timeline): boolean =>
  act.at <= act.sentAt + lateMs &&
  !actsAt(act.place, time).some((one) => one.sentAt > act.sentAt && one.at < act.at);

/** It made it and nobody else had a hand in it, and it has been declared ever since. */
function isSurelyOwn(operator: string, key: string, place: Place, time: Timeline): boolean {
  const all = changes(place, time);
  const made = all.findLast((act) => act.is === 'written' && act.before === undefined);
  if (!made || !isBy(made, operator) || !isOnTime(made, time)) return false;
  const since = all.slice(all.indexOf(made));
  return since.every((act) => isBy(act, operator)) && !isAnotherSince(operator, key, made, time);
}

const isAnotherSince = (operator: string, key: string, { sentAt }: MountAct, time: Timeline): boolean =>
  mayBeAnother(operator, key, sentAt, time.account.end.at, time);

/** It gave it that value while it was the same object, and does not declare it any more. */
function isForgotten(operator: string, key: string, place: Place, name: string, time: Timeline): boolean {
  const set = changes(place, time).findLast(
    (act): act is Written => act.is === 'written' && act.before?.shown[name] !== act.after.shown[name],
  );
  return (
    set !== undefined &&
    isBy(set, operator) &&
    isOnTime(set, time) &&
    !isAnotherSince(operator, key, set, time) &&
    !time.facts(operator, 'stripped').some((fact) => fact.at >= set.at) // what it gave is not remembered
  );
}

/** Judged where it wrote last, in time, and is the same object since. */
function isHiddenWrong(
  operator: string,
  key: string,
  place: Place,
  { hidden }: Held,
  time: Timeline,
): boolean {
  const { end } = time.account;
  // A Secret that went while a file can't be used, or an edit can't be made, stays: it may be declared there.
  const isUnsound = time.at(operator, end.at)?.unsound === true || isRefusing(operator, time);
  const isKept = (name: string): boolean => name === 'secret' && hidden[name] === undefined && isUnsound;
  const last = changes(place, time).at(-1);
  if (last?.is !== 'written' || operatorOf(last.by) !== operator || !isOnTime(last, time)) return false;
  if (isAnotherSince(operator, key, last, time)) return false;
  const names = new Set([...Object.keys(hidden), ...Object.keys(last.after.hidden)]);
  return [...names].some((name) => hidden[name] !== last.after.hidden[name] && !isKept(name));
}

/** Another collection is an edit that can't be made: what was declared before it counts. */
const isMadeOf = ({ held }: Declared, { after }: Written): boolean =>
  held?.shown['collection'] === after.shown['collection'];

/** An operator made it, and had to delete it when it left. */
function isLeftOver(place: Place, time: Timeline): boolean {
  const { told, at } = time.account.end;
  const all = changes(place, time);
  const made = all.findLast((act): act is Written => act.is === 'written' && act.before === undefined);
  const operator = made && operatorOf(made.by);
  if (!made || operator === undefined || all.slice(all.indexOf(made)).some((act) => !isOnTime(act, time)))
    return false;
  if (all.slice(all.indexOf(made)).some((act) => !isBy(act, operator))) return false;
  const forgot = (['lost', 'restored', 'copied', 'stripped'] as const).some((is) =>
    time.facts(operator, is).some((fact) => fact.at >= made.sentAt),
  );
  if (forgot) return false;
  return [...time.keys(operator)].some((key) => {
    const last = time.stretches(operator, key).at(-1);
    if (!last || last.declared !== undefined || last.unsound) return false;
    const known = time.known(operator, key, at);
    if (!known.some((one) => placeText(one.place) === placeText(place))) return false;
    if (told.some((one) => one.operator === operator && one.key === key)) return false;
    return (
      known.every((one) => one.deletion === 'Delete' && isMadeOf(one, made)) &&
      surelyLeft(operator, key, last, time)
    );
  });
}
