// Vault resets the type of credential that a write leaves out, and nobody can declare it: a phrase would become a password.
import { expect, test } from 'vitest';
import { passwordOf, sent } from './situation.ts';

const live = { schema: 'racf', credential_type: 'phrase' };

test('an update repeats the type of credential, whatever it is about', () => {
  expect(sent({ live, spec: { userDN: 'ou=others' } })).toEqual({
    userdn: 'ou=others',
    credential_type: 'phrase',
  });
});

test('so does the password that is given back', () => {
  expect(sent({ live, root: 'service', requests: { 'reseed-root': 's' } })).toEqual({
    bindpass: passwordOf('1'),
    credential_type: 'phrase',
  });
});
