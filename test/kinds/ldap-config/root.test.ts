// Who knows the bind password, situation by situation: rotate-root, reseed-root, abandon-root, and what lies between.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { firstStep, outline, passwordOf, planned, recorded, sent, type Given } from './situation.ts';

interface Row {
  readonly why: string;
  readonly given: Given;
  readonly expect: string;
}
const row = (why: string, given: Given, outcome: string): Row => ({ why, given, expect: outcome });

const then = '2026-01-01T00:00:00Z';
const later = '2026-02-01T00:00:00Z';
const rotatedAt = (at: string): Given => ({ live: { last_bind_password_rotation: at } });
const asks = (requests: Readonly<Record<string, string>>, handledRequests = {}): Given => ({
  requests,
  handledRequests,
});
const rotate = asks({ 'rotate-root': 't2' }, { 'rotate-root': 't1' });
const reseed = asks({ 'reseed-root': 's2' }, { 'reseed-root': 's1' });
const edited: Given = { spec: { userDN: 'ou=others' } };
const byRotation = 'act by ldap.root.rotate';
const byWrite = 'act by ldap.config.write';
const unknown = 'stalled RootRotationUnknown until live';

const asking: readonly Row[] = [
  row('a new token rotates', rotate, byRotation),
  row(
    'a token that was answered does not',
    asks({ 'rotate-root': 't1' }, { 'rotate-root': 't1' }),
    'in-sync',
  ),
  row('fields first', { ...rotate, ...edited }, 'update by ldap.config.write /userDN'),
  row(
    'what is only reported does not hold it up',
    { ...rotate, live: { userdn: 'ou=x' }, policy: { drift: { mode: 'Warn' } } },
    byRotation,
  ),
  row('again, where the service owns it already', { ...rotate, root: 'service' }, byRotation),
  row('an observer does not', { ...rotate, policy: { management: 'ObserveOnly' } }, 'in-sync'),
  row('nor does who is suspended', { ...rotate, policy: { suspend: true } }, 'blocked Suspended until edit'),
  row(
    'nor does who only reads what others made',
    { ...rotate, memory: noStatus, held: false },
    'stalled AdoptionRefused until live',
  ),
  row(
    'nor does who forgot all: the token may be an answered one',
    { requests: { 'rotate-root': 't1' }, memory: noStatus },
    'act',
  ),
  row(
    'leaving, nothing is rotated',
    { ...rotate, deleting: true, policy: { deletion: 'Delete' } },
    'delete by ldap.config.delete',
  ),
];

const pending = (before?: string): Given => ({
  pending: { op: 'rotate-root', token: 't2', ...(before !== undefined && { evidence: { before } }) },
});
/** As it is found after a crash: the request still stands. */
const open = (before?: string): Given => ({ ...rotate, ...pending(before) });

const foundOpen: readonly (Row & { readonly root: string })[] = [
  { ...row('the first rotation is seen', { ...open(''), ...rotatedAt(then) }, 'act'), root: 'service' },
  { ...row('a further one is seen', { ...open(then), ...rotatedAt(later) }, 'act'), root: 'service' },
  { ...row('the same as before', { ...open(then), ...rotatedAt(then) }, 'act'), root: 'unknown' },
  { ...row('the service shows nothing', open(''), 'act'), root: 'unknown' },
  { ...row('zero is never', { ...open(''), ...rotatedAt('0001-01-01T00:00:00Z') }, 'act'), root: 'unknown' },
  { ...row('what was seen before was lost', { ...open(), ...rotatedAt(then) }, 'act'), root: 'unknown' },
  { ...row('with an edit: first it is recorded', { ...open(''), ...edited }, 'act'), root: 'unknown' },
  { ...row('with a moved password', { ...open(''), password: '2' }, 'act'), root: 'unknown' },
];

const owned: Given = { root: 'service', ...rotatedAt(then) };
const ownedOrNot: Given = {
  root: 'unknown',
  handledRequests: { 'rotate-root': 't2' },
  requests: { 'rotate-root': 't2' },
};

const owning: readonly Row[] = [
  row('a Secret that moves is not read any more', { ...owned, password: '2' }, 'in-sync'),
  row(
    'nor one that is not even declared any more',
    { ...owned, without: ['bindPasswordSecretRef'] },
    'in-sync',
  ),
  row(
    'fields are kept as declared all the same',
    { ...owned, ...edited },
    'update by ldap.config.write /userDN',
  ),
  row(
    'but its password fits no other DN',
    { ...owned, spec: { bindDN: 'cn=x' } },
    'stalled ImmutableFieldChanged until edit /bindDN',
  ),
  row(
    'unless that one comes with its password',
    { ...owned, ...reseed, spec: { bindDN: 'cn=x' } },
    `${byWrite} /bindDN`,
  ),
  row('reseeded by a new token', { ...owned, ...reseed }, byWrite),
  row(
    'not by one that was answered',
    { ...owned, ...asks({ 'reseed-root': 's1' }, { 'reseed-root': 's1' }) },
    'in-sync',
  ),
  row(
    'reseeded with what?',
    { ...owned, ...reseed, without: ['bindPasswordSecretRef'] },
    'stalled BindPasswordMissing until edit',
  ),
  row(
    'both asked for: first the password that can be rotated',
    { ...owned, requests: { 'reseed-root': 's', 'rotate-root': 'r' } },
    byWrite,
  ),
  row(
    'somebody else rotated it: recorded before anything is sent',
    { ...rotatedAt(then), password: '2', ...edited },
    'act',
  ),
  row(
    'so it is where memory was lost in part',
    {
      memory: { ...noStatus, externalRef: { backend: 'b1', mount: 'ldap' } },
      ...rotatedAt(then),
      password: '2',
    },
    'act',
  ),
  row(
    'rotated before it was reseeded is no rotation since',
    { rotation: then, root: 'declared', ...rotatedAt(then), password: '2' },
    'update by ldap.config.write /bindPasswordSecretRef',
  ),
];

const notKnown: readonly Row[] = [
  row('is said, and never repeated', ownedOrNot, unknown),
  row('no Secret is sent that moves', { ...ownedOrNot, password: '2' }, unknown),
  row('fields are written first', { ...ownedOrNot, ...edited }, 'update by ldap.config.write /userDN'),
  row(
    'the next token starts over',
    { ...ownedOrNot, ...rotate, requests: { 'rotate-root': 't3' } },
    byRotation,
  ),
  row('a password that was set by hand ends it', { ...ownedOrNot, ...reseed }, byWrite),
  row('it is seen later on', { ...ownedOrNot, ...rotatedAt(then) }, 'act'),
];

const leaves: Given = { deleting: true, policy: { deletion: 'Delete' } };
const blocked = 'blocked DeletionBlocked until live';
const deleted = 'delete by ldap.config.delete';

const abandoning: readonly Row[] = [
  row('nobody else knows the password', { ...owned, ...leaves }, blocked),
  row('nobody may know it', { ...ownedOrNot, ...leaves }, blocked),
  row('nor while that is not yet recorded', { ...open(''), ...leaves }, blocked),
  row('nor where somebody else rotated', { ...rotatedAt(then), ...leaves }, blocked),
  row(
    'a reason lets it go',
    { ...owned, ...leaves, requests: { 'abandon-root': 'the directory is gone' } },
    deleted,
  ),
  row(
    'also one that was given before',
    { ...owned, ...leaves, ...asks({ 'abandon-root': 'x' }, { 'abandon-root': 'x' }) },
    deleted,
  ),
  row(
    'about to be reseeded, somebody knows it',
    { ...owned, ...leaves, ...asks({ 'reseed-root': 'x' }, {}) },
    deleted,
  ),
  row(
    'about to be reseeded with a password that is not there, nobody does',
    { ...owned, ...leaves, ...asks({ 'reseed-root': 'x' }, {}), without: ['bindPasswordSecretRef'] },
    blocked,
  ),
  row(
    'asked for where nothing is remembered, it may have been answered long ago',
    { memory: noStatus, ...rotatedAt(then), ...leaves, ...asks({ 'reseed-root': 'x' }, {}) },
    blocked,
  ),
  row(
    'reseeded long ago, nobody does any more',
    { ...owned, ...leaves, ...asks({ 'reseed-root': 'x' }, { 'reseed-root': 'x' }) },
    blocked,
  ),
  row(
    'reseeded, somebody knows it',
    { root: 'declared', rotation: then, ...rotatedAt(then), ...leaves },
    deleted,
  ),
];

const gone: Given = { live: 'absent' };
const lost = 'stalled ExternalObjectLost until live';

const vanished: readonly Row[] = [
  row('the declared password is still the right one', gone, 'revive by ldap.config.write'),
  row('nobody knows the password', { ...gone, root: 'service' }, lost),
  row('nobody may know it', { ...gone, root: 'unknown' }, lost),
  row('in the middle of a rotation', { ...gone, ...open('') }, lost),
  row('whoever sets one says so', { ...gone, root: 'service', ...reseed }, 'revive by ldap.config.write'),
  row(
    'not with a token that was answered',
    { ...gone, root: 'service', ...asks({ 'reseed-root': 's' }, { 'reseed-root': 's' }) },
    lost,
  ),
  row('gone is gone where it is to be deleted', { ...gone, root: 'service', ...leaves }, 'gone removed'),
];

describe.for(Object.entries({ asking, foundOpen, owning, notKnown, abandoning, vanished }))(
  '%s',
  ([, table]) => {
    test.for<Row>(table)('$why: $expect', ({ given, expect: outcome }) => {
      expect(outline(given)).toBe(outcome);
    });
  },
);

describe('a rotation', () => {
  test('is noted before it is asked for, with what was seen before, and answered by ownership', () => {
    expect(firstStep({ ...rotate, ...rotatedAt(then), root: 'service' })).toMatchObject({
      effect: { port: 'secrets', op: 'ldap.root.rotate', params: { mount: 'ldap' } },
      intent: { op: 'rotate-root', token: 't2', evidence: { before: then } },
      own: { root: 'service' },
      handledRequests: { 'rotate-root': 't2' },
    });
  });

  test.for(foundOpen)(
    'found open, $why: recorded without sending anything, its token answered',
    ({ given, root }) => {
      const step = firstStep(given);
      expect(step).toMatchObject({ own: { root }, handledRequests: { 'rotate-root': 't2' } });
      expect(step).not.toHaveProperty('effect');
      expect(step).not.toHaveProperty('intent');
    },
  );

  test('that may have happened says what to do', () => {
    expect(planned(ownedOrNot)).toMatchObject({
      message: expect.stringMatching(/Give rotate-root a new token .* give reseed-root a new token/),
    });
  });
});

describe('a reseed', () => {
  test('sends the password alone, ends ownership and remembers what was sent', () => {
    const given: Given = { ...owned, ...reseed, password: '7' };
    expect(sent(given)).toEqual({ bindpass: passwordOf('7') });
    expect(firstStep(given)).toMatchObject({
      own: { root: 'declared', rotation: then },
      handledRequests: { 'reseed-root': 's2' },
      applied: { ...recorded.applied, '/bindPasswordSecretRef': passwordOf('7') },
    });
  });

  test('takes what differs along: another bindDN and its password are of no use apart', () => {
    const spec = { bindDN: 'cn=x', length: 12 };
    expect(sent({ ...owned, ...reseed, spec })).toEqual({
      binddn: 'cn=x',
      length: 12,
      bindpass: passwordOf('1'),
    });
  });

  test('of what vanished writes all of it, and answers what was open', () => {
    const given: Given = { ...gone, ...open(''), requests: { 'reseed-root': 's2', 'rotate-root': 't2' } };
    expect(sent(given)).toMatchObject({ binddn: expect.any(String), bindpass: passwordOf('1') });
    expect(firstStep(given)).toMatchObject({
      own: { root: 'declared', rotation: '' },
      handledRequests: { 'reseed-root': 's2', 'rotate-root': 't2' },
    });
  });
});

test('requests that are found where nothing is remembered count as answered, and ownership is read off the service', () => {
  const requests = { 'rotate-root': 't1', 'reseed-root': 's1', reconcile: 'x' };
  const step = firstStep({ requests, memory: noStatus, ...rotatedAt(then) });
  expect(step).toMatchObject({
    own: { root: 'service' },
    handledRequests: { 'rotate-root': 't1', 'reseed-root': 's1' },
  });
  expect(step).not.toHaveProperty('effect');
  expect(step.applied).toEqual(recorded.applied);
});

test('a deletion takes a credential where only the service knows the password, else what can be written again', () => {
  const given: Given = { ...leaves, requests: { 'abandon-root': 'x' } };
  const destroyed = [owned, ownedOrNot, {}].map((root) => firstStep({ ...root, ...given }).destroys);
  expect(destroyed).toEqual(['credential', 'credential', 'registration']);
});
