// What is accepted and will still go wrong at a login: people are told before their users are.
import { expect, test } from 'vitest';
import { atRisk, risksOf } from '../../../src/kinds/oidc-config/rules.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { declared } from './situation.ts';

const workspace = {
  provider: 'workspace_directory',
  serviceAccountPath: '/a',
  adminImpersonate: 'a@example.org',
} as const;

test.for<{ why: string; spec: Partial<Spec>; risks: readonly string[] }>([
  { why: 'nothing', spec: {}, risks: [] },
  {
    why: 'others can answer for the issuer',
    spec: { discoveryURL: 'http://login.example.com' },
    risks: ['/discoveryURL'],
  },
  { why: 'but not on this machine', spec: { discoveryURL: 'http://localhost:8080/realms/a' }, risks: [] },
  { why: 'nor there', spec: { discoveryURL: 'http://[::1]:8080' }, risks: [] },
  {
    why: 'a host that only begins so is another one',
    spec: { discoveryURL: 'http://localhost.example.com' },
    risks: ['/discoveryURL'],
  },
  {
    why: 'a hosted provider signs with RS256',
    spec: { identityProvider: 'Hosted', jwtSupportedAlgs: ['ES256'] },
    risks: ['/jwtSupportedAlgs'],
  },
  {
    why: 'which is also what is taken where nothing is said',
    spec: { identityProvider: 'Hosted' },
    risks: [],
  },
  {
    why: 'other providers have their own',
    spec: { identityProvider: 'OpenSource', jwtSupportedAlgs: ['ES256'] },
    risks: [],
  },
  {
    why: 'groups within groups that are not read',
    spec: { providerConfig: { ...workspace, groupsRecurseMaxDepth: 3 } },
    risks: ['/providerConfig/groupsRecurseMaxDepth'],
  },
  {
    why: 'groups within groups that are read',
    spec: { providerConfig: { ...workspace, fetchGroups: true, groupsRecurseMaxDepth: 3 } },
    risks: [],
  },
])('$why', ({ spec, risks }) => {
  expect(risksOf({ ...declared, ...spec }).map((one) => one.split(':')[0])).toStrictEqual(risks);
});

test('the condition is True where there is a risk, and names each', () => {
  expect(atRisk(declared)).toMatchObject({ type: 'LoginAtRisk', status: 'False', message: '' });
  const spec: Spec = {
    ...declared,
    discoveryURL: 'http://a',
    identityProvider: 'Hosted',
    jwtSupportedAlgs: ['ES256'],
  };
  expect(atRisk(spec)).toMatchObject({
    status: 'True',
    reason: 'ProviderRulesBroken',
    message: expect.stringMatching(/^\/discoveryURL: .*; \/jwtSupportedAlgs: /),
  });
});
