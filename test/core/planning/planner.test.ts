// What plans carry besides their verbs: what is remembered after a step, the intents, and what people read.
import { describe, expect, test } from 'vitest';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Step } from '../../../src/core/planning/plan.ts';
import { planned, rows, short } from '../../support/policy-rows.ts';
import { noStatus, type Intent } from '../../../src/core/status/status.ts';
import { declared, existing, given, recorded, situation, toy, type Given } from '../../support/toy.ts';

function firstStep(of: Given): Step<string> {
  const plan = planned(of);
  if (plan.verdict !== 'change') throw new Error(`not a change: ${short(plan)}`);
  return plan.steps[0];
}

describe('what is remembered after a step', () => {
  test('an adopted object is brought in line even where drift is only reported', () => {
    const before = given('foreign', 'sizeEdited', 'Adopt', 'Warn');
    const adopt = firstStep({ ...before, spec: { ...before.spec, note: 'x' } });
    expect(adopt).toMatchObject({ verb: 'adopt', changes: [] });
    expect(adopt.effect).toBeUndefined(); // taking over is no call
    const applied = adopt.applied ?? {};
    expect(applied).toEqual({ '/size': 10, '/disk': 'ssd', '/owner': 'ann', '/note': 'x' });
    expect(short(planned({ ...before, live: existing, memory: { ...recorded, applied } }))).toBe(
      'update /size',
    );
  });

  test('so is a field that the adopted object lacked', () => {
    const { applied = {} } = firstStep(given('foreign', 'labelEdited', 'Adopt'));
    const now = { ...given('labelEdited', 'Ignore'), memory: { ...recorded, applied } };
    expect(short(planned(now))).toBe('update /label');
  });

  const size = given('sizeEdited');
  test.for<{ why: string; given: Given; verb: string }>([
    { why: 'made', given: { ...size, ...given('absent', 'unrecorded') }, verb: 'create' },
    { why: 'brought back', given: { ...size, ...given('absent') }, verb: 'revive' },
    { why: 'changed', given: size, verb: 'update' },
    {
      why: 'made once more to be found and deleted',
      given: { ...size, ...given('absent', 'creating', 'deleting', 'Delete') },
      verb: 'create',
    },
  ])('$why: every declared field, so that an edit can be told from drift', (row) => {
    const step = firstStep(row.given);
    expect(step.verb).toBe(row.verb);
    expect(step.applied).toEqual({ '/size': 20, '/disk': 'ssd', '/owner': 'ann' });
  });

  test('what is written and can not be seen is not taken for granted should the answer get lost', () => {
    expect(firstStep(given('noteEdited')).unsure).toEqual(['/note']);
    expect(firstStep(given('sizeEdited')).unsure).toEqual([]);
    expect(firstStep(given('labelEdited', 'labelReset')).unsure).toEqual(['/label']); // nobody would reset it
    expect(firstStep(given('absent', 'noteEdited')).unsure).toContain('/note');
    const back = { spec: { ...declared, note: 'old' } }; // as before the step
    expect(short(planned({ ...back, memory: withNote('old') }))).toBe('in-sync');
    expect(short(planned({ ...back, memory: withNote(null) }))).toBe('update /note');
  });

  test('a field that was let go is forgotten once it is reset', () => {
    const step = firstStep(given('labelWritten', 'labelFound'));
    expect(step.changes).toEqual([{ path: '/label', desired: 'none', live: 'gold', cause: 'edit' }]);
    expect(step.applied).toEqual(recorded.applied);
  });

  test('a replacement leaves its intent behind: without it, a crash half way would look like a loss', () => {
    const { intent, applied } = firstStep(given('diskEdited', 'WhenUnused'));
    expect(intent).toEqual({ op: 'replace', token: '/disk', evidence: { removed: 'us-1' } });
    expect(applied).toBeUndefined(); // nothing is written yet
  });

  test('a deletion notes what it is about to do: its manifest may come back right after a crash', () => {
    const { intent } = firstStep(given('deleting', 'Delete'));
    expect(intent).toEqual({ op: 'delete', token: 'Delete', evidence: { removed: 'us-1' } });
  });

  test('a create notes itself and what it sends: an edit made while its answer is lost is one', () => {
    const { intent, applied = {} } = firstStep(given('absent', 'unrecorded', 'unheld'));
    expect(intent).toStrictEqual({ op: 'create', token: 'make it', evidence: {} });
    const lost = { memory: { ...noStatus, applied, ...(intent && { pending: intent }) } };
    const noted = firstStep({ ...given('sizeEdited'), ...lost });
    expect(noted).toMatchObject({ verb: 'adopt', applied });
    expect(noted.effect).toBeUndefined();
  });

  test('a create sent again as it was leaves its intent and what was sent as they are', () => {
    const again = managed({
      ...toy,
      create: () => ({ summary: 'make it', effect: 'create', repeats: true }),
    });
    const before = situation(given('absent', 'creating', 'sizeEdited'));
    const plan = again(before);
    const { pending: intent, applied } = before.status;
    expect(plan).toMatchObject({ steps: [{ verb: 'create', intent, applied }] });
  });

  test('bringing back notes itself: nobody has seen what it has become, so the note is the only proof', () => {
    const { intent } = firstStep(given('absent'));
    expect(intent).toEqual({ op: 'revive', token: '' });
  });

  test('no other step needs one', () => {
    const others = Object.values(rows)
      .flat()
      .filter((row) => !/blocked|stalled|gone|in-sync|^replace|^delete|^create|^revive/.test(row.expect));
    expect(others.length).toBeGreaterThan(0);
    expect(others.filter((row) => firstStep(given(...row.given)).intent !== undefined)).toEqual([]);
  });

  test('clearing the way is counted, and changes nothing that is remembered', () => {
    const step = firstStep(given('cluttered', 'labelEdited'));
    expect(step).toMatchObject({ verb: 'detach', effect: 'clear', attempt: 'clear' });
    expect(step.applied).toBeUndefined();
  });

  test('at rest under Warn, drift stays drift', () => {
    const plan = planned(given('drifted', 'Warn'));
    const drift = [{ path: '/size', desired: 10, live: 5, cause: 'drift' }];
    expect(plan).toEqual({ verdict: 'in-sync', drift, applied: recorded.applied, identity: 'us-1' });
  });
});

describe('a create whose answer was lost, of a kind that can take it back', () => {
  const plan = managed({ ...toy, retract: () => ({ summary: 'delete it', effect: 'take back' }) });
  const leaving = given('absent', 'creating', 'deleting', 'Delete');

  test('is told as the deletion that it is, and noted only once made: a crash before repeats it', () => {
    const summary = 'delete it, should the create whose answer was lost have made it';
    const step = { verb: 'delete', summary, effect: 'take back', changes: [] };
    expect(plan(situation(leaving))).toEqual({ verdict: 'change', steps: [step] });
  });

  test('is taken back where it replaced another too, and once', () => {
    const half = given('absent', 'recreating', 'deleting', 'Delete');
    expect(short(plan(situation(half)))).toBe('delete by take back');
    const done = given('absent', 'deleted', 'deleting', 'Delete');
    expect(short(plan(situation(done)))).toBe('gone removed');
  });

  test.for(['Deregister', 'ObserveOnly', 'unrecorded'] as const)('is left alone: %s', (word) => {
    const left = given('absent', 'creating', 'deleting', 'Delete', word);
    expect(plan(situation(left)).verdict).toBe('gone');
  });
});

const withNote = (note: string | null) => ({ ...recorded, applied: { ...recorded.applied, '/note': note } });
const pending = (more: Partial<Intent>): Given => ({
  memory: { ...recorded, pending: { op: 'create', token: 'make it', ...more } },
});

describe('what the service said is done, and does not show yet', () => {
  const plan = managed({ ...toy, identity: ({ disk }) => `disk ${disk}` });
  const at = (nowMs: number, of: Given) => short(plan({ ...situation(of), nowMs }));
  const made = { ...given('absent'), ...pending({ done: true }) };
  const removed = { op: 'replace', evidence: { removed: 'disk ssd' } };
  const waits = 'blocked AwaitingVisibility until time';

  test.for<{ why: string; of: Given }>([
    { why: 'made', of: made },
    { why: 'made, and deleted', of: { ...made, ...given('deleting', 'Delete') } },
    { why: 'removed, to be replaced', of: pending({ ...removed, done: true }) },
    {
      why: 'removed, and deleted',
      of: { ...pending({ ...removed, op: 'delete', done: true }), deleting: true },
    },
    { why: 'removed, and the next one is on its way', of: pending({ ...removed, op: 'create' }) },
  ])('is waited for: $why', ({ of }) => {
    expect(at(30_000, of)).toBe(waits);
    expect(at(30_001, of)).not.toBe(waits);
  });

  test.for<{ why: string; of: Given }>([
    { why: 'nobody said that it was made', of: { ...given('absent'), ...pending({}) } },
    { why: 'nobody said that it was removed', of: pending(removed) },
    {
      why: 'another one stands there',
      of: { ...pending({ ...removed, done: true }), ...given('diskDrifted') },
    },
  ])('else it is not: $why', ({ of }) => {
    expect(at(0, of)).not.toBe(waits);
  });

  test('a removal whose answer was lost is waited for, too: late, it could hit the next one of that name', () => {
    const underWay = 'blocked RemovalInProgress until time';
    for (const of of [pending(removed), { ...pending({ op: 'delete' }), deleting: true }]) {
      expect(at(2_999, of)).toBe(underWay);
      expect(at(3_000, of)).not.toBe(underWay);
    }
    expect(at(0, { ...pending(removed), ...given('diskDrifted') })).not.toBe(underWay);
  });

  test('is a loss afterwards, and not made anew', () => {
    expect(at(30_001, made)).toBe('revive /size,/disk,/owner');
  });

  test('which one was removed is known until the next one shows', () => {
    const half = { ...given('absent'), ...pending({ ...removed, done: true }) };
    expect(plan({ ...situation(half), nowMs: 7 })).toMatchObject({
      steps: [{ intent: { op: 'create', evidence: { removed: 'disk ssd' } } }],
    });
  });
});

test('an object that asks for an interval of its own is looked at by itself, others with the rest', () => {
  const own = planned({ policy: { drift: { intervalMs: 5_000 } } });
  expect(own).toMatchObject({ verdict: 'in-sync', revisitMs: 5_000 });
  expect(planned(given())).not.toHaveProperty('revisitMs');
  const unwatched = managed({ ...toy, unwatched: true });
  expect(unwatched(situation({}))).toMatchObject({ revisitMs: 600_000 }); // nothing would tell
});

test.for<{ why: string; given: Given; expect: string }>([
  {
    why: 'who refuses and what differs',
    given: given('foreign', 'sizeEdited'),
    expect: 'it exists and is not ours; /size differ (adoptionPolicy: Fail)',
  },
  {
    why: 'what no adoption can bring in line',
    given: given('foreign', 'sizeAndDiskEdited', 'Adopt'),
    expect: "it exists and is not ours; /size, /disk differ (/disk can't be changed)",
  },
  {
    why: 'AdoptIfIdentical would help',
    given: given('foreign'),
    expect: 'it exists and is not ours; it agrees with the spec (adoptionPolicy: Fail)',
  },
  {
    why: 'what of its own an adoption would forget: after a backup of the service was put back, that may be the one with the data',
    given: given('usurped'),
    expect:
      'it exists and is not ours, but in the place of us-1, which an adoption would forget; it agrees with the spec (adoptionPolicy: Fail)',
  },
  {
    why: 'both backends',
    given: given('moved'),
    expect:
      'recorded on b1, the connection now points at b2; if it is the same service, set backendID of the connection to b1',
  },
  {
    why: 'that there is none',
    given: given('nowhere'),
    expect:
      'recorded on b1, the connection now points at nothing; if it is the same service, set backendID of the connection to b1',
  },
  {
    why: 'both names',
    given: given('renamed'),
    expect: 'recorded as id toy, declared as other',
  },
  {
    why: 'that it has no name any more',
    given: { located: { backend: 'b1' } },
    expect: 'recorded as id toy, declared as nothing',
  },
  {
    why: 'both mounts: another mount is another backend',
    given: { located: { mount: 'm2' }, memory: { ...recorded, externalRef: { mount: 'm1' } } },
    expect: 'recorded on m1, the connection now points at m2',
  },
  {
    why: 'the field first',
    given: given('drifted', 'tried3'),
    expect: '/size: written 3 times and still different',
  },
  {
    why: 'the policy that would allow it',
    given: given('diskEdited'),
    expect: "/disk: can't be changed in place (replacePolicy: Never)",
  },
  { why: 'what the kind says', given: given('sizeShrunk'), expect: '/size: never shrinks' },
  { why: 'who uses it', given: given('used', 'deleting', 'Delete'), expect: 'used by somebody' },
  {
    why: 'what it is kept from',
    given: given('suspend', 'drifted'),
    expect: 'not done while suspended: write',
  },
])('a message says what a person needs: $why', (row) => {
  expect(planned(row.given)).toMatchObject({ verdict: 'blocked', message: row.expect });
});

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

test('planning is pure: it changes nothing that it was given and gives the same plan again', () => {
  for (const row of Object.values(rows).flat()) {
    const frozen = freeze(given(...row.given));
    expect(planned(frozen)).toEqual(planned(frozen));
  }
});
