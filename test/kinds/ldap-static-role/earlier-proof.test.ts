// What proves that a rotation before the published one is a new one: the service's clock was set back, and it rotates. A second
// backup proves nothing.
import { expect, test } from 'vitest';
import { isEarlier, proof } from '../../../src/kinds/ldap-static-role/publication.ts';
import type { Own } from '../../../src/kinds/ldap-static-role/own.ts';
import { credential } from './situation.ts';
import { declared, startMs } from './surroundings.ts';

const [first, second, published] = [
  '2026-03-01T00:00:00.000Z',
  '2026-03-01T01:00:00.000Z',
  '2026-03-02T00:00:00.000Z',
];
const own: Own = { published, earlier: { instant: first, wallMs: startMs } };
const made = (ageSeconds: number) => ({ ...credential, rotation_period: 3_600, ttl: 3_600 - ageSeconds });
const proves = (instant: string, ageSeconds: number | undefined) =>
  proof(own, instant, ageSeconds === undefined ? undefined : made(ageSeconds), startMs + 60_000)?.own
    .accepted;

test('one that follows another, and was made since that was noted, is accepted', () => {
  expect(proves(second, 30)).toBe(second);
});

test.for([
  { why: 'is the one that was noted', instant: first, ageSeconds: 30 },
  { why: 'is before the one that was noted', instant: '2026-02-28T00:00:00.000Z', ageSeconds: 30 },
  { why: 'was made before that was noted', instant: second, ageSeconds: 90 },
  { why: 'does not tell when it was made', instant: second, ageSeconds: undefined },
])('one that $why is not', ({ instant, ageSeconds }) => {
  expect(proves(instant, ageSeconds)).toBeUndefined();
});

test('where nothing is published, none is earlier than that', () => {
  const spec = declared({});
  const { output: _output, ...silent } = spec;
  const where = { published: { is: 'ours', revision: published, whole: true } } as const;
  expect(isEarlier({ spec: silent, ...where }, own, first)).toBe(false);
  expect(isEarlier({ spec: { ...spec, output: { secretName: 'app-login' } }, ...where }, own, first)).toBe(
    true,
  );
});
