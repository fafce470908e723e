// A year of three schedules, through both changes of daylight saving: snapshots fail, the provider is out for two weeks, the
// process is away. What is kept is compared all the time with what the rules say, as an oracle reads them that shares no code.
import { expect, test } from 'vitest';
import type { SourceEffect } from '../../src/core/effect.ts';
import type { Entry } from '../../src/core/source/source.ts';
import { keyText, type Key } from '../../src/core/resource.ts';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import { managing } from '../../src/core/planning/policy.ts';
import { snapshotsOf } from '../../src/kinds/csi-snapshot-schedule/children.ts';
import { parseOwn, type Own } from '../../src/kinds/csi-snapshot-schedule/own.ts';
import { plan } from '../../src/kinds/csi-snapshot-schedule/plan.ts';
import type { ScheduleSituation } from '../../src/kinds/csi-snapshot-schedule/situation.ts';
import type { Spec } from '../../src/kinds/csi-snapshot-schedule/schema.ts';
import { Draws } from '../support/draws.ts';
import { at, declared, snapshot, textOf } from '../kinds/csi-snapshot-schedule/situation.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;
const from = at('2026-01-01T00:00:00Z');
const until = at('2027-01-01T00:00:00Z');
/** Nothing that is taken then gets ready. */
const outage = { from: at('2026-06-10T00:00:00Z'), until: at('2026-06-24T00:00:00Z') };
/** Nobody visits then. */
const away = { from: at('2026-09-01T10:00:00Z'), until: at('2026-09-03T15:20:00Z') };

interface Taken {
  readonly name: string;
  readonly atMs: number;
  readonly startedMs: number;
  readonly state: 'pending' | 'ready' | 'failed';
  readonly endsMs: number;
  readonly fails: boolean;
}

/** The local date and time, as Swedes write it: `2026-03-29 03:00:00`. */
function localOf(ms: number, timeZone: string): string {
  const asked = `${timeZone} ${ms}`;
  const local = known.get(asked) ?? new Date(ms).toLocaleString('sv-SE', { timeZone });
  known.set(asked, local);
  return local;
}
const known = new Map<string, string>();
/** Monday of its week, as a date. */
function weekOf(local: string): string {
  const day = new Date(`${local.slice(0, 10)}T00:00:00Z`);
  return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * dayMs).toISOString().slice(0, 10);
}

/** What has to be there of the ready ones, by the words of the documentation. */
function oracle(
  ready: readonly Taken[],
  { retention = {}, timeZone = 'UTC' }: Spec,
  nowMs: number,
): readonly string[] {
  const sorted = ready.toSorted((a, b) => b.atMs - a.atMs);
  const keep = new Set(sorted.slice(0, retention.count ?? 0));
  const periods = {
    hourly: ({ atMs }: Taken) => `${localOf(atMs, timeZone).slice(0, 13)} ${Math.floor(atMs / hourMs)}`,
    daily: ({ atMs }: Taken) => localOf(atMs, timeZone).slice(0, 10),
    weekly: ({ atMs }: Taken) => weekOf(localOf(atMs, timeZone)),
    monthly: ({ atMs }: Taken) => localOf(atMs, timeZone).slice(0, 7),
  } as const;
  for (const tier of ['hourly', 'daily', 'weekly', 'monthly'] as const) {
    const newest = new Map<string, Taken>();
    for (const one of sorted.toReversed()) newest.set(periods[tier](one), one); // later ones replace earlier ones
    const all = [...newest.values()].toSorted((a, b) => b.atMs - a.atMs);
    for (const one of all.slice(0, retention[tier] ?? 0)) keep.add(one);
  }
  const maxAgeMs = retention.maxAge === undefined ? Infinity : Number.parseInt(retention.maxAge, 10) * hourMs;
  const floor = new Set(sorted.slice(0, retention.minReady ?? 1));
  return sorted
    .filter((one) => floor.has(one) || (keep.has(one) && nowMs - one.atMs < maxAgeMs))
    .map(({ name }) => name);
}

/** Plays one schedule. Time moves from one thing that happens to the next. */
class Simulated {
  readonly key: Key;
  readonly spec: Spec;
  readonly draws: Draws;
  status: Status<Own> = noStatus;
  taken: readonly Taken[] = [];
  readonly runs: number[] = [];
  expired = 0;
  failed = 0;
  checks = 0;

  constructor(name: string, spec: Partial<Spec>) {
    this.key = { kind: 'CSISnapshotSchedule', namespace: 'shop', name };
    this.spec = { ...declared, ...spec };
    this.draws = new Draws(`year of ${name}`);
  }

  play(): void {
    for (let nowMs = from; nowMs < until;) {
      this.#ripen(nowMs);
      const nextMs = this.#visit(nowMs);
      this.#check(nowMs);
      nowMs = nextMs >= away.from && nextMs < away.until ? away.until : nextMs;
    }
  }

  #ripen(nowMs: number): void {
    this.taken = this.taken.map((one) =>
      one.state === 'pending' && one.endsMs <= nowMs
        ? { ...one, state: one.fails ? 'failed' : 'ready' }
        : one,
    );
  }

  #entries(): readonly Entry[] {
    return this.taken.map(({ name, atMs, state }) => {
      const entry = this.#made.get(`${name} ${state}`) ?? snapshot(textOf(atMs), state, {}, this);
      this.#made.set(`${name} ${state}`, entry);
      return entry;
    });
  }

  readonly #made = new Map<string, Entry>();

  #visit(nowMs: number): number {
    for (let turn = 0; turn < 16; turn++) {
      const snapshots = snapshotsOf(this.key, this.spec, this.#entries());
      const situation: ScheduleSituation = {
        key: this.key,
        uid: `uid-${this.key.name}`,
        deleting: false,
        held: true,
        requests: {},
        spec: this.spec,
        ref: {},
        located: {},
        resolved: new Map([['/volumeRef', { state: 'ready', outputs: {} }]]),
        observed: { state: 'present', live: { snapshots, made: [], generation: 1 } },
        status: this.status,
        policy: managing,
        nowMs,
        wallMs: nowMs,
        nonce: '',
        since: () => 0,
      };
      const planned = plan(situation);
      if (planned.verdict !== 'change') return nowMs + this.#idleMs(planned, nowMs);
      const [{ effect, own }] = planned.steps;
      this.status = { ...this.status, own: parseOwn(own) ?? { handled: '' } };
      this.#perform(effect, nowMs);
    }
    throw new Error('it never comes to rest');
  }

  /** It asks to be visited every minute. Visited every hour it starts late, and finds the same. */
  #idleMs(planned: { readonly dueMs?: number; readonly verdict: string }, nowMs: number): number {
    const { dueMs = 0 } = planned;
    if (dueMs <= 0 || dueMs > minuteMs) expect(dueMs).toBe('within a minute');
    if (dueMs < minuteMs) return dueMs;
    const ripe = this.taken.flatMap(({ state, endsMs }) => (state === 'pending' ? [endsMs - nowMs] : []));
    return Math.min(hourMs - (nowMs % hourMs), ...ripe);
  }

  #perform(effect: SourceEffect | undefined, nowMs: number): void {
    if (effect?.op === 'child.create') {
      const { child } = effect;
      const atMs = at(child.annotations['holdfast.dev/scheduled-at'] ?? '');
      expect(this.taken.map(({ name }) => name)).not.toContain(child.key.name);
      const isOut = nowMs >= outage.from && nowMs < outage.until;
      const fails = isOut || this.draws.fraction() < 0.1;
      const endsMs = nowMs + (1 + this.draws.below(20)) * minuteMs;
      this.taken = [
        ...this.taken,
        { name: child.key.name, atMs, startedMs: nowMs, state: 'pending', endsMs, fails },
      ];
      this.runs.push(atMs);
      if (fails) this.failed++;
      return;
    }
    const children = effect?.op === 'child.delete' ? effect.children : [];
    const gone = new Set(children.map(({ key }) => key.name));
    // What failed is not data: snapshot() leaves nothing of it outside.
    this.expired += this.taken.filter(({ name, state }) => gone.has(name) && state === 'ready').length;
    this.taken = this.taken.filter(({ name }) => !gone.has(name));
  }

  #check(nowMs: number): void {
    const ready = this.taken.filter(({ state }) => state === 'ready');
    const kept = ready.map(({ name }) => name).toSorted();
    const wanted = oracle(ready, this.spec, nowMs).toSorted();
    const least = this.spec.retention?.minReady ?? 1;
    // expect is too slow for all of them.
    if (kept.join() !== wanted.join()) expect(kept, textOf(nowMs)).toEqual(wanted);
    if (this.#hadOne && kept.length < least) expect(kept, textOf(nowMs)).toHaveLength(least);
    this.#hadOne ||= kept.length >= least;
    this.checks++;
  }

  #hadOne = false;
}

/** Every minute of the year of which the local time is asked for, as far as it exists. */
function expectedRuns(timeZone: string, is: (time: string) => boolean): readonly number[] {
  const found: number[] = [];
  for (let ms = from; ms < until; ms += 15 * minuteMs)
    if (is(localOf(ms, timeZone).slice(11, 16))) found.push(ms);
  return found;
}
const passed = (ms: number): boolean => ms < away.from || ms >= away.until;

test('hourly, with tiers: every hour that passed has its run, and each tier its snapshots', () => {
  const hourly = new Simulated('hourly', {
    schedule: '0 * * * *',
    timeZone: 'Europe/Berlin',
    jitter: '10m',
    retention: { hourly: 24, daily: 14, weekly: 8, monthly: 12 },
  });
  hourly.play();
  const expected = expectedRuns('Europe/Berlin', (time) => time.endsWith(':00')).filter((ms) => ms > from);
  // Of those missed while nobody was there, the last is made up for.
  const made = expected.filter((ms) => passed(ms) || ms === at('2026-09-03T15:00:00Z'));
  const unseen = made.filter((ms) => !hourly.runs.includes(ms));
  expect(unseen.length).toBeLessThanOrEqual(1); // the last of the year may start after it
  expect(hourly.runs.every((ms) => expected.includes(ms))).toBe(true);
  expect(new Set(hourly.runs).size).toBe(hourly.runs.length);
  expect(hourly.runs.length).toBeGreaterThan(8_650);
  expect(hourly.failed).toBeGreaterThan(1_000);
  expect(hourly.expired).toBeGreaterThan(7_000);
  expect(hourly.checks).toBeGreaterThan(15_000);
}, 600_000);

test('nightly at a time that is left out once and comes twice once: one run each night', () => {
  const nightly = new Simulated('nightly', {
    schedule: '30 2 * * *',
    timeZone: 'Europe/Berlin',
    startingDeadline: '3h',
    retention: { count: 14, minReady: 3 },
  });
  nightly.play();
  const nights = nightly.runs.map((ms) => localOf(ms, 'Europe/Berlin'));
  expect(new Set(nights.map((night) => night.slice(0, 10))).size).toBe(nights.length);
  expect(nights.filter((night) => !night.endsWith('02:30:00'))).toEqual(['2026-03-29 03:00:00']);
  expect(nights.filter((night) => night.startsWith('2026-10-25'))).toEqual(['2026-10-25 02:30:00']);
  expect(nights).toHaveLength(365 - 2); // two nights were slept through, and 3 h later were not made up for
  expect(nightly.status.own?.missed).toBe('2026-09-03T00:30:00Z');
}, 600_000);

test('every six hours on the other side of the ocean, by age: the last ones outlive an outage that is longer', () => {
  const byAge = new Simulated('by-age', {
    schedule: '15 */6 * * *',
    timeZone: 'America/New_York',
    concurrencyPolicy: 'Allow',
    retention: { count: 40, maxAge: '240h', minReady: 2 },
  });
  byAge.play();
  const times = new Set(byAge.runs.map((ms) => localOf(ms, 'America/New_York').slice(11, 16)));
  expect(times).toEqual(new Set(['00:15', '06:15', '12:15', '18:15']));
  expect(byAge.expired).toBeGreaterThan(1_000);
  expect(keyText(byAge.key)).toBe('CSISnapshotSchedule/shop/by-age');
}, 600_000);
