// What people read of a bind password before something is done about it: who reads it decides whether it is lost.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { condition, rotationOf, type Own } from '../../../src/kinds/ldap-config/root.ts';
import { existing, firstStep, planned, type Given } from './situation.ts';

const then = '2026-01-01T00:00:00Z';
const seen: Given = { live: { last_bind_password_rotation: then } };
const owned: Given = { root: 'service', rotation: then, ...seen };
const open = (before: string): Given => ({
  pending: { op: 'rotate-root', token: 't2', evidence: { before } },
});
const leaves: Given = { deleting: true, policy: { deletion: 'Delete' } };

/** Fields stand in the order of their table. */
const words = (text: string) => text.split(/[:,] /).toSorted();

describe('a step says what it does', () => {
  test.for<{ given: Given; summary: string }>([
    { given: { live: 'absent', memory: noStatus, held: false }, summary: 'configure ldap' },
    { given: { live: 'absent' }, summary: 'configure ldap again' },
    {
      given: { live: 'absent', root: 'service', requests: { 'reseed-root': 's' } },
      summary: 'configure ldap again',
    },
    { given: { spec: { userDN: 'ou=x', length: 12 } }, summary: 'update ldap: /length, /userDN' },
    { given: { spec: { bindDN: 'cn=x' } }, summary: 'update ldap: /bindDN, with its bind password' },
    {
      given: { spec: { bindDN: 'cn=x' }, password: '2' },
      summary: 'update ldap: /bindDN, /bindPasswordSecretRef',
    },
    { given: leaves, summary: 'delete the configuration of ldap' },
    {
      given: { ...leaves, without: ['bindPasswordSecretRef'] },
      summary: 'delete the configuration of ldap, and the bind password with it, which no Secret holds',
    },
    {
      given: {
        ...owned,
        ...leaves,
        without: ['bindPasswordSecretRef'],
        requests: { 'abandon-root': 'gone' },
      },
      summary: 'delete the configuration of ldap',
    },
    { given: { ...open(''), ...seen }, summary: 'record that the bind password was rotated' },
    { given: open(''), summary: 'record that the bind password may have been rotated' },
    { given: seen, summary: 'record that the service has rotated the bind password' },
    { given: { memory: noStatus, requests: { 'rotate-root': 't' } }, summary: 'record what is there' },
    { given: { memory: noStatus, requests: { 'reseed-root': 't' } }, summary: 'record what is there' },
    {
      given: { ...owned, requests: { 'reseed-root': 's' } },
      summary: 'give ldap the bind password from ldap/password',
    },
    {
      given: { requests: { 'rotate-root': 't' } },
      summary: 'rotate the bind password of ldap, which only the service knows from then on',
    },
  ])('$summary', ({ given, summary }) => {
    const step = firstStep(given);
    expect(words(step.summary)).toEqual(words(summary));
  });
});

test('a bind password that no Secret holds is lost with its configuration, so that is asked for as such', () => {
  expect(firstStep({ ...leaves, without: ['bindPasswordSecretRef'] }).destroys).toBe('credential');
  expect(firstStep(leaves).destroys).toBe('registration');
});

test.for<{ given: Given; op: string }>([
  { given: leaves, op: 'ldap.config.delete' },
  { given: { ...owned, requests: { 'reseed-root': 's' } }, op: 'ldap.config.write' },
  { given: { requests: { 'rotate-root': 't' } }, op: 'ldap.root.rotate' },
])('$op goes to the mount, and to no other', ({ given, op }) => {
  const step = firstStep(given);
  expect(step).toMatchObject({ effect: { port: 'secrets', op, params: { mount: 'ldap' } }, changes: [] });
});

test('another DN is refused with whatever else is edited, while only the service knows the password', () => {
  const spec = { bindDN: 'cn=x', userDN: 'ou=x' };
  expect(planned({ ...owned, spec })).toMatchObject({ reason: 'ImmutableFieldChanged' });
});

describe('what is recorded of a rotation', () => {
  const seenOnce = { root: 'unknown', rotation: then };
  const shown = { last_bind_password_rotation: then };

  test.for<{ why: string; given: Given; own: object }>([
    { why: 'what was seen before it, where nothing is shown any more', given: open(then), own: seenOnce },
    {
      why: 'what is seen now, where what was seen before is lost',
      given: { pending: { op: 'rotate-root', token: 't2' }, live: shown },
      own: seenOnce,
    },
    {
      why: 'when it was, where it is seen: an earlier one is of a backup',
      given: { ...open(''), live: shown },
      own: { root: 'service', rotation: then },
    },
  ])('$why', ({ given, own }) => {
    const step = firstStep(given);
    expect([step.own, step.changes]).toEqual([own, []]);
  });

  test('a service that shows nothing any more has not rotated', () => {
    const hidden: Given = { root: 'declared', rotation: then, password: '2' };
    expect(firstStep(hidden)).toMatchObject({ verb: 'update', effect: { op: 'ldap.config.write' } });
  });
});

describe('a refusal says why, and what helps', () => {
  test.for<{ given: Given; message: string }>([
    {
      given: { ...owned, spec: { bindDN: 'cn=x' } },
      message:
        '/bindDN: the service has rotated the password of the one it binds with; give reseed-root a new token, with the password of the declared one in bindPasswordSecretRef',
    },
    {
      given: { ...owned, ...leaves },
      message:
        'ldap: only the service knows the password of cn=holdfast,dc=example,dc=org, and would forget it; to have it so: holdfast abandon-root',
    },
    {
      given: { ...owned, requests: { 'reseed-root': 's' }, without: ['bindPasswordSecretRef'] },
      message: '/bindPasswordSecretRef: reseed-root was asked for, and no bind password is declared',
    },
    {
      given: { root: 'unknown' },
      message:
        'the answer to rotate-root was lost, and the service does not tell whether it was done. It is not repeated. ' +
        'Give rotate-root a new token to rotate the password of cn=holdfast,dc=example,dc=org again, ' +
        'or set that password yourself, put it where bindPasswordSecretRef points, and give reseed-root a new token',
    },
  ])('$message', ({ given, message }) => {
    expect(planned(given)).toMatchObject({ verdict: 'blocked', message });
  });
});

const said = (root: Own['root']) => condition({ ...noStatus, own: { root, rotation: '' } }, undefined);

describe('who knows the bind password, as a condition', () => {
  test('by what is remembered, where nothing is there', () => {
    expect(said('declared')).toEqual({
      type: 'RootPasswordOwned',
      status: 'False',
      reason: 'PasswordFromSecret',
      message: 'the bind password is the declared one',
    });
    expect(said('service')).toEqual({
      type: 'RootPasswordOwned',
      status: 'True',
      reason: 'Rotated',
      message: 'only the service knows the bind password; bindPasswordSecretRef is not read any more',
    });
    expect(said('unknown')).toEqual({
      type: 'RootPasswordOwned',
      status: 'Unknown',
      reason: 'RootRotationUnknown',
      message: 'the bind password may have been rotated; bindPasswordSecretRef is not read any more',
    });
    expect(condition(noStatus, undefined)).toBeUndefined();
  });

  test('by what is seen, where something is', () => {
    expect(condition(noStatus, existing)).toMatchObject({ reason: 'PasswordFromSecret' });
    const rotated = { ...existing, last_bind_password_rotation: then };
    expect(condition(noStatus, rotated)).toMatchObject({ reason: 'Rotated' });
  });
});

const shown = (at: unknown) =>
  // oxlint-disable-next-line no-unsafe-type-assertion -- what a service may say
  rotationOf({ ...existing, last_bind_password_rotation: at as string });

test('when it was rotated is taken as it is shown, bounded, and zero is never', () => {
  expect(shown(then)).toBe(then);
  expect([undefined, null, 7, '', '0001-01-01T00:00:00Z'].map(shown)).toEqual(['', '', '', '', '']);
  expect(shown('2'.repeat(100))).toHaveLength(64);
});

const made = (requests: Readonly<Record<string, string>>) =>
  firstStep({ live: 'absent', memory: noStatus, held: false, requests }).handledRequests;

test('a request that is answered stays so where nothing else is known, and one that is not there is none', () => {
  const both = { 'rotate-root': 't1', 'reseed-root': 's1' };
  expect(made({})).toStrictEqual({});
  expect(made({ 'rotate-root': 't1' })).toStrictEqual({ 'rotate-root': 't1' });
  expect(made(both)).toStrictEqual(both);
  // Once recorded, only what this write answers.
  const again = firstStep({ live: 'absent', requests: both }).handledRequests;
  expect(again).toEqual({ 'reseed-root': 's1' });
});
