// Another configuration binds with the entry of the role, and a rotation that is asked for is not made. What the service rotates by
// itself is published, and told of, all the same.
import { expect, test } from 'vitest';
import { accountAt } from '../../../src/schema/directory-places.ts';
import { firstStep, credential, later, outline, recorded, type Given } from './situation.ts';
import { signalled } from './surroundings.ts';

const dn = 'uid=app,dc=example,dc=org';
const asked: Given = { requests: { rotate: 't1' }, config: { places: 'one.example.com' } };
const refused = {
  ...recorded,
  conditions: [
    {
      type: 'Stalled',
      status: 'True',
      reason: 'AccountShared',
      message: '',
      lastTransitionTime: '2026-03-01T00:00:00Z',
      observedGeneration: 1,
    } as const,
  ],
};

test.for<{ why: string; given: Given }>([
  { why: 'its declaration names', given: asked },
  { why: 'its service shows', given: { ...asked, nameless: true } },
])('a rotation says whom it would lock out, by the entry that $why', ({ given }) => {
  expect(firstStep(given)).toMatchObject({
    effect: { op: 'ldap.role.rotate' },
    locksOut: [accountAt(dn, 'one.example.com')],
  });
});

test.for([
  { why: 'within a minute', period: '720h', dueMs: 60_000 },
  { why: 'when the service rotates by itself, which is published', period: '10s', dueMs: 12_000 },
])('nobody tells that the account is free: it is looked at $why', ({ period, dueMs }) => {
  const seconds = period === '10s' ? 10 : 2_592_000;
  const given = { ...asked, spec: { rotationPeriod: period }, role: { rotation_period: seconds } };
  expect(firstStep(given)).toMatchObject({ dueMs });
});

test('an entry that nothing names locks out nobody that is known', () => {
  expect(firstStep({ ...asked, nameless: true, role: { dn: '' } }).locksOut).toBeUndefined();
});

test('while it is refused, what the service rotated is published before it is tried again', () => {
  const rotated = { rotated: later, credential: { ...credential, last_service_rotation: later } };
  expect(outline({ ...asked, memory: refused, ...rotated })).toBe('act by output.write');
});

test('while it is refused, those who were not told of the last rotation are told', () => {
  const notification = { instant: recorded.own?.published ?? '', steps: 0, consumers: {} };
  const memory = { ...refused, own: { ...recorded.own, notification } };
  const spec = { consumers: [signalled('web')] };
  expect(outline({ ...asked, memory, spec, answers: { listed: ['a'] } })).toBe('act');
});
