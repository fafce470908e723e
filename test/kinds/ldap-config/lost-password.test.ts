// A mount that was disabled and enabled again, after the service had rotated the bind password: nobody knows that any more. All that was
// said was to declare another configuration, which its roles refer to.
import { expect, test } from 'vitest';
import { outline, planned, recorded, type Given } from './situation.ts';

const memory = { ...recorded, own: { root: 'service', rotation: '' } } as const;
const lost: Given = { live: 'absent', memory };

test('it is said what helps', () => {
  expect(outline(lost)).toBe('stalled ExternalObjectLost until live');
  expect(planned(lost)).toMatchObject({
    message:
      'only the service knew the password of cn=holdfast,dc=example,dc=org, and the configuration is gone: ' +
      'set a password in the directory, put it where bindPasswordSecretRef points, and give reseed-root a new token',
  });
});

test('where only the answer to a rotation is missing, nobody claims that the password is another by now', () => {
  expect(planned({ ...lost, root: 'unknown' })).toMatchObject({
    message: expect.stringMatching(/^only the service may have known the password of /),
  });
  const { own: _own, ...forgotten } = recorded;
  const pending = { op: 'rotate-root', token: 't' } as const;
  expect(planned({ ...lost, memory: forgotten, pending })).toMatchObject({
    message: expect.stringMatching(/^only the service may have known the password of /),
  });
});

test('without that password nothing is written: the token was answered by a configuration that can not bind', () => {
  const requests = { 'reseed-root': 't' };
  for (const root of ['service', 'unknown'] as const)
    expect(outline({ ...lost, root, requests, without: ['bindPasswordSecretRef'] })).toBe(
      'stalled ExternalObjectLost until live',
    );
});

test('and that helps', () => {
  expect(outline({ ...lost, requests: { 'reseed-root': 't' } })).toBe('revive by ldap.config.write');
});
