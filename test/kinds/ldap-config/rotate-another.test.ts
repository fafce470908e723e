// rotate-root rotates the password of whomever the service binds with. Nobody but the service knows it after that.
import { expect, test } from 'vitest';
import { bindDN, outline, planned } from './situation.ts';

test.for(['Warn', 'Ignore'] as const)(
  'with drift: %s, where somebody gave the engine another account, the password of that one is not rotated away',
  (mode) => {
    const asked = { requests: { 'rotate-root': 't1' }, policy: { drift: { mode } } };
    expect(outline(asked)).toContain('ldap.root.rotate');
    const given = { ...asked, live: { binddn: 'cn=ops,dc=example,dc=org' } };
    expect(outline(given)).toBe('stalled AnotherBindDN until live');
    expect(planned(given)).toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `binds with cn=ops,dc=example,dc=org instead of ${bindDN}, .*: only the service would know`,
        ),
      ),
    });
  },
);
