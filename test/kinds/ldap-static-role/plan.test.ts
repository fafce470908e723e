// LDAPStaticRole: what its verbs come to under each policy, and what they send.
import { describe, expect, test } from 'vitest';
import { noStatus } from '../../../src/core/status/status.ts';
import { firstStep, outline, planned, recorded, sent, wrote, type Given } from './situation.ts';

const absent: Given = { role: 'absent', memory: noStatus, held: false, published: { is: 'absent' } };
const lost: Given = { role: 'absent' };
const foreign: Given = { memory: noStatus, held: false, published: { is: 'absent' } };
const update = 'update by ldap.role.write';

describe('the plan for a role', () => {
  test.for<{ why: string; given: Given; expect: string }>([
    { why: 'that is as declared', given: {}, expect: 'in-sync' },
    {
      why: 'whose output nobody looked at: what is remembered of it counts',
      given: { published: 'not looked at' },
      expect: 'in-sync',
    },
    {
      why: 'whose output nobody looked at, and nothing is remembered of it',
      given: { published: 'not looked at', memory: { ...recorded, own: {} } },
      expect: 'blocked CredentialNotReady until time',
    },
    {
      why: 'whose output was touched',
      given: { published: { is: 'ours', revision: 'x', whole: false } },
      expect: 'blocked CredentialNotReady until time',
    },
    { why: 'that is not there', given: absent, expect: 'create by ldap.role.write' },
    {
      why: 'whose creation was answered by nobody, and is not there',
      given: { ...absent, held: true },
      expect: 'create by ldap.role.write',
    },
    {
      why: 'whose creation was answered by nobody, and is there: ours, and so noted',
      given: { memory: noStatus },
      expect: 'act',
    },
    {
      why: 'that was deleted and is declared again: what is there is the new one, though it looks like the old',
      given: {
        memory: {
          ...recorded,
          pending: { op: 'create', token: 't', evidence: { removed: recorded.identity ?? '' }, done: true },
        },
      },
      expect: 'in-sync',
    },
    { why: 'that was ours and is gone', given: lost, expect: 'revive by ldap.role.write' },
    {
      why: 'that only is to be observed, and is gone',
      given: { ...lost, policy: { management: 'ObserveOnly' } },
      expect: 'blocked ExternalNotFound until live',
    },
    {
      why: 'whose period was edited',
      given: { spec: { rotationPeriod: '2h' } },
      expect: `${update} /rotationPeriod`,
    },
    {
      why: 'whose period somebody changed',
      given: { role: { rotation_period: 60 } },
      expect: `${update} /rotationPeriod`,
    },
    {
      why: 'whose period somebody changed, where that is only reported',
      given: { role: { rotation_period: 60 }, policy: { drift: { mode: 'Warn' } } },
      expect: 'in-sync drift /rotationPeriod',
    },
    {
      why: 'whose period is written otherwise',
      given: { spec: { rotationPeriod: '60m' } },
      expect: 'in-sync',
    },
    {
      why: 'that is declared for another user now',
      given: { spec: { username: 'other' } },
      expect: 'stalled ImmutableFieldChanged until edit /username',
    },
    {
      why: 'whose name is of another entry now: somebody made that one',
      given: { role: { dn: 'uid=x' } },
      expect: 'stalled AdoptionRefused until live /dn',
    },
    {
      why: 'whose name is of another user now',
      given: { role: { username: 'other' } },
      expect: 'stalled AdoptionRefused until live /username',
    },
    {
      why: 'whose way of creation was edited, which is over',
      given: { spec: { onCreate: 'Keep' } },
      expect: 'in-sync',
    },
    { why: 'on another mount', given: { mount: 'ldap2' }, expect: 'stalled BackendChanged until edit' },
    { why: 'of somebody else', given: foreign, expect: 'stalled AdoptionRefused until live' },
    {
      why: 'of somebody else that is just as declared, and may be taken',
      given: { ...foreign, policy: { adoption: 'AdoptIfIdentical' } },
      expect: 'adopt',
    },
    {
      why: 'of somebody else with another period, and may be taken',
      given: { ...foreign, role: { rotation_period: 60 }, policy: { adoption: 'Adopt' } },
      expect: 'adopt then update /rotationPeriod',
    },
    {
      why: 'of somebody else for another user, and may be taken',
      given: { ...foreign, role: { username: 'x' }, policy: { adoption: 'Adopt' } },
      expect: 'stalled AdoptionRefused until live /username',
    },
    {
      why: 'of somebody else that only is to be observed',
      given: { ...foreign, policy: { management: 'ObserveOnly' } },
      expect: 'in-sync',
    },
    { why: 'that leaves and is kept', given: { deleting: true }, expect: 'gone kept' },
    {
      why: 'that leaves and is to go',
      given: { deleting: true, policy: { deletion: 'Delete' } },
      expect: 'delete by ldap.role.delete',
    },
    {
      why: 'of somebody else whose declaration leaves',
      given: { ...foreign, deleting: true, policy: { deletion: 'Delete' } },
      expect: 'gone kept',
    },
    {
      why: 'that leaves and is gone',
      given: { ...lost, deleting: true, policy: { deletion: 'Delete' } },
      expect: 'gone removed',
    },
    {
      why: 'that leaves while its output belongs to somebody else: nothing is published any more',
      given: { deleting: true, policy: { deletion: 'Delete' }, published: { is: 'foreign', owner: 'x' } },
      expect: 'delete by ldap.role.delete',
    },
  ])('$why', ({ given, expect: plan }) => {
    expect(outline(given)).toBe(plan);
  });
});

describe('what is sent', () => {
  const whole = { username: 'app', dn: 'uid=app,dc=example,dc=org', rotation_period: 3_600 };

  test('to make a role says whether its password is rotated, whatever the config would do', () => {
    expect(sent(absent)).toEqual({ ...whole, skip_import_rotation: false });
    expect(sent({ ...absent, spec: { onCreate: 'Keep' } })).toEqual({ ...whole, skip_import_rotation: true });
    expect(firstStep(absent).summary).toContain('rotate its password at once');
  });

  test('later never says so: the service refuses it', () => {
    expect(sent({ spec: { rotationPeriod: '90s' } })).toEqual({ ...whole, rotation_period: 90 });
    expect(sent({ spec: { rotationPeriod: '90s', onCreate: 'Keep' } })).not.toHaveProperty(
      'skip_import_rotation',
    );
  });

  test('to bring back a role rotates, because the service lost the last password with it', () => {
    expect(sent({ ...lost, spec: { onCreate: 'Keep' } })).toMatchObject({ skip_import_rotation: false });
    expect(firstStep(lost).summary).toContain('rotate its password at once');
  });

  test('to bring back a role that was never rotated keeps the password that people know', () => {
    const { own: _own, observed: _observed, ...memory } = recorded;
    const never: Given = { ...lost, memory, spec: { onCreate: 'Keep' } };
    expect(sent(never)).toMatchObject({ skip_import_rotation: true });
    expect(sent({ ...never, spec: {} })).toMatchObject({ skip_import_rotation: false });
  });

  test('goes where the role was recorded', () => {
    const { effect } = firstStep({ spec: { rotationPeriod: '2h' } });
    expect(effect).toMatchObject({ port: 'secrets', params: { mount: 'ldap', role: 'app' } });
  });
});

test('nothing is created to be deleted: that would change a password', () => {
  const given: Given = { ...absent, held: true, deleting: true, policy: { deletion: 'Delete' } };
  const memory = { ...noStatus, pending: { op: 'create', token: 't' } };
  expect(outline({ ...given, memory })).toBe('delete by ldap.role.delete');
  expect(outline({ ...given, memory: recorded })).toBe('gone removed');
});

test('a create that is not recorded as open is not taken back: what comes under its name meanwhile is somebody else’s', () => {
  const given: Given = { ...absent, held: true, deleting: true, policy: { deletion: 'Delete' } };
  expect(outline(given)).toBe('gone removed');
  const done = { ...noStatus, pending: { op: 'create', token: 't', done: true as const } };
  expect(outline({ ...given, memory: done })).toBe('blocked AwaitingVisibility until time');
});

describe('a restored backup once deleted what others had made since', () => {
  const toDelete: Given = { deleting: true, policy: { deletion: 'Delete' } };
  test.for([{ username: 'other' }, { dn: 'uid=other' }])('%o under the same name stays', (role) => {
    expect(outline({ ...toDelete, role })).toBe('gone kept');
    expect(outline({ ...toDelete, role, memory: noStatus })).toBe('gone kept');
  });

  test('where nothing is recorded, what is held goes that is as declared, and nothing else', () => {
    const forgotten: Given = { ...toDelete, memory: noStatus };
    const goes = 'delete by ldap.role.delete';
    expect(outline(forgotten)).toBe(goes);
    expect(outline({ ...forgotten, nameless: true })).toBe(goes);
    expect(outline({ ...forgotten, nameless: true, role: { username: 'other' } })).toBe('gone kept');
    expect(outline({ ...forgotten, held: false })).toBe('gone kept');
  });

  test('what was recorded goes, also where it is declared otherwise by now', () => {
    expect(outline(toDelete)).toBe('delete by ldap.role.delete');
    expect(outline({ ...toDelete, spec: { username: 'other' } })).toBe('delete by ldap.role.delete');
  });
});

test('deleting says what becomes of the password, and that it is one', () => {
  const { summary, destroys } = firstStep({ deleting: true, policy: { deletion: 'Delete' } });
  expect(destroys).toBe('credential');
  expect(summary).toBe('delete app; the directory keeps its last password, and nobody knows it any more');
});

test('an edit is written before anything is waited for', () => {
  const memory = { ...wrote('/rotationPeriod', 60), own: {} };
  expect(outline({ role: 'never rotated', memory })).toBe('blocked AwaitingRotation until live');
  expect(outline({ role: { rotation_period: 60 }, memory, published: { is: 'foreign', owner: 'x' } })).toBe(
    `${update} /rotationPeriod`,
  );
});

test('the next look is just after the next rotation, or at the interval', () => {
  expect(planned({})).toMatchObject({ revisitMs: 600_000, dueMs: 3_602_000 });
  expect(planned({ spec: { rotationPeriod: '5s' }, role: { rotation_period: 5 } })).toMatchObject({
    dueMs: 7_000,
  });
});
