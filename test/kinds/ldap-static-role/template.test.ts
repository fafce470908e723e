import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/core/secret.ts';
import { fill, templatePattern } from '../../../src/kinds/ldap-static-role/template.ts';

const canary = 'canary-template-91c4';
const values = {
  password: Secret.of('ldap/app', '2', canary),
  last_password: Secret.of('ldap/app', '1', canary),
  username: 'app',
  dn: 'uid=app',
  last_rotation: '2026-03-01T00:00:00.000Z',
};

test('each name is filled in with its own part, and boxes stay closed', () => {
  expect(fill('u={{ username }} d={{dn}} at={{last_rotation}}.', values)).toEqual([
    'u=',
    'app',
    ' d=',
    'uid=app',
    ' at=',
    values.last_rotation,
    '.',
  ]);
  expect(fill('{{ password }}{{ last_password }}', values)).toEqual([values.password, values.last_password]);
  expect(JSON.stringify(fill('{{ password }}', values))).not.toContain(canary);
});

test('what is filled in is text, whatever it looks like', () => {
  expect(fill('{{ username }}', { ...values, username: '{{ password }}' })).toEqual(['{{ password }}']);
});

test('no template keeps double braces, and nothing of it is lost', () => {
  const piece = fc.constantFrom('{{ password }}', '{{dn}}', '{', '}', 'a', '"', ' ', '\n', 'ß');
  let accepted = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const template = pieces.join('');
      if (!templatePattern.test(template)) return;
      accepted++;
      const parts = fill(template, { ...values, password: '<p>', dn: '<d>' });
      const made = parts.map(String).join('');
      expect(made).not.toMatch(/\{\{|\}\}/);
      expect(made).toBe(template.replaceAll('{{ password }}', '<p>').replaceAll('{{dn}}', '<d>'));
    }),
    { numRuns: 500 },
  );
  expect(accepted).toBeGreaterThan(100); // else it looked at refusals only
});
