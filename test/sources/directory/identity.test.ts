import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { sameInstallation, versionsBy } from '../../../src/sources/directory/identity.ts';

describe('the installation', () => {
  test('a state does not follow a directory that was renamed; the message says how to go on', () => {
    expect(() => sameInstallation('prod', 'prod')).not.toThrow();
    expect(() => sameInstallation('prod', 'staging')).toThrow(UsageError);
    expect(() => sameInstallation('prod', 'staging')).toThrow(
      /^holdfast.yaml names .*name it "prod" again.*name an empty directory with --state-dir/,
    );
  });
});

describe('versions of secrets', () => {
  const versionOf = versionsBy(new Uint8Array(32).fill(1));

  test('follow the value, and belong to one entry of one Secret', () => {
    const version = versionOf('shop', 'ldap', 'password', 'canary');
    expect(version).toMatch(/^[0-9a-f]{16}$/);
    expect(versionOf('shop', 'ldap', 'password', 'canary')).toBe(version);
    const others = [
      versionOf('shop', 'ldap', 'password', 'another'),
      versionOf('shop', 'ldap', 'user', 'canary'),
      versionOf('shop', 'other', 'password', 'canary'),
      versionOf('blog', 'ldap', 'password', 'canary'),
      versionsBy(new Uint8Array(32).fill(2))('shop', 'ldap', 'password', 'canary'),
    ];
    expect(new Set([version, ...others]).size).toBe(6);
  });

  test('know where one part ends and the next begins', () => {
    expect(versionOf('shop', 'ldap', 'pass', 'word')).not.toBe(versionOf('shop', 'ldap', 'passw', 'ord'));
    expect(versionOf('shop', 'ldap', 'a', 'b')).not.toBe(versionOf('shop', 'ld', 'ap/a', 'b'));
  });
});
