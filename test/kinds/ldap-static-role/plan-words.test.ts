// What people read of a role before and while something is done about its password, and how long each is waited for.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { Own } from '../../../src/kinds/ldap-static-role/own.ts';
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
import { signalled, startMs } from './surroundings.ts';

const absent: Given = { role: 'absent', memory: noStatus, held: false, published: { is: 'absent' } };
const own = (more: Own): Status<Own> => ({ ...recorded, own: { ...recorded.own, ...more } });
const rotating = { token: 't1', before: instant };
const asked: Given = { requests: { rotate: 't1' } };
const foreign = { is: 'foreign', owner: 'somebody' } as const;
/** A day ago, though an hour was declared, and this process has looked for ten minutes. */
const dayAgo = '2026-02-28T00:00:00.000Z';
const missed: Given = {
  rotated: dayAgo,
  memory: own({ published: dayAgo }),
  published: 'not looked at',
  nowMs: startMs + 600_000,
};

describe('a step says what it does', () => {
  test.for<{ given: Given; summary: string }>([
    { given: absent, summary: 'create app for app, and rotate its password at once' },
    {
      given: { ...absent, spec: { onCreate: 'Keep' } },
      summary: 'create app for app, keeping its password',
    },
    {
      given: { role: 'absent' },
      summary:
        'create app for app again, and rotate its password at once: with the role, the service lost the last one',
    },
    {
      given: { role: 'absent', spec: { onCreate: 'Keep' }, memory: { ...recorded, own: {}, observed: {} } },
      summary: 'create app for app again, keeping its password',
    },
    {
      given: { spec: { rotationPeriod: '2h' } },
      summary: 'update app: /rotationPeriod',
    },
    {
      given: { role: 'never rotated', spec: { rotationPeriod: '2h' } },
      summary: 'update app: /rotationPeriod; the service may then rotate its password, which it never did',
    },
    {
      given: { deleting: true, policy: { deletion: 'Delete' } },
      summary: 'delete app; the directory keeps its last password, and nobody knows it any more',
    },
    { given: { memory: noStatus }, summary: 'note that app is ours' },
    {
      given: { memory: { ...recorded, pending: { op: 'rotate', token: 't1', evidence: {} } } },
      summary: 'note what was begun for app',
    },
    { given: asked, summary: 'rotate the password of app' },
    {
      given: { ...asked, memory: own({ rotating }), rotated: later },
      summary: 'confirm that app was rotated',
    },
    {
      given: { memory: own({ rotating }), nowMs: startMs + 100_000 },
      summary: 'give up a rotation that nobody asks for any more',
    },
    { given: { rotated: later, credential }, summary: 'publish the password of app as app-login' },
    { given: { memory: { ...recorded, own: {} } }, summary: 'note what is published' },
    { given: { ...verified, credential }, summary: 'bind as uid=app,dc=example,dc=org' },
    { given: missed, summary: 'note that the service did not rotate app when it was due' },
  ])('$summary', ({ given, summary }) => {
    expect(firstStep(given).summary).toBe(summary);
  });
});

test.for([
  { why: 'it was published once', memory: { ...recorded, observed: {} } },
  { why: 'a rotation was seen once', memory: { ...recorded, own: {} } },
])('nobody knows the password of a role that is gone any more, where $why: it is rotated', ({ memory }) => {
  const { effect } = firstStep({ role: 'absent', spec: { onCreate: 'Keep' }, memory });
  expect(effect).toMatchObject({ body: { skip_import_rotation: false } });
});

test('a deletion goes to the role, and to no other; so does taking back a create whose answer was lost', () => {
  const leaves: Given = { deleting: true, policy: { deletion: 'Delete' } };
  const effect = { port: 'secrets', op: 'ldap.role.delete', params: { mount: 'ldap', role: 'app' } };
  expect(firstStep(leaves).effect).toEqual(effect);
  const pending = { op: 'create', token: 'x' };
  const open = { ...leaves, role: 'absent', memory: { ...noStatus, pending } } as const;
  const step = firstStep(open);
  expect([step.effect, step.summary]).toEqual([
    effect,
    'delete app, should the create whose answer was lost have made it',
  ]);
});

test('a create that is done is not something that was begun', () => {
  const pending = { op: 'create', token: 'x', done: true as const };
  expect(outline({ memory: { ...recorded, pending } })).toBe('in-sync');
});

describe('a wait says for what, and until when', () => {
  test.for<{ given: Given; reason: string; message: string; wake: object }>([
    {
      given: { ...asked, memory: own({ rotating }) },
      reason: 'RotationInProgress',
      message: 'the rotation that was asked for is not seen yet and may still be under way',
      wake: { on: 'time', atMs: startMs + 5_000 },
    },
    {
      given: { rotated: later },
      reason: 'CredentialNotReady',
      message: 'the credential is not that of the last rotation; it is read again',
      wake: { on: 'time', atMs: startMs + 2_000 },
    },
    {
      given: { ...asked, published: foreign },
      reason: 'OutputConflict',
      message: '/output/secretName: app-login belongs to somebody',
      wake: { on: 'object' },
    },
    {
      given: { role: 'never rotated' },
      reason: 'AwaitingRotation',
      message:
        'the password was never rotated, so there is none to publish: ask for a rotation, or wait for the first',
      wake: { on: 'live' },
    },
  ])('$reason: $wake', ({ given, reason, message, wake }) => {
    expect(planned(given)).toMatchObject({ verdict: 'blocked', reason, message, wake });
  });
});

const open = (more: Given): Given => ({ ...asked, memory: own({ rotating }), ...more });

describe('a rotation that is not seen yet', () => {
  test('is waited for as long as the service waits for the directory, and ten seconds more', () => {
    expect(outline(open({ nowMs: startMs + 99_999 }))).toBe('blocked RotationInProgress until time');
    expect(planned(open({ nowMs: startMs + 99_000 }))).toMatchObject({
      wake: { on: 'time', atMs: startMs + 100_000 },
    });
    expect(firstStep(open({ nowMs: startMs + 100_000 })).summary).toBe('rotate the password of app');
    const quick = { config: { requestTimeout: '30' } };
    expect(outline(open({ ...quick, nowMs: startMs + 39_999 }))).toBe(
      'blocked RotationInProgress until time',
    );
    expect(firstStep(open({ ...quick, nowMs: startMs + 40_000 })).summary).toBe('rotate the password of app');
    for (const requestTimeout of ['0', '-1', 'soon'])
      expect(outline(open({ config: { requestTimeout }, nowMs: startMs + 99_999 }))).toBe(
        'blocked RotationInProgress until time',
      );
  });

  test.for<{ reason: string; message: string; says: string }>([
    {
      reason: 'EntryNotFound',
      message: 'ldap.role.rotate: LDAP Result Code 32 "No Such Object": ',
      says: 'EntryNotFound: ldap.role.rotate: LDAP Result Code 32 "No Such Object": ',
    },
    {
      reason: 'PasswordNotGenerated',
      message: 'ldap.role.rotate: unable to generate password: policy not found',
      says: 'PasswordNotGenerated: ldap.role.rotate: unable to generate password: policy not found',
    },
    {
      reason: 'DirectoryError',
      message: 'ldap.role.rotate: LDAP Result Code 49 "Invalid Credentials": ',
      says: 'DirectoryError: ldap.role.rotate: LDAP Result Code 49 "Invalid Credentials": ',
    },
    {
      reason: 'ConfigNotFound',
      message: 'ldap.role.rotate: the config is currently unset',
      says: 'ConfigNotFound: ldap.role.rotate: the config is currently unset',
    },
    {
      reason: 'Timeout',
      message: 'ldap.role.rotate: no answer',
      says: 'RotationInProgress: the rotation that was asked for is not seen yet and may still be under way',
    },
    {
      reason: 'DirectoryError',
      message: 'ldap.root.rotate: LDAP Result Code 49 "Invalid Credentials": ',
      says: 'RotationInProgress: the rotation that was asked for is not seen yet and may still be under way',
    },
  ])('says why, as long as the service said so: $message', ({ reason, message, says }) => {
    const before = { type: 'Reconciling', status: 'True', reason, message } as const;
    const conditions = [{ ...before, observedGeneration: 1, lastTransitionTime: instant }];
    const plan = planned(open({ memory: { ...own({ rotating }), conditions } }));
    expect(plan.verdict === 'blocked' && `${plan.reason}: ${plan.message}`).toBe(says);
  });

  test('is noted with what was seen before it', () => {
    const { intent, own: after, effect } = firstStep(asked);
    expect(intent).toEqual({ op: 'rotate', token: 't1', evidence: { before: instant } });
    expect(after).toEqual({ ...recorded.own, rotating: { ...rotating, answered: true } });
    expect(effect).toEqual({
      port: 'secrets',
      op: 'ldap.role.rotate',
      params: { mount: 'ldap', role: 'app' },
    });
    const never = firstStep({ ...asked, role: 'never rotated' });
    expect(never.intent?.evidence).toMatchObject({ before: '' });
  });

  test('answers its token once seen, and is forgotten then', () => {
    const seen = firstStep(open({ rotated: later }));
    expect([seen.handledRequests, seen.own]).toEqual([{ rotate: 't1' }, recorded.own]);
  });

  test('is given up without an answer where nobody asks any more', () => {
    const given = { memory: own({ rotating }), nowMs: startMs + 100_000 };
    const step = firstStep(given);
    expect([step.handledRequests, step.own, step.effect]).toEqual([undefined, recorded.own, undefined]);
  });
});

describe('who is told of a password', () => {
  const consumers = [signalled('web')];
  const published = (memory: Status<Own>, more: Given = {}) =>
    firstStep({ spec: { consumers }, rotated: later, credential, memory, ...more }).own;

  test('those who had the one before', () => {
    expect(published(recorded)).toEqual({
      published: later,
      notification: { instant: later, steps: 0, consumers: {} },
    });
    // By what stands there, where nothing is remembered.
    expect(published({ ...recorded, own: {} })).toMatchObject({ notification: { instant: later } });
  });

  test.for<{ why: string; memory: Status<Own>; more?: Given }>([
    {
      why: 'nothing was published before',
      memory: { ...recorded, own: {} },
      more: { published: { is: 'absent' } },
    },
    { why: 'it is the same password, published once more', memory: own({ published: later }) },
    { why: 'nobody uses it', memory: recorded, more: { spec: {} } },
  ])('nobody, where $why', ({ memory, more }) => {
    expect(published(memory, more)).toEqual({ published: later });
  });
});
