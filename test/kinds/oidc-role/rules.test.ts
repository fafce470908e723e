// What is accepted and will still go wrong at a login: people are told before their users are.
import { expect, test } from 'vitest';
import { atRisk, risksOf } from '../../../src/kinds/oidc-role/rules.ts';
import type { Spec } from '../../../src/kinds/oidc-role/schema.ts';
import { callback, config, declared } from './situation.ts';

interface Row {
  readonly why: string;
  readonly spec?: Partial<Spec>;
  readonly config?: Readonly<Record<string, string>>;
  readonly risks: readonly string[];
}

const cloud = { identityProvider: 'CloudDirectory', discoveryURL: 'https://idp/tenant/v2.0' };
const large = { ...cloud, provider: 'cloud_directory' };
const graph = 'https://graph.example.com/.default';
const workspace = { identityProvider: 'WorkspaceDirectory' };
const enterprise = { identityProvider: 'Enterprise', discoveryURL: 'https://idp/oauth2/default' };
const web = (mount: string) => `https://vault.example.com/ui/vault/auth/${mount}/oidc/callback`;

const callbacks: readonly Row[] = [
  { why: 'the command line can log in', risks: [] },
  {
    why: 'so can it at its own port, or at none',
    spec: { allowedRedirectURIs: ['http://127.0.0.1/oidc/callback', 'http://localhost'] },
    risks: [],
  },
  {
    why: 'something else that only begins so can not',
    spec: { allowedRedirectURIs: [`${callback}/more`, `${web('oidc')}/more`] },
    risks: ['/allowedRedirectURIs'],
  },
  { why: 'so can the web interface', spec: { allowedRedirectURIs: [web('oidc')] }, risks: [] },
  {
    why: 'nobody can',
    spec: { allowedRedirectURIs: ['https://example.com/callback'] },
    risks: ['/allowedRedirectURIs'],
  },
  {
    why: 'the web interface of another mount can not',
    spec: { allowedRedirectURIs: [callback, web('sso')] },
    risks: ['/allowedRedirectURIs'],
  },
  {
    why: 'but that of a nested one can',
    spec: { allowedRedirectURIs: [web('a/b')] },
    config: { mount: 'a/b' },
    risks: [],
  },
  {
    why: 'others can read the login',
    spec: { allowedRedirectURIs: [callback, web('oidc').replace('https', 'http')] },
    risks: ['/allowedRedirectURIs'],
  },
  { why: 'nobody is asked who they are', config: { clientID: '' }, risks: ['/configRef'] },
  {
    why: 'the log has what only the user should see',
    spec: { verboseLogging: true },
    risks: ['/verboseLogging'],
  },
];

const audiences: readonly Row[] = [
  {
    why: 'tokens of a login name the client',
    spec: { boundAudiences: ['other'] },
    risks: ['/boundAudiences'],
  },
  { why: 'and may name others', spec: { boundAudiences: ['other', 'holdfast'] }, risks: [] },
  { why: 'tokens are taken whomever they name', spec: { boundAudiences: [] }, risks: [] },
  {
    why: 'the default server of another provider is none',
    spec: { boundAudiences: ['holdfast'] },
    config: { discoveryURL: 'https://idp/oauth2/default' },
    risks: [],
  },
  {
    why: 'signed tokens need more than an empty list',
    spec: { roleType: 'jwt', boundSubject: 'me', boundAudiences: [] },
    risks: ['/boundAudiences'],
  },
  {
    why: 'signed tokens that name an audience need one',
    spec: { roleType: 'jwt', boundSubject: 'me' },
    risks: ['/boundAudiences'],
  },
  { why: 'and have one', spec: { roleType: 'jwt', boundAudiences: ['other'] }, risks: [] },
  {
    why: 'without a client too',
    spec: { roleType: 'jwt', boundAudiences: ['a'] },
    config: { clientID: '' },
    risks: [],
  },
];

const clouds: readonly Row[] = [
  {
    why: 'groups of a cloud directory: another claim, no scope, and too many',
    spec: { groupsClaim: 'roles' },
    config: cloud,
    risks: ['/groupsClaim', '/scopes', '/groupsClaim'],
  },
  {
    why: 'another scope than that of the graph',
    spec: { scopes: ['email', 'profile'] },
    config: large,
    risks: ['/scopes'],
  },
  { why: 'too many groups', spec: { scopes: [graph] }, config: cloud, risks: ['/groupsClaim'] },
  {
    why: 'many groups without the ID of the user',
    spec: { scopes: [graph] },
    config: large,
    risks: ['/scopes'],
  },
  { why: 'many groups', spec: { scopes: [graph, 'profile'] }, config: large, risks: [] },
];

const others: readonly Row[] = [
  { why: 'groups that are not read', config: workspace, risks: ['/groupsClaim'] },
  {
    why: 'schemas that are not read',
    spec: { claimMappings: { '/Staff/team': 'team', '/Other/x': 'x', name: 'name' } },
    config: { ...workspace, fetchGroups: 'true', schemas: 'Staff,Team' },
    risks: ['/claimMappings'],
  },
  { why: 'a token with little in it', config: { identityProvider: 'Enterprise' }, risks: ['/scopes'] },
  {
    why: 'a full token',
    spec: { scopes: ['profile'] },
    config: { identityProvider: 'Enterprise' },
    risks: [],
  },
  {
    why: 'the default server without its audience',
    spec: { scopes: ['profile'], boundAudiences: ['holdfast'] },
    config: enterprise,
    risks: ['/boundAudiences'],
  },
  {
    why: 'the default server without the client',
    spec: { scopes: ['profile'], boundAudiences: ['api://default'] },
    config: enterprise,
    risks: ['/boundAudiences'],
  },
  {
    why: 'the default server with both',
    spec: { scopes: ['profile'], boundAudiences: ['api://default', 'holdfast'] },
    config: enterprise,
    risks: [],
  },
];
/** Cloud directories have rules for groups only. */
const groupless: readonly Row[] = [
  { why: 'no groups are asked for', config: cloud, risks: [] },
  { why: 'no groups are asked for there', config: workspace, risks: [] },
];

const risks = (spec: Spec, more: Row['config']) =>
  risksOf(spec, { ...config, ...more }).map((one) => one.split(':')[0]);

test.for([...callbacks, ...audiences, ...clouds, ...others])(
  '$why',
  ({ spec, config: more, risks: fields }) => {
    expect(risks({ ...declared, ...spec }, more)).toStrictEqual(fields);
  },
);

test.for(groupless)('$why, so none are missed', ({ config: more, risks: fields }) => {
  const { groupsClaim: _groups, ...rest } = declared;
  expect(risks(rest, more)).toStrictEqual(fields);
});

test('of schemas, only the claims are named whose schema is not read', () => {
  const spec: Spec = {
    ...declared,
    claimMappings: { '/Staff/team': 'team', '/Other/name': 'x', name: 'name', 'a/b/c': 'c', '/a/b/c': 'd' },
  };
  const reading = { ...config, ...workspace, fetchGroups: 'true', schemas: 'Staff,Team' };
  expect(risksOf(spec, reading)).toStrictEqual([
    '/claimMappings: the OIDCConfig does not read the schema of /Other/name',
  ]);
});

test('the condition is True where there is a risk, and names each', () => {
  expect(atRisk(declared, config)).toMatchObject({ type: 'LoginAtRisk', status: 'False', message: '' });
  expect(atRisk({ ...declared, verboseLogging: true, boundAudiences: ['x'] }, config)).toMatchObject({
    status: 'True',
    reason: 'ProviderRulesBroken',
    message: expect.stringMatching(/^\/boundAudiences: .*; \/verboseLogging: /),
  });
});
