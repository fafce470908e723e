// `holdfast describe`: shows everything that is known about one object, to explain why it is not as declared.
import { keyText, type Reference } from '../../core/resource.ts';
import { conditionOf } from '../../core/status/condition.ts';
import { explanationOf, nothing } from '../../core/status/reasons.ts';
import type { Condition } from '../../core/status/status.ts';
import { systemClock } from '../../runtime/clock.ts';
import type { Entry } from '../../core/source/source.ts';
import { requestsOf } from '../../runtime/kinds/lookup.ts';
import { suspensionText } from '../../core/suspension.ts';
import { everything, referencesOf, suspensionIn, type Listing } from '../../runtime/place/listing.ts';
import type { Place } from '../../runtime/place/place.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { age, span } from '../output/age.ts';
import { changeLines, valueText } from '../output/changes.ts';
import { plain, table, type Terminal } from '../output/terminal.ts';
import { notFound, tellAside } from './get.ts';

interface Described {
  readonly row: Entry;
  readonly listing: Listing;
  readonly next: Awaited<ReturnType<Place['nextVisit']>>;
  readonly wallMs: number;
}

/** @throws UsageError if there is no such object */
export async function describe(key: string, place: Place, terminal: Terminal): Promise<ExitCode> {
  const listing = await place.list(everything);
  const row = listing.rows.find(({ object }) => keyText(object.key) === key);
  if (!row) throw await notFound(key, place);
  tellAside(listing, terminal);
  const described = { row, listing, next: await place.nextVisit(key), wallMs: systemClock.wallMs() };
  const titled = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : ['', terminal.style('bold', title), ...lines.map((line) => `  ${line}`)];
  const sections = [
    ...table(factsOf(described)).split('\n'),
    ...titled('Conditions', conditionLines(described)),
    ...titled('What to do', remediesOf(row)),
    ...titled('Observed', observedLines(row)),
    ...titled(...driftOf(described)),
    ...titled('Refers to', referenceLines(row, listing)),
    ...titled('Referred to by', referrerLines(key, listing)),
    ...titled('History', historyLines(described)),
  ];
  for (const line of sections) terminal.line(line);
  return exitCode.fine;
}

/** Rows of name and value, without empty values. */
function factsOf({ row, listing, next, wallMs }: Described): readonly (readonly string[])[] {
  const { object, status } = row;
  const { key, labels = {}, origin, createdAt, generation } = object;
  const facts: readonly (readonly [string, string])[] = [
    ['Name', key.name],
    ['Namespace', key.namespace],
    ['Kind', key.kind],
    ['Labels', pairs(labels)],
    ['Declared in', origin ?? ''],
    ['Created', createdAt === undefined ? '' : `${createdAt} (${age(createdAt, wallMs)} ago)`],
    ['Generation', generationText(generation, status.observedGeneration)],
    ['External object', pairs(status.externalRef ?? {})],
    ['Suspended', suspendedText(row, listing)],
    ['Asked', askedText(row)],
    ['Deletion', deletionText(row)],
    ['Awaits approval', status.awaits ? `holdfast approve ${status.awaits.digest}` : ''],
    [
      'Under way',
      status.pending && status.pending.done !== true ? `${status.pending.op}, not confirmed yet` : '',
    ],
    ['Next reconcile', nextText(next, wallMs)],
  ];
  return facts.filter(([, text]) => text !== '').map(([name, text]) => [`${name}:`, plain(text)]);
}

/** None, if its manifest was never usable. */
function generationText(generation: number, reconciled: number | undefined): string {
  if (generation === 0) return '';
  if (reconciled === generation) return String(generation);
  return `${generation} (${reconciled === undefined ? 'not reconciled yet' : `reconciled: ${reconciled}`})`;
}

const pairs = (texts: Readonly<Record<string, string>>): string =>
  Object.entries(texts)
    .map(([name, text]) => `${name}=${text}`)
    .join(', ');

function suspendedText({ object }: Entry, { read }: Listing): string {
  const suspension = suspensionIn(object, read);
  return suspension ? suspensionText(suspension, object) : 'no';
}

/** The requests that stand, with their reasons: each permits or prevents something until it is taken back. */
function askedText({ object: { key, requests, byCommand = {} } }: Entry): string {
  const standing = requestsOf(key.kind).filter(
    ({ name, command }) => command?.sets === 'reason' && requests[name] !== undefined,
  );
  return standing
    .map(({ name }) => {
      const who = byCommand[name];
      const by = who === undefined ? 'by annotation' : who === '' ? 'by command' : `by command (${who})`;
      return `${name}, ${by}: ${requests[name]}`;
    })
    .join('; ');
}

function deletionText({ object, status }: Entry): string {
  if (!object.deleting) return '';
  const ready = conditionOf(status.conditions, 'Ready');
  return ready?.status === 'False' ? `waits: ${ready.reason}: ${ready.message}` : 'under way';
}

function nextText(next: Described['next'], wallMs: number): string {
  if (next === 'off') return 'none: no operator runs on this state';
  if (next === 'unknown') return 'not known here; the status page of the operator shows it';
  if (next === 'none') return 'when something changes';
  return next - wallMs < 1_000 ? 'now' : `in ${span(next - wallMs)}, or when something changes`;
}

const observedMax = 400;

/** The fields of the object's last observation. */
function observedLines({ status: { observed = {} } }: Entry): readonly string[] {
  const lines = Object.entries(observed).map(([name, value]) => [
    name,
    valueText(value, `/${name}/`, observedMax),
  ]);
  return lines.length === 0 ? [] : table(lines).split('\n');
}

const conditionLines = ({ row: { object, status }, wallMs }: Described): readonly string[] =>
  table(
    [
      ['TYPE', 'STATUS', 'REASON', 'SINCE', 'MESSAGE'],
      ...status.conditions.map((condition) => [
        condition.type,
        condition.status,
        condition.reason,
        age(condition.lastTransitionTime, wallMs),
        messageOf(condition, object.generation),
      ]),
    ].map((row) => row.map(plain)),
  ).split('\n');

const messageOf = ({ message, observedGeneration }: Condition, generation: number): string =>
  observedGeneration < generation ? `${message} (of generation ${observedGeneration})`.trimStart() : message;

/** The remedy for each reason of a condition that reports a problem. */
function remediesOf({ status }: Entry): readonly string[] {
  const wrong = status.conditions.filter(({ type, status: is }) =>
    bad.has(type) ? is === 'True' : is !== 'True',
  );
  const reasons = [...new Set(wrong.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const known = explanationOf(reason);
    return known && known.remedy !== nothing ? [`${reason}: ${known.cause} ${known.remedy}`] : [];
  });
}

/** Conditions that report a problem if they are True. */
const bad: ReadonlySet<string> = new Set(['Reconciling', 'Stalled', 'Abnormal', 'LoginAtRisk']);

function driftOf({ row: { status }, wallMs }: Described): [string, readonly string[]] {
  const { drift } = status;
  if (!drift) return ['', []];
  const title = `Differs (${drift.summary}, noticed ${age(drift.detectedAt, wallMs)} ago; - is there, + is declared)`;
  return [title, drift.fields.flatMap(changeLines)];
}

function referenceLines({ object }: Entry, { read }: Listing): readonly string[] {
  return referencesOf(object).map((reference) => {
    const at = keyText(reference.target);
    const entry = reference.to === 'secret' ? ` (entry ${reference.entry})` : '';
    return plain(
      `${reference.field}: ${at}${entry}${reference.to === 'secret' ? '' : readinessOf(read(at))}`,
    );
  });
}

function readinessOf(target: Entry | undefined): string {
  if (!target) return ', which does not exist';
  const ready = conditionOf(target.status.conditions, 'Ready');
  if (target.object.deleting) return ', which is being deleted';
  return ready?.status === 'True' ? ', ready' : `, not ready: ${ready?.reason ?? 'Pending'}`;
}

function referrerLines(key: string, { rows }: Listing): readonly string[] {
  const lines = rows.flatMap((row) =>
    referencesOf(row.object)
      .filter((reference: Reference) => keyText(reference.target) === key)
      .map(
        ({ field }) =>
          `${keyText(row.object.key)} (${field})${row.object.deleting ? ', which is being deleted' : ''}`,
      ),
  );
  const sorted = lines.toSorted().map(plain);
  return sorted.length <= referrersMax
    ? sorted
    : [...sorted.slice(0, referrersMax), `… and ${sorted.length - referrersMax} more`];
}

const referrersMax = 20;

const historyLines = ({ row, wallMs }: Described): readonly string[] =>
  row.status.history
    .toReversed()
    .map(({ at, what, fields }) =>
      plain(
        `${age(at, wallMs).padStart(4)} ago  ${what}${fields.length > 0 ? ` (${fields.join(', ')})` : ''}`,
      ),
    );
