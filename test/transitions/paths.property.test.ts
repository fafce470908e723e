// Path independence: whatever was declared of an object before, it ends as if its last declaration had been its first, or it
// says what stayed.
import { expect, test } from 'vitest';
import type { DialectsName } from '../../src/runtime/embedded/running.ts';
import { declarationOf } from '../../src/runtime/kinds/lookup.ts';
import { report } from '../e2e/report.ts';
import { Draws } from '../support/draws.ts';
import { around, seeded } from './around.ts';
import { documentOf, isValid, outcomeOf, patched, type Written } from './lanes.ts';
import { subjects } from './subjects.ts';
import type { Subject } from './subject.ts';
import { difference, isGood, verdictOf } from './verdict.ts';
import { World } from './world.ts';

const edits = 5;
const lanesPerSubject = 4;

/** What never changes is a refusal, which fields.test.ts tries one by one; here as much as can be is to be followed. */
function changeable({ kind, fields }: Subject): Subject['fields'] {
  const table = declarationOf.get(kind)?.fields ?? {};
  return fields.filter(({ field, later }) => table[field]?.change !== 'identity' && later === undefined);
}

/** Fields drawn on top of each other; what would make the whole invalid is left out again. */
function drawn(subject: Subject, replaced: boolean, draws: Draws): Written {
  const { makes = () => true } = subject;
  let written: Written = replaced ? patched(subject.base, { '/replacePolicy': 'WhenUnused' }) : subject.base;
  for (const { a, b, beside = {} } of draws.shuffled(changeable(subject))) {
    if (draws.below(3) > 0) continue;
    const { '/replacePolicy': _, ...others } = beside;
    const next = patched(written, { ...others, ...(draws.below(2) === 0 ? a : b) });
    if (isValid(subject, next) && makes(next({ name: 'a' }))) written = next;
  }
  return written;
}

interface Lane {
  readonly subject: Subject;
  readonly name: string;
  /** Each was taken after the one before it. */
  readonly path: readonly Written[];
}

function laneOf(subject: Subject, name: string, draws: Draws): Lane {
  const replaced = subject.policies.includes('replacePolicy') && draws.below(2) === 0;
  const path = [drawn(subject, replaced && takesReplacement(subject), draws)];
  for (let i = 1; i < edits; i += 1) {
    const next = drawn(subject, replaced && takesReplacement(subject), draws);
    const last = path.at(-1) ?? next;
    path.push(isValid(subject, next, last) ? next : last);
  }
  return { subject, name, path };
}

const takesReplacement = (subject: Subject): boolean =>
  isValid(subject, patched(subject.base, { '/replacePolicy': 'WhenUnused' }));

const why = 'however it came there, it ends as if its last declaration had been its first, or says why not';

test.for<DialectsName>(['nomad', 'cluster'])(`%s: ${why}`, async (dialects) => {
  const seed = process.env['TRANSITIONS_SEED'] ?? String(process.hrtime.bigint());
  report(`TRANSITIONS_SEED=${seed} draws the same paths again`);
  const draws = new Draws(`${seed} ${dialects}`);
  const lanes = subjects.flatMap((subject, s) =>
    Array.from({ length: lanesPerSubject }, (_, i) => laneOf(subject, `p${s}-${i}`, draws)),
  );
  const names = lanes.map(({ name }) => name);
  const [world, nothing] = [
    await World.open(dialects, seeded(names), around()),
    await World.open(dialects, seeded(names), around()),
  ];
  for (let at = 0; at < edits; at += 1) {
    await world.pass(
      lanes.flatMap(({ subject, name, path }) =>
        path.slice(at, at + 1).map((one) => documentOf(subject, name, one)),
      ),
    );
  }
  await nothing.pass(
    lanes.flatMap(({ subject, name, path }) => path.slice(-1).map((one) => documentOf(subject, name, one))),
  );
  const faults = lanes.flatMap(({ subject, name, path }) => {
    const [last = subject.base] = path.slice(-1);
    const spec = last({ name });
    const [got, want] = [outcomeOf(world, subject, name, spec), outcomeOf(nothing, subject, name, spec)];
    const verdict = verdictOf({
      got,
      want,
      before: undefined,
      isRefused: false,
      isBack: false,
      later: false,
    });
    if (isGood.has(verdict)) return [];
    const specs = path.map((one, i) => `  ${i}: ${JSON.stringify(one({ name }))}`);
    return [
      [
        `${subject.kind}: ${verdict}: ${got.why ?? 'nothing is said'} / ${want.why ?? 'ready'}`,
        ...specs,
        ...difference(got.live, want.live),
      ].join('\n'),
    ];
  });
  expect(faults, `TRANSITIONS_SEED=${seed}`).toEqual([]);
});
