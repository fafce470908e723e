// A history as text: what was to happen, what happened, and what was wrong about it.
import type { Account, Entry } from './oracle/record.ts';
import { placeText } from './oracle/record.ts';
import type { Played } from './run.ts';

const linesMax = 200;
const time = (at: number): string => `${(at / 1000).toFixed(3)} s`.padStart(14);
const who = (by: Entry['by']): string => ('operator' in by ? by.operator : by.stranger);

export function* shown({ history, account, violations }: Played): Generator<string> {
  const { setup, events } = history;
  yield `seed ${history.seed}`;
  const { volumes, ...rest } = setup;
  yield `begins with ${JSON.stringify(rest)}`;
  for (const { slot, wish } of volumes) yield `  ${slot} ${JSON.stringify(wish)}`;
  yield 'events';
  for (const { at, action } of events) yield `${time(at)} ${JSON.stringify(action)}`;
  yield 'what happened';
  const lines = [...happened(account)].toSorted(([a], [b]) => a - b);
  for (const [at, line] of lines.slice(0, linesMax)) yield `${time(at)} ${line}`;
  if (lines.length > linesMax) yield `… ${lines.length - linesMax} more`;
  yield 'at the end';
  for (const { operator, key, leaving, conditions } of account.end.told) {
    const ready = conditions.find(({ type }) => type === 'Ready');
    yield `  ${operator} ${key}${leaving ? ' (leaving)' : ''}: ${ready?.status} ${ready?.reason} ${ready?.message}`;
  }
  yield violations.length === 0 ? 'nothing is wrong' : 'wrong';
  for (const { invariant, at, message } of violations) yield `${time(at)} ${invariant} ${message}`;
}

function claims(entry: Entry): string {
  const by =
    entry.is === 'destroyed'
      ? entry.claims.map(({ allocation }) => allocation)
      : entry.is === 'deregistered'
        ? entry.claims
        : [];
  return by.length > 0 ? ` claimed by ${by.join(', ')}` : '';
}

function* happened({ entries, acts, mountActs, facts }: Account): Generator<readonly [number, string]> {
  for (const entry of entries) {
    const place = entry.place ? ` ${placeText(entry.place)}` : '';
    yield [entry.at, `${who(entry.by)} ${entry.is}${place} ${entry.disk}${claims(entry)}`];
  }
  for (const { at, by, sentAt: _, ...act } of acts) yield [at, `${who(by)} ${JSON.stringify(act)}`];
  for (const { at, by, sentAt: _, place, ...act } of mountActs)
    yield [at, `${who(by)} ${placeText(place)} ${JSON.stringify(act)}`];
  for (const { at, operator, ...fact } of facts) yield [at, `${operator} ${JSON.stringify(fact)}`];
}
