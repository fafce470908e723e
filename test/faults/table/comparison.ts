// Compares a disturbed run with undisturbed ones: what is there in the end, and how often each effect happened.
import { isDeepStrictEqual } from 'node:util';
import { canonical } from '../../../src/core/hash.ts';
import type { Json } from '../../../src/core/secret.ts';
import type { End } from '../world/final-state.ts';
import { destroys, type Tally } from '../world/ledger.ts';

/** How a run went. */
export interface Ran {
  readonly end: End;
  /** `<op> <path>` → effects, by the services' own word. */
  readonly effects: ReadonlyMap<string, Tally>;
  /** Of the run to rest. */
  readonly code: number | string;
  /** Writes of one more pass. */
  readonly restless: number;
  /** Of allocations that were frozen, and of drills. */
  readonly watched: readonly Finding[];
  /** Logins that were not ended. */
  readonly sessions: number;
  /** An at-most-once step was reported as Unknown, and asked for once more. */
  readonly askedAgain: boolean;
}

export const columns = ['duplicates', 'orphans', 'manual steps', 'wrong deletes', 'other'] as const;
export type Column = (typeof columns)[number];
export type Finding = readonly [Column, string];

/** @param late one request had its effect only after the program had looked */
export function judge(ran: Ran, allowed: readonly Ran[], late: boolean): readonly Finding[] {
  const enough = allowed.length > 1 && toldNoMore(ran.end, allowed);
  const akin = allowed.filter(({ end }) => haveSameObjects(ran.end, end));
  const likely = akin.length > 0 ? akin : allowed;
  const ends = likely.map(({ end }) =>
    differences(enough ? { ...ran.end, jobs: end.jobs } : ran.end, end, allowed, likely),
  );
  const [best = []] = ends.toSorted((a, b) => a.length - b.length);
  const found: Finding[] = [...best, ...tooOften(ran, allowed, late), ...ran.watched];
  if (!allowed.some(({ code }) => code === ran.code)) found.push(['manual steps', `ended with ${ran.code}`]);
  if (ran.restless > 0) found.push(['other', `one more pass made ${ran.restless} writes`]);
  return found;
}

const countsOf = (job: unknown): readonly (readonly [string, unknown])[] => Object.entries(Object(job));

/** Where the object left or was edited half way, those who were not told yet need not be told any more. */
function toldNoMore({ jobs }: End, allowed: readonly Ran[]): boolean {
  return Object.entries(jobs).every(([job, told]) =>
    countsOf(told).every(([what, count]) =>
      allowed.some(({ end }) => Number(count) <= Number(Object.fromEntries(countsOf(end.jobs[job]))[what])),
    ),
  );
}

type Part = End[keyof End];

/** What is made at a provider: nobody knows of it but the object that it was made for. */
const made: ReadonlySet<string> = new Set(['disks', 'snapshots'] satisfies (keyof End)[]);

const haveSameObjects = (a: End, b: End): boolean =>
  isDeepStrictEqual(new Set(Object.keys(a.rows)), new Set(Object.keys(b.rows)));

/**
 * Cut off between two ends that are allowed, each thing is as it is in one of them.
 * @param likely those that have the same objects: what is made is as it is in one of these
 */
function differences(
  end: End,
  expected: End,
  allowed: readonly Ran[],
  likely: readonly Ran[],
): readonly Finding[] {
  const partsOf = (one: Ran): Readonly<Record<string, Part>> => ({ ...one.end });
  const found: Readonly<Record<string, Part>> = { ...end };
  return Object.entries<Part>({ ...expected }).flatMap(([part, all]) => {
    const names = new Set([...Object.keys(found[part] ?? {}), ...Object.keys(all)]);
    const ends = (made.has(part) ? likely : allowed).map(partsOf);
    return [...names].flatMap((name): Finding[] => {
      const [is, should] = [found[part]?.[name], all[name]];
      if (ends.some((one) => isDeepStrictEqual(is, one[part]?.[name]))) return [];
      if (part === 'rows') return [['manual steps', `${name}: ${shown(is, should)}`]];
      if (should === undefined) return [['orphans', `${part} ${name}`]];
      if (is === undefined) return [['wrong deletes', `${part} ${name} is gone`]];
      return [['other', `${part} ${name}: ${shown(is, should)}`]];
    });
  });
}

const around = 100;

/** Where they first differ, and what is around it. */
function shown(is: Json | undefined, should: Json | undefined): string {
  const texts = [is, should].map((value) => (value === undefined ? 'nothing' : canonical(value)));
  const [one = '', other = ''] = texts;
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const from = Math.max(0, at - around);
  const [seen, expected] = texts.map((text) => {
    const part = text.slice(from, at + around);
    return `${from > 0 ? '…' : ''}${part}${at + around < text.length ? '…' : ''}`;
  });
  return `${seen} instead of ${expected}`;
}

function tooOften(ran: Ran, allowed: readonly Ran[], late: boolean): readonly Finding[] {
  const mostOf = (call: string) => Math.max(...allowed.map(({ effects }) => effects.get(call)?.count ?? 0));
  /** Deregistering and registering again is one update where there is no other: repeated, both are. */
  const again = (call: string): number => {
    const other = call.replace('volume.deregister', 'volume.register');
    if (other === call) return 0;
    const registered = ran.effects.get(other)?.count ?? 0;
    // Declared again before it is destroyed, what was retired is taken back, and nothing is lost.
    return call.includes('/retired-of-') ? registered : Math.max(0, registered - mostOf(other));
  };
  return [...ran.effects].flatMap(([call, { repeat, op, count }]): Finding[] => {
    const most = mostOf(call) + again(call);
    // What arrives after the program had looked for it can't be told from what never will.
    const slack = Number(late && repeat === 'findable') + Number(ran.askedAgain && repeat === 'at-most-once');
    if (repeat === 'repeatable' || count <= most + slack) return [];
    return [
      [destroys({ op }) ? 'wrong deletes' : 'duplicates', `${call}: ${count} times instead of ${most}`],
    ];
  });
}
