import { describe, expect, test } from 'vitest';
import { UsageError } from '../../../src/core/errors.ts';
import { sameInstallation, uidOf, uuidV5, versionsBy } from '../../../src/sources/directory/identity.ts';

const key = { kind: 'CSIVolume', namespace: 'shop', name: 'data' };

describe('UIDs', () => {
  test('are those of RFC 9562, so that other programs can tell them too (its appendix A.4)', () => {
    expect(uuidV5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).toBe(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    );
  });

  test('stay what they are from release to release: what was made is found by them', () => {
    expect(uidOf('prod', key, 0)).toBe('e75bba48-c43e-50c4-9c69-26ef6d5f60b5');
  });

  test.each([
    { why: 'another installation', other: uidOf('staging', key, 0) },
    { why: 'another kind', other: uidOf('prod', { ...key, kind: 'CSISnapshot' }, 0) },
    { why: 'another namespace', other: uidOf('prod', { ...key, namespace: 'blog' }, 0) },
    { why: 'another name', other: uidOf('prod', { ...key, name: 'logs' }, 0) },
    { why: 'made anew after Holdfast removed it', other: uidOf('prod', key, 1) },
  ])('differ: $why', ({ other }) => {
    expect(other).not.toBe(uidOf('prod', key, 0));
  });
});

describe('the installation', () => {
  test('a state does not follow a directory that was renamed; the message says how to go on', () => {
    expect(() => sameInstallation('prod', 'prod')).not.toThrow();
    expect(() => sameInstallation('prod', 'staging')).toThrow(UsageError);
    expect(() => sameInstallation('prod', 'staging')).toThrow(/name it "prod" again.*empty state directory/);
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
