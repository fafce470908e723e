// Each field of each kind is set, changed, unset and set back: what is there follows, or the object says why not. What
// has to be there is read from another world, in which the same was declared where nothing was.
import { describe, expect, test } from 'vitest';
import type { DialectsName } from '../../src/runtime/embedded/running.ts';
import { declarations } from '../../src/runtime/kinds/lookup.ts';
import { report } from '../e2e/report.ts';
import { around, seeded } from './around.ts';
import { documentOf, isValid, outcomeOf, patched, shapeOf, type Written } from './lanes.ts';
import { subjects, untried } from './subjects.ts';
import type { FieldValues, Subject } from './subject.ts';
import { Tally } from './tally.ts';
import { verdictOf } from './verdict.ts';
import { World } from './world.ts';

const stepNames = ['set', 'changed', 'unset', 'set back'] as const;

interface Step {
  readonly what: (typeof stepNames)[number];
  readonly written: Written;
  /** Who declares the same where nothing was. */
  readonly twin: string;
}

interface Lane {
  readonly subject: Subject;
  readonly values: FieldValues;
  readonly name: string;
  /** What is declared, and what then stands: what is refused leaves what stood before. */
  readonly steps: readonly { readonly declared: Step; readonly stands: Step }[];
}

const replaces = ({ beside }: FieldValues): boolean => beside?.['/replacePolicy'] !== undefined;

function laneOf(subject: Subject, values: FieldValues, name: string): Lane {
  const base = patched(subject.base, values.beside ?? {});
  const a = patched(base, values.a);
  const without = Object.keys(values.a).map((at) => [at, undefined] as const);
  const steps: readonly Step[] = [
    { what: 'set', written: a, twin: `${name}-a` },
    { what: 'changed', written: patched(base, values.b), twin: `${name}-b` },
    { what: 'unset', written: patched(base, Object.fromEntries(without)), twin: `${name}-u` },
    { what: 'set back', written: a, twin: `${name}-a` },
  ];
  return { subject, values, name, steps: standing(subject, steps) };
}

function standing(subject: Subject, steps: readonly Step[]): Lane['steps'] {
  const found: { declared: Step; stands: Step }[] = [];
  for (const declared of steps) {
    const before = found.at(-1)?.stands;
    const isTaken = isValid(subject, declared.written, before?.written);
    if (!isTaken && !before) throw new Error(`${subject.kind}: ${declared.twin} can't be declared`);
    found.push({ declared, stands: isTaken ? declared : (before ?? declared) });
  }
  return found;
}

const lanes = subjects.flatMap((subject, s) =>
  subject.fields.map((values, i) => laneOf(subject, values, `f${s}-${i}`)),
);

async function play(some: readonly Lane[], dialects: DialectsName, tally: Tally): Promise<void> {
  const names = some.flatMap(({ name, steps }) => [name, ...steps.map(({ declared }) => declared.twin)]);
  const open = () => World.open(dialects, seeded([...new Set(names)]), around());
  const [world, nothing] = [await open(), await open()];
  await nothing.pass(
    some.flatMap(({ subject, steps }) =>
      [...new Map(steps.map(({ stands }) => [stands.twin, stands.written]))].map(([twin, written]) =>
        documentOf(subject, twin, written),
      ),
    ),
  );
  const before = new Map<string, string>();
  for (const at of stepNames.keys()) {
    await world.pass(some.flatMap((lane) => documentAt(lane, at)));
    for (const lane of some) {
      const step = lane.steps[at];
      if (!step || isSkipped(lane, step)) continue;
      const { declared, stands } = step;
      const of = (from: World, name: string) => outcomeOf(from, lane.subject, name, stands.written({ name }));
      const [got, want] = [of(world, lane.name), of(nothing, stands.twin)];
      const verdict = verdictOf({
        got,
        want,
        before: before.get(lane.name),
        isRefused: declared !== stands,
        isBack: declared.what === 'set back',
        later: lane.values.later !== undefined,
      });
      before.set(lane.name, got.live);
      tally.note(
        { kind: lane.subject.kind, field: lane.values.field, what: declared.what },
        verdict,
        got,
        want,
      );
    }
  }
  expect(some.flatMap((lane) => invisible(nothing, lane))).toEqual([]);
}

/** What is replaced can't stand beside what is refused: nothing goes while a file can't be used. */
const isSkipped = ({ values }: Lane, { declared, stands }: Lane['steps'][number]): boolean =>
  replaces(values) && declared !== stands;

function documentAt(lane: Lane, at: number) {
  const { subject, name, steps } = lane;
  const step = steps[at];
  if (!step) return [];
  return [documentOf(subject, name, (isSkipped(lane, step) ? step.stands : step.declared).written)];
}

/** With values that make no difference anybody can see, a field proves nothing. */
function invisible(nothing: World, { subject, values, steps }: Lane): readonly string[] {
  if (values.unseen !== undefined) return [];
  const seen = steps
    .filter(({ declared, stands }) => declared === stands)
    .map(({ stands: { twin, written } }) => outcomeOf(nothing, subject, twin, written({ name: twin })).live);
  const isTried = new Set(steps.map(({ stands }) => stands.twin)).size > 1;
  return isTried && new Set(seen).size === 1 ? [`${subject.kind} ${values.field}`] : [];
}

test.for<DialectsName>(['nomad', 'cluster'])(
  '%s: whatever is done to a field is followed or answered, and nothing stays stuck',
  async (dialects) => {
    const tally = new Tally();
    for (const replaced of [true, false]) {
      await play(
        lanes.filter(({ values }) => replaces(values) === replaced),
        dialects,
        tally,
      );
    }
    report(`${dialects}\n${tally.text()}`);
    expect(tally.faults).toEqual([]);
  },
);

describe('every field is tried, so that a new one can not be forgotten', () => {
  test.for(declarations.map((declaration) => ({ declaration, kind: declaration.kind })))(
    '$kind',
    ({ declaration: { kind, fields, spec } }) => {
      const of = subjects.filter((subject) => subject.kind === kind);
      if (of.length === 0) return expect(untried).toHaveProperty(kind);
      const tried = of.flatMap((subject) => subject.fields.map(({ field }) => field));
      const policies = of.flatMap((subject) => subject.policies.map((name) => `/${name}`));
      const inTable = Object.keys(fields);
      const isInTable = (at: string) => inTable.some((one) => one === at || one.startsWith(`${at}/`));
      const others = shapeOf(spec).filter((at) => !isInTable(at) && !policies.includes(at));
      expect([...inTable, ...others].filter((at) => !tried.includes(at))).toEqual([]);
      expect(tried.filter((at) => !inTable.includes(at) && !others.includes(at))).toEqual([]);
    },
  );
});
