// Each field of the connections is set, changed, unset and set back, in a program that goes on running: the next requests, logins,
// rights and limits are as declared, or the connection says why not. What that looks like is read from another world, in which the
// same was declared where nothing was. `TRANSITIONS_ONLY='SchedulerConnection /tls'` narrows it down.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { DialectsName } from '../../src/runtime/embedded/running.ts';
import { declarationOf } from '../../src/runtime/kinds/lookup.ts';
import { report } from '../e2e/report.ts';
import { hasOpenssl } from '../support/certificates.ts';
import { credentials } from './connections/accounts.ts';
import type { Shown } from './connections/live.ts';
import { connectionOf, filled, Scenario, type Declared } from './connections/scenario.ts';
import { connectionSubjects, type ConnectionSubject, type Tried } from './connections/subjects.ts';
import { isTaken, patched, type Written } from './lanes.ts';
import { Tally } from './tally.ts';
import { verdictOf } from './verdict.ts';

const stepNames = ['set', 'changed', 'unset', 'set back'] as const;

/** Such as may stand in their places. */
const anyWords = (kind: string) => ({
  one: 'http://127.0.0.1:1',
  two: 'http://127.0.0.1:2',
  secure: 'https://127.0.0.1:3',
  dialect: kind === 'SchedulerConnection' ? 'nomad' : 'vault',
  'other dialect': kind === 'SchedulerConnection' ? 'cluster' : 'secrets',
  file: '/a',
  'other file': '/b',
});

function isValid(subject: ConnectionSubject, written: Written, before?: Written): boolean {
  const document = (one: Written) => filled(connectionOf(subject, 'a', one), anyWords(subject.kind));
  return isTaken(document(written), before && Object(document(before)['spec']));
}

interface Step {
  readonly what: (typeof stepNames)[number];
  readonly declared: Written;
  /** Who declares what then stands where nothing was. */
  readonly twin: string;
  readonly stands: Written;
}

interface Lane {
  readonly subject: ConnectionSubject;
  readonly values: Tried;
  readonly name: string;
  readonly steps: readonly Step[];
}

/** What is declared alike has one twin. */
const twinNames = new Map<string, string>();
function twinOf({ kind }: ConnectionSubject, { trial = 'none' }: Tried, written: Written): string {
  const text = JSON.stringify([kind, trial, written({ name: '<name>' })]);
  const name = twinNames.get(text) ?? `twin-${twinNames.size}`;
  twinNames.set(text, name);
  return name;
}

function laneOf(subject: ConnectionSubject, values: Tried, name: string): Lane {
  const base = patched(subject.base, values.beside ?? {});
  const a = patched(base, values.a);
  const without = Object.fromEntries(Object.keys(values.a).map((at) => [at, undefined]));
  const all: readonly (readonly [Step['what'], Written])[] = [
    ['set', a],
    ['changed', patched(base, values.b)],
    ['unset', patched(base, without)],
    ['set back', a],
  ];
  const steps: Step[] = [];
  for (const [what, declared] of all) {
    const before = steps.at(-1);
    const takes = isValid(subject, declared, before?.stands);
    if (!takes && !before) throw new Error(`${subject.kind} ${values.field}: it can't be declared`);
    const twin = twinOf(subject, values, declared);
    steps.push(takes || !before ? { what, declared, twin, stands: declared } : { ...before, what, declared });
  }
  return { subject, values, name, steps };
}

const lanes = connectionSubjects
  .flatMap((subject, s) => subject.fields.map((values, i) => laneOf(subject, values, `lane-${s}-${i}`)))
  .filter(({ subject, values }) =>
    `${subject.kind} ${values.field}`.includes(process.env['TRANSITIONS_ONLY'] ?? ''),
  );

const trialOf = ({ values: { trial = 'none' } }: Lane): Declared['trial'] => trial;

/** What stands, where nothing was. */
const twinsOf = (lane: Lane): readonly Declared[] =>
  [...new Map(lane.steps.map(({ twin, stands }) => [twin, stands]))].map(([name, written]) => ({
    subject: lane.subject,
    name,
    trial: trialOf(lane),
    written,
  }));

const declaredAt = (lane: Lane, { declared, stands }: Step): Declared => ({
  subject: lane.subject,
  name: lane.name,
  trial: trialOf(lane),
  written: stands,
  ...(declared !== stands && { refused: declared }),
});

const outcome = (all: ReadonlyMap<string, Shown>, name: string): Shown => {
  const found = all.get(name);
  if (!found) throw new Error(`nothing came of ${name}`);
  return found;
};

test.skipIf(!hasOpenssl).for<DialectsName>(['nomad', 'cluster'])(
  '%s: whatever is done to a field of a connection, its next requests follow, or it is answered',
  { timeout: 1_800_000 },
  async (dialects) => {
    const these = await credentials();
    const twins = [...new Map(lanes.flatMap(twinsOf).map((one) => [one.name, one])).values()];
    const wanted = await (await Scenario.open(dialects, twins, these)).step(twins);
    const scenario = await Scenario.open(
      dialects,
      lanes.map((lane) => ({ ...lane, trial: trialOf(lane) })),
      these,
    );
    const tally = new Tally();
    const before = new Map<string, string>();
    for (const at of stepNames.keys()) {
      const steps = lanes.flatMap((lane) =>
        lane.steps.slice(at, at + 1).map((step) => [lane, step] as const),
      );
      const found = await scenario.step(steps.map(([lane, step]) => declaredAt(lane, step)));
      for (const [lane, step] of steps) {
        const [got, want] = [outcome(found, lane.name), outcome(wanted, step.twin)];
        const verdict = verdictOf({
          got: step.declared === step.stands ? got : { ...got, live: got.kept },
          want,
          before: before.get(lane.name),
          isRefused: step.declared !== step.stands,
          isBack: step.what === 'set back',
          later: lane.values.later !== undefined,
        });
        if (step.declared === step.stands) before.set(lane.name, got.kept);
        tally.note(
          { kind: lane.subject.kind, field: lane.values.field, what: step.what },
          verdict,
          got,
          want,
        );
      }
    }
    report(`${dialects}\n${tally.text()}`);
    expect(tally.faults).toEqual([]);
    expect(lanes.flatMap((lane) => invisible(wanted, lane))).toEqual([]);
  },
);

/** With values that make no difference anybody can see, a field proves nothing. */
function invisible(wanted: ReadonlyMap<string, Shown>, { subject, values, steps }: Lane): readonly string[] {
  if (values.unseen !== undefined) return [];
  const seen = new Set(steps.map(({ twin }) => outcome(wanted, twin).live));
  return seen.size > 1 ? [] : [`${subject.kind} ${values.field}`];
}

/** Pointers to whatever may be declared by itself; a reference is one value. */
function leavesOf(shape: z.ZodType, at = ''): readonly string[] {
  const inner = shape instanceof z.ZodExactOptional ? shape.unwrap() : undefined;
  if (inner instanceof z.ZodType) return leavesOf(inner, at);
  if (!(shape instanceof z.ZodObject) || /(Secret|Account)Ref$/.test(at)) return [at];
  return Object.entries(shape.shape).flatMap(([name, one]) => leavesOf(one, `${at}/${name}`));
}

describe('every field is tried, so that a new one can not be forgotten', () => {
  test.for(connectionSubjects)('$kind', ({ kind, fields }) => {
    const { spec } = declarationOf.get(kind) ?? {};
    const leaves = spec === undefined ? [] : leavesOf(spec);
    expect(new Set(fields.map(({ field }) => field))).toEqual(new Set(leaves));
  });
});
