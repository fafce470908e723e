// LDAPStaticRole: what is published, when it is published again, and what asks for nothing. What stays behind is a password
// that is dead.
import { describe, expect, test } from 'vitest';
import { instantIn, outputOf, revisionOf } from '../../../src/kinds/ldap-static-role/publication.ts';
import { workOf } from '../../../src/kinds/ldap-static-role/rotation.ts';
import {
  credential,
  firstStep,
  instant,
  later,
  outline,
  planned,
  recorded,
  verified,
  type Given,
} from './situation.ts';
import { declared, startMs } from './surroundings.ts';

const foreign = { is: 'foreign', owner: 'somebody' } as const;

const spec = (data?: Readonly<Record<string, string>>) =>
  declared({ output: { secretName: 'app-login', ...(data && { data }) } });

const dueIn = (intervalMs: number) =>
  planned({ rotated: later, credential, published: foreign, policy: { drift: { intervalMs } } });

describe('what is published', () => {
  test('is another where the rotation or the templates are, and tells of which rotation it is', () => {
    const { output: _output, ...none } = declared({});
    const revisions = [
      revisionOf(spec(), instant),
      revisionOf(spec(), later),
      revisionOf(spec({ a: '1' }), instant),
      revisionOf(spec({ a: '2' }), instant),
    ];
    expect(new Set(revisions).size).toBe(4);
    expect(revisions.map(instantIn)).toEqual([instant, later, instant, instant]);
    expect(revisionOf(none, instant)).toBe(revisions[0]);
    expect(outputOf(none, instant, credential)).toBeUndefined();
  });

  test('has no last password where there was none', () => {
    const output = outputOf(spec({ last: '{{last_password}}' }), instant, credential);
    expect(output).toMatchObject({
      name: 'app-login',
      revision: revisionOf(spec({ last: '{{last_password}}' }), instant),
    });
    expect((output?.entries['last'] ?? []).join('')).toBe('');
  });
});

describe('the output', () => {
  const right = revisionOf(declared({}), instant);
  const again = 'blocked CredentialNotReady until time';

  test.for<{ why: string; given: Given; expect: string }>([
    { why: 'it stands there', given: {}, expect: 'in-sync' },
    {
      why: 'a part is missing',
      given: { published: { is: 'ours', revision: right, whole: false } },
      expect: again,
    },
    {
      why: 'it is of another rotation',
      given: { published: { is: 'ours', revision: 'x', whole: true } },
      expect: again,
    },
    { why: 'it was taken away', given: { published: { is: 'absent' } }, expect: again },
    {
      why: 'another rotation is remembered as published',
      given: { memory: { ...recorded, own: { published: '2026-02-28T00:00:00.000Z' } } },
      expect: again,
    },
  ])(
    'is published again unless it stands there whole, and is known to: $why',
    ({ given, expect: outcome }) => {
      expect(outline(given)).toBe(outcome);
    },
  );

  test('of somebody else is not written over', () => {
    expect(planned({ rotated: later, credential, published: foreign })).toMatchObject({
      reason: 'OutputConflict',
      message: '/output/secretName: app-login belongs to somebody',
    });
  });

  test('of somebody else may go unnoticed: it is looked at within a minute, or the drift interval if that is shorter', () => {
    expect(dueIn(600_000)).toMatchObject({ dueMs: 60_000 });
    expect(dueIn(5_000)).toMatchObject({ dueMs: 5_000 });
  });

  test('that stands there is noted, and nothing else of what is remembered changes', () => {
    const { published: _published, ...rest } = recorded.own ?? {};
    const step = firstStep({ memory: { ...recorded, own: { ...rest, verified: instant } } });
    expect([step.own, step.changes]).toEqual([{ verified: instant, published: instant }, []]);
    expect(firstStep({ ...verified, credential }).own).toEqual({ verified: instant });
  });

  test('that nobody looked at and nobody remembers is published, and nobody is told', () => {
    const step = firstStep({ memory: { ...recorded, own: {} }, published: 'not looked at', credential });
    expect(step.own).toEqual({ published: instant });
  });

  test('asks for nothing where none is declared, or nothing was ever rotated', () => {
    const { output: _output, ...none } = declared({});
    const role = { username: 'app', dn: '', rotation_period: 3_600 };
    const about = { resolved: new Map(), published: { is: 'absent' } as const };
    const rotated = { instant, wallMs: startMs };
    expect(workOf({ ...about, spec: none }, { role, rotated }, {})).toBeUndefined();
    expect(workOf({ ...about, spec: declared({}) }, { role }, {})).toBeUndefined();
    expect(workOf({ ...about, spec: declared({}) }, { role, rotated }, {})).toMatchObject({ publish: true });
  });
});
