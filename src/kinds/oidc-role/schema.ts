// OIDCRole: its spec, the behaviour of each field, and its references. PURE.
import * as z from 'zod';
import type { FieldTable } from '../../core/planning/diff.ts';
import type { Declaration } from '../../schema/declaration.ts';
import { duration, envelope, line, mapOf, roleName, secretKeyRef, text } from '../../schema/parts.ts';

const {
  connectionRef: objectRef, // the connection comes with the config
  externalName: _name,
  deletionPolicy: _deletion,
  replacePolicy: _replace, // no field needs a replacement
  ...common
} = envelope(['Delete', 'Retain']);

const uri = text(
  /^[A-Za-z][-+.A-Za-z0-9]*:\/\/[!-+\--~]+$/,
  512,
  'an absolute URI without spaces and commas, such as http://localhost:8250/oidc/callback',
);

/** A claim, or a path into one. */
const claim = (what: string) => line(256).describe(what);
/** The service splits texts at commas. */
const word = (expected: string) => text(/^[!-+\--~]+$/, 256, expected);
const flag = (what: string) => z.boolean().describe(`${what} Default: false.`).exactOptional();
const span = (what: string) => duration().describe(what).exactOptional();

const binding = {
  boundAudiences: z
    .array(line(512).describe('An audience.'))
    .max(32)
    .describe('Audiences, of which a token has to name one. Default: for oidc any, for jwt none.')
    .exactOptional(),
  boundSubject: line(512).describe('Subject that a token has to name. Default: any.').exactOptional(),
  boundClaims: mapOf(
    z.array(line(512).describe('A value.')).min(1).max(32).describe('Values, of which a token needs one.'),
    { entries: 32, key: 256 },
  )
    .describe('Claims that a token needs, and their values. Default: none.')
    .exactOptional(),
  boundClaimsType: z
    .enum(['string', 'glob'])
    .describe('glob: * in a value stands for any text. Default: string.')
    .exactOptional(),
};

const token = {
  tokenPolicies: z
    .array(word('the name of a policy, without spaces and commas').describe('Name of a policy.'))
    .max(64)
    .describe('Policies of those who log in. Default: none but default.')
    .exactOptional(),
  tokenTTL: span('Time to live of a token. Default: that of the mount.'),
  tokenMaxTTL: span('Longest life of a token with all its renewals. Default: that of the mount.'),
  tokenExplicitMaxTTL: span('As tokenMaxTTL, whatever the mount allows. Default: none.'),
  tokenPeriod: span('A token of a period can be renewed for ever, each time for this long. Default: none.'),
  tokenNumUses: z
    .int()
    .min(0)
    .max(2_147_483_647)
    .describe('How often a token can be used; 0: without limit. Default: 0.')
    .exactOptional(),
  tokenType: z
    .enum(['default', 'service', 'batch'])
    .describe('Type of the tokens. Default: default.')
    .exactOptional(),
  tokenNoDefaultPolicy: flag('Tokens do not have the policy default.'),
  tokenBoundCIDRs: z
    .array(
      text(/^[0-9A-Fa-f.:]+(\/[0-9]{1,3})?$/, 64, 'an address, or a network such as 10.0.0.0/8').describe(
        'An address, or a network.',
      ),
    )
    .max(32)
    .describe('Where tokens can be used. Default: everywhere.')
    .exactOptional(),
};

const loginCheck = z
  .strictObject({
    interval: duration().describe('How often, from 5m to 24h. Default: 1h.').exactOptional(),
    redirectURI: uri
      .describe('Where the login would come back to: one of allowedRedirectURIs. Default: the first of them.')
      .exactOptional(),
    clientSecretSecretRef: secretKeyRef()
      .describe(
        'Secret of the client, to be tried at the token endpoint with the grant client_credentials. Default: it is not tried.',
      )
      .exactOptional(),
  })
  .describe(
    "Begin a login now and then, as people do, and see whether the identity provider takes it: at hosts that the connection's probeHosts allow. Nobody is logged in. Default: never.",
  );

const spec = z
  .strictObject({
    configRef: objectRef.describe(
      'The OIDCConfig of the method; it brings connection and mount. Never changes.',
    ),
    externalName: roleName
      .describe("Name of the role, lower case. Default: the object's own name. Never changes.")
      .exactOptional(),
    ...common,
    deletionPolicy: z
      .enum(['Delete', 'Retain'])
      .describe(
        'When this object is deleted: Delete: the role goes, and nobody logs in with it any more; Retain: it stays as it is. Default: Delete.',
      )
      .exactOptional(),
    roleType: z
      .enum(['oidc', 'jwt'])
      .describe('oidc: people log in with a browser; jwt: with a signed token. Default: oidc.')
      .exactOptional(),
    userClaim: claim('Claim that identifies the user.'),
    userClaimJSONPointer: flag('userClaim is a JSON pointer.'),
    groupsClaim: claim('Claim with the groups of the user. Default: none.').exactOptional(),
    allowedRedirectURIs: z
      .array(uri.describe('A URI, compared exactly but for the port of loopback.'))
      .max(32)
      .describe('Where a login may come back to. A role of type oidc needs one.')
      .exactOptional(),
    scopes: z
      .array(word('a scope, without spaces and commas').describe('A scope.'))
      .max(32)
      .describe('Scopes to ask for, besides openid. Default: none.')
      .exactOptional(),
    claimMappings: mapOf(line(256).describe('Metadata key.'), { entries: 32, key: 256 })
      .describe(
        'Claims that are copied into the metadata of a login: claim, or /schema/field → metadata key.',
      )
      .exactOptional(),
    ...binding,
    maxAge: span('Longest time since the user last proved who they are. Default: any.'),
    expirationLeeway: span('How long an expired token is still taken. Default: 150s.'),
    notBeforeLeeway: span('How long before its time a token is taken. Default: 150s.'),
    clockSkewLeeway: span('How far clocks may differ. Default: 60s.'),
    verboseLogging: flag('The service logs what the identity provider answers, claims included.'),
    ...token,
    loginCheck: loginCheck.exactOptional(),
  })
  .describe('Who may log in through an OIDC or JWT method, and what they get.');

export type Spec = z.infer<typeof spec>;

const inPlace = { change: 'in-place', unreadable: 'when-absent' } as const;
const set = { ...inPlace, compare: 'set', unset: [] } as const;

/** `unset` holds the defaults of the service (services.md#oidc-roles). */
export const fields = {
  '/configRef': { change: 'identity' },
  '/externalName': { change: 'identity' },
  '/roleType': { ...inPlace, unset: 'oidc' },
  '/userClaim': { change: 'in-place' },
  '/userClaimJSONPointer': { ...inPlace, unset: false },
  '/groupsClaim': { ...inPlace, unset: '' },
  '/allowedRedirectURIs': set,
  '/scopes': set,
  '/claimMappings': { ...inPlace, unset: {} },
  '/boundAudiences': set,
  '/boundSubject': { ...inPlace, unset: '' },
  '/boundClaims': { ...inPlace, unset: {} },
  '/boundClaimsType': { ...inPlace, unset: 'string' },
  '/maxAge': { ...inPlace, unset: 0 },
  '/expirationLeeway': { ...inPlace, unset: 0 },
  '/notBeforeLeeway': { ...inPlace, unset: 0 },
  '/clockSkewLeeway': { ...inPlace, unset: 0 },
  '/verboseLogging': { ...inPlace, unset: false },
  '/tokenPolicies': set,
  '/tokenTTL': { ...inPlace, unset: 0 },
  '/tokenMaxTTL': { ...inPlace, unset: 0 },
  '/tokenExplicitMaxTTL': { ...inPlace, unset: 0 },
  '/tokenPeriod': { ...inPlace, unset: 0 },
  '/tokenNumUses': { ...inPlace, unset: 0 },
  '/tokenType': { ...inPlace, unset: 'default' },
  '/tokenNoDefaultPolicy': { ...inPlace, unset: false },
  '/tokenBoundCIDRs': set,
} as const satisfies FieldTable;

const isJWT = "has(self.roleType) && self.roleType == 'jwt'";
const isBatch = "has(self.tokenType) && self.tokenType == 'batch'";
const has = (list: string): string => `has(self.${list}) && self.${list}.size() > 0`;

/** The service takes ::ffff:10.0.0.0/64 for 10.0.0.0 alone, and ::ffff:10.0.0.0/8 for 10.0.0.0/8. */
const shortMapped =
  '^(::|(0{1,4}:){5})[fF]{4}:([0-9]+[.][0-9.]+|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4})/([0-9]|[1-8][0-9]|9[0-5])$';

/** Declarations that can't work. Those that may fail at a login set a condition (rules.ts). */
const rules: Declaration['rules'] = [
  {
    rule: `(${isJWT}) || (${has('allowedRedirectURIs')})`,
    message: 'a role of type oidc needs one',
    fieldPath: '.allowedRedirectURIs',
  },
  {
    rule: `!(${isJWT}) || has(self.boundSubject) || (${has('boundAudiences')}) || (${has('boundClaims')}) || (${has('tokenBoundCIDRs')})`,
    message: 'a role of type jwt needs boundAudiences, boundSubject, boundClaims or tokenBoundCIDRs',
    fieldPath: '.roleType',
  },
  {
    rule: "!has(self.claimMappings) || self.claimMappings.all(c, self.claimMappings[c] != 'role')",
    message: 'the metadata key role is that of the service',
    fieldPath: '.claimMappings',
  },
  {
    rule: '!has(self.claimMappings) || self.claimMappings.all(c, self.claimMappings.all(d, c == d || self.claimMappings[c] != self.claimMappings[d]))',
    message: 'each metadata key can have one claim only',
    fieldPath: '.claimMappings',
  },
  {
    rule: '!has(self.tokenTTL) || !has(self.tokenMaxTTL) || duration(self.tokenTTL) <= duration(self.tokenMaxTTL)',
    message: 'must not be above tokenMaxTTL',
    fieldPath: '.tokenTTL',
  },
  {
    rule: `!(${isBatch}) || (!has(self.tokenPeriod) && (!has(self.tokenNumUses) || self.tokenNumUses == 0))`,
    message: 'batch tokens have neither tokenPeriod nor tokenNumUses',
    fieldPath: '.tokenType',
  },
  {
    rule: `!has(self.tokenBoundCIDRs) || self.tokenBoundCIDRs.all(n, !n.matches('${shortMapped}'))`,
    message:
      'IPv4 written as IPv6 needs a length from 96 to 128: the service takes a shorter one for another network',
    fieldPath: '.tokenBoundCIDRs',
  },
  {
    rule: `!has(self.loginCheck) || !(${isJWT})`,
    message: 'a role of type jwt has no login to begin',
    fieldPath: '.loginCheck',
  },
  {
    rule: '!has(self.loginCheck) || !has(self.loginCheck.redirectURI) || (has(self.allowedRedirectURIs) && self.loginCheck.redirectURI in self.allowedRedirectURIs)',
    message: 'must be one of allowedRedirectURIs',
    fieldPath: '.loginCheck.redirectURI',
  },
  {
    rule: "!has(self.loginCheck) || !has(self.loginCheck.interval) || (duration(self.loginCheck.interval) >= duration('5m') && duration(self.loginCheck.interval) <= duration('24h'))",
    message: 'must be from 5m to 24h',
    fieldPath: '.loginCheck.interval',
  },
];

export const declaration = {
  kind: 'OIDCRole',
  plural: 'oidcroles',
  shortNames: ['oidcro'],
  scope: 'Namespaced',
  description: 'A role of an OIDC or JWT method: who may log in, and what they get.',
  spec,
  fields,
  references: [
    { field: '/configRef', to: 'object', kind: 'OIDCConfig', scope: 'Namespaced', holds: true },
    { field: '/loginCheck/clientSecretSecretRef', to: 'secret', namespace: 'own' },
  ],
  rules,
  columns: [
    { name: 'External-Name', type: 'string', jsonPath: '.status.externalRef.role' },
    { name: 'Type', type: 'string', jsonPath: '.status.observed.roleType' },
    { name: 'User-Claim', type: 'string', jsonPath: '.spec.userClaim' },
    {
      name: 'At-Risk',
      type: 'string',
      jsonPath: '.status.conditions[?(@.type=="LoginAtRisk")].status',
    },
    { name: 'Config', type: 'string', jsonPath: '.spec.configRef.name', priority: 1 },
  ],
} as const satisfies Declaration;
