// The identity of a configuration is recorded in the status: one that is longer than the status may be was refused for good.
import { expect, test } from 'vitest';
import { declared, existing, planned, recorded } from './situation.ts';

const host = (n: number) => `ldap://dc${n}.${Array.from({ length: 5 }, () => 'x'.repeat(50)).join('.')}`;
const servers = (last: number) => [...Array.from({ length: 7 }, (_, n) => host(n)), host(last)];

const identityOf = (urls: readonly string[], binddn = declared.bindDN) => {
  const applied = { '/bindDN': binddn, '/urls': urls };
  const plan = planned({
    spec: { urls: [...urls], bindDN: binddn },
    live: { ...existing, url: urls.join(), binddn },
    memory: { ...recorded, applied: { ...recorded.applied, ...applied } },
  });
  return plan.verdict === 'in-sync' ? plan.identity : undefined;
};

test('all servers that may be declared fit, and others at the end are another directory', () => {
  const found = identityOf(servers(7));
  expect(found).toHaveLength(1_024);
  expect(identityOf(servers(7))).toBe(found);
  expect(identityOf(servers(8))).not.toBe(found);
});

test('what fits is recorded as it is, as ever', () => {
  expect(identityOf(declared.urls ?? [])).toBe(recorded.identity);
  const rest = ' at ldap://embedded'.length;
  expect(identityOf(['ldap://embedded'], 'x'.repeat(1_024 - rest))).toBe(
    `${'x'.repeat(1_024 - rest)} at ldap://embedded`,
  );
});

test('a letter that is cut in two is no text that a cluster returns as it was written', () => {
  for (const binddn of ['𝒳'.repeat(600), `x${'𝒳'.repeat(600)}`])
    expect(identityOf(['ldap://embedded'], binddn)?.isWellFormed()).toBe(true);
});
