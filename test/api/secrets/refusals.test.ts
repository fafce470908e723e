// The secrets service's refusals, as services.md#secrets-errors lists them: what each means, and whether it may have
// acted.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { refusal, saysAbsent, type Refused, type SecretsOp } from '../../../src/api/secrets/refusals.ts';
import { secretsRoutes } from '../../../src/api/secrets/routes.ts';

const usual = { mount: 'ldap', namespace: '', retryAfterMs: undefined, location: '' };
const refused = (op: SecretsOp, status: number, text: string, more: Partial<Refused> = {}) =>
  refusal({ op, status, text, shown: text, ...usual, ...more });

const one = (text: string) => `1 error occurred:\n\t* ${text}\n\n`;
const finishing =
  'unable to finish rotating credentials; retries will continue in the background but it is also safe to retry manually: ';

interface Row {
  readonly op: SecretsOp;
  readonly status: number;
  readonly text: string;
  /** Class and reason; `!` where it may have acted. */
  readonly is: string;
}
const rows = (op: SecretsOp, status: number, is: string, ...texts: readonly string[]): readonly Row[] =>
  texts.map((text) => ({ op, status, text, is }));

const catalogue: readonly Row[] = [
  ...rows(
    'ldap.config.read',
    404,
    'waiting MountNotFound',
    'no handler for route "ldap/config". route entry not found.',
  ),
  ...rows('ldap.config.read', 404, 'waiting MountNotFound', "no handler for route 'ldap/config'"),
  ...rows('mount.read', 400, 'waiting MountNotFound', 'No secret engine mount at ldap/'),
  ...rows('ldap.config.read', 404, 'waiting NamespaceNotFound', 'namespace not found'),
  ...rows('ldap.config.read', 404, 'refused Rejected', 'unsupported path', ''),
  ...rows('ldap.role.write', 405, 'refused Rejected', 'unsupported operation'),
  ...rows('ldap.role.write', 413, 'refused Rejected', 'http: request body too large'),
  ...rows(
    'ldap.role.read',
    403,
    'refused PermissionDenied',
    'permission denied',
    'permission denied, invalid token',
  ),
  ...rows('ldap.role.read', 400, 'refused PermissionDenied', 'missing client token'),
  ...rows('ldap.role.read', 412, 'unavailable NotYetConsistent', 'required index state not present'),
  ...rows(
    'ldap.role.read',
    429,
    'throttled Throttled',
    'request path "ldap/config": rate limit quota exceeded',
  ),
  ...rows('ldap.role.rotate', 503, 'unavailable Sealed', 'Vault is sealed', 'namespace is sealed'),
  ...rows(
    'ldap.role.rotate',
    503,
    'unavailable NoLeader',
    'no active Vault instance found',
    'node is not active',
  ),
  ...rows(
    'ldap.role.rotate',
    500,
    'unavailable NoLeader',
    'local node not active but active cluster node not found',
  ),
  ...rows('ldap.config.write', 500, 'unavailable Sealed!', 'failed to persist: Vault is sealed'),
  ...rows('ldap.config.write', 500, 'unavailable ServerError!', 'internal error', ''),
  ...rows('ldap.config.write', 502, 'unavailable ServerError!', '<html>bad gateway</html>'),
  ...rows(
    'ldap.config.write',
    500,
    'refused Rejected',
    "cannot set both 'password_policy' and 'length'",
    'the configured schema x is not valid. Supported schemas: [openldap racf ad]',
    'schema is required',
    'cannot derive UserBindDN',
    "invalid 'tls_min_version'",
    "invalid 'tls_max_version'",
    "'tls_max_version' must be greater than or equal to 'tls_min_version'",
    'failed to parse server tls cert: x',
    'both client_tls_cert and client_tls_key must be set',
  ),
  ...rows(
    'ldap.role.write',
    400,
    'refused Rejected',
    'username is a required field to manage a static account',
    'username must not be empty',
    '"u" is already managed by the secrets engine',
    'cannot update static account username',
    'cannot update static account distinguished name (dn)',
    'rotation_period is required to create static accounts',
    'rotation_period must be 5 seconds or more',
    'skip_import_rotation has no effect on updates',
  ),
  ...rows('ldap.role.write', 400, 'waiting ConfigNotFound', 'missing LDAP configuration'),
  ...rows('ldap.role.write', 500, 'waiting ConfigNotFound', 'the config is currently unset'),
  ...rows(
    'ldap.role.write',
    500,
    'waiting ConfigNotFound',
    "couldn't find configuration for this create operation's endpoint",
  ),
  ...rows(
    'ldap.role.write',
    500,
    'waiting PasswordNotGenerated',
    'unable to generate password: policy not found',
  ),
  ...rows(
    'ldap.role.write',
    500,
    'waiting EntryNotFound',
    'expected one matching entry, but received 0',
    'unsupported userattr "mail"',
    'LDAP Result Code 32 "No Such Object": ',
  ),
  ...rows('ldap.role.write', 500, 'unavailable DirectoryError!', 'error modifying entry: ldap: i/o timeout'),
  ...rows(
    'ldap.root.rotate',
    500,
    'unavailable DirectoryError',
    'LDAP Result Code 49 "Invalid Credentials": ',
    'LDAP Result Code 19 "Constraint Violation": password in history',
    'LDAP Result Code 200 "Network Error": dial tcp 127.0.0.1:389: connect: connection refused',
  ),
  ...rows(
    'ldap.root.rotate',
    500,
    'unavailable DirectoryError!',
    'LDAP Result Code 200 "Network Error": i/o timeout',
    'LDAP Result Code 51 "Busy": ',
    'LDAP Result Code 80 "Other": ',
    'storage failed, rolling back: LDAP Result Code 200: connection refused',
  ),
  ...rows('ldap.root.rotate', 500, 'waiting ConfigNotFound', 'the config is currently unset'),
  ...rows('ldap.role.rotate', 400, 'waiting RoleNotFound', "role doesn't exist: shop"),
  ...rows(
    'ldap.role.rotate',
    500,
    'unavailable DirectoryError!',
    `${finishing}LDAP Result Code 49 "Invalid Credentials": `,
    `${finishing}something else`,
  ),
  ...rows('ldap.role.rotate', 500, 'waiting ConfigNotFound!', `${finishing}the config is currently unset`),
  ...rows('ldap.role.read', 400, 'refused Rejected', 'ldap: anything'),
  ...rows(
    'oidc.config.write',
    400,
    'unavailable DiscoveryUnavailable',
    'error checking oidc discovery URL',
    'error checking oidc discovery URL: dial tcp: connection refused',
    'error checking jwks URL',
  ),
  ...rows('oidc.config.write', 400, 'refused Rejected', 'invalid response_mode: "x"'),
  ...rows('oidc.role.write', 400, 'refused Rejected', 'a user claim must be defined on the role'),
  ...rows('kms.provider.write', 400, 'refused Rejected', 'key_collection cannot be changed'),
  ...rows('kms.provider.delete', 400, 'waiting KeysInUse', '2 keys are still distributed to it'),
  ...rows('kms.provider.delete', 500, 'waiting KeysInUse', 'cannot delete: it has a key'),
  ...rows('kms.provider.delete', 405, 'refused DeletionBlocked', 'unsupported operation'),
  ...rows('kms.provider.delete', 403, 'refused PermissionDenied', 'permission denied'),
  ...rows('kms.provider.delete', 503, 'unavailable Sealed', 'Vault is sealed'),
  ...rows('ldap.config.read', 302, 'refused Redirected', ''),
  ...rows('ldap.config.read', 307, 'unavailable Redirected', ''),
];

test.for(catalogue)('$op $status: $is: $text', ({ op, status, text, is }) => {
  for (const said of [text, ...(text === '' ? [] : [one(text)])]) {
    const error = refused(op, status, said);
    expect(`${error.class} ${error.reason}${error.mayHaveHadEffect ? '!' : ''}`).toBe(is);
    expect(error.status).toBe(status);
  }
});

describe('a missing mount', () => {
  const text = 'no handler for route "x". route entry not found.';
  test.for<{ op: SecretsOp; mount: string; message: string }>([
    {
      op: 'ldap.role.read',
      mount: 'teams/ldap',
      message:
        'ldap.role.read: nothing is mounted at teams/ldap: enable it with `vault` or `bao`: `secrets enable -path=teams/ldap ldap`',
    },
    {
      op: 'login.approle',
      mount: 'approle',
      message:
        'login.approle: nothing is mounted at auth/approle: enable it with `vault` or `bao`: `auth enable -path=approle approle`',
    },
    {
      op: 'oidc.config.read',
      mount: 'staff',
      message:
        'oidc.config.read: nothing is mounted at auth/staff: enable it with `vault` or `bao`: `auth enable -path=staff oidc`',
    },
    {
      op: 'kms.provider.read',
      mount: 'keymgmt',
      message:
        'kms.provider.read: nothing is mounted at keymgmt: enable it with `vault` or `bao`: `secrets enable -path=keymgmt keymgmt`; OpenBao and Vault Community have no such engine',
    },
    { op: 'ldap.role.read', mount: 'a; rm b', message: 'ldap.role.read: nothing is mounted at a; rm b' },
  ])(
    'comes with the command that makes it, unless that could be another one: $mount',
    ({ op, mount, message }) => {
      expect(refused(op, 404, text, { mount }).message).toBe(message);
    },
  );

  test('is enabled in the namespace of the connection, not where the command happens to run', () => {
    const [inside, strange] = ['teams/shop', 'a; rm b'].map(
      (namespace) => refused('ldap.role.read', 404, text, { mount: 'ldap', namespace }).message,
    );
    expect(inside).toMatch(/: `secrets enable -namespace=teams\/shop -path=ldap ldap`$/);
    expect(strange).toBe('ldap.role.read: nothing is mounted at ldap');
  });
});

test.for([
  { status: 307, location: 'https://active:8200/v1/x?y', shows: 'redirected to https://active:8200, ' },
  { status: 307, location: '', shows: 'name the active node' },
  { status: 301, location: 'https://user:canary@else/', shows: 'redirected to https://else, ' },
  { status: 301, location: 'javascript:alert(1)', shows: 'redirected to another address, ' },
])('a redirect says where to, and what to do: $status $location', ({ status, location, shows }) => {
  const { message } = refused('ldap.config.read', status, '', { location });
  expect(message).toContain(shows);
  expect(message).toContain('spec.addresses');
  expect(message).not.toContain('canary');
});

test('what is shown is one line without the decoration of lists', () => {
  expect(refused('ldap.role.write', 400, one('username must not be empty')).message).toBe(
    'ldap.role.write: username must not be empty',
  );
  expect(refused('ldap.role.write', 400, '').message).toBe('ldap.role.write: status 400');
});

// Some services quote what they found at the issuer's URL: anybody who may declare a login could have internal pages read to them.
test.for([
  'error checking oidc discovery URL: NewProvider: unable to create provider: 404 Not Found: <p>canary</p>',
  'error checking oidc discovery URL: 500 Internal Server Error: {"why": "canary"}',
  'error checking oidc discovery URL: 401 Unauthorized: 403 Forbidden: canary',
  'error checking jwks URL: fetching keys oidc: get keys failed: 404 Not Found canary',
])('a page that the service found in place of an issuer is not quoted: %s', (text) => {
  const { message, reason } = refused('oidc.config.write', 400, text);
  expect(reason).toBe('DiscoveryUnavailable');
  expect(message).toMatch(/^oidc.config.write: error checking .*: (404|500|401)$/);
});

test.for([
  'error checking oidc discovery URL: dial tcp 10.0.0.1:443: connection refused',
  'error checking oidc discovery URL: oidc: issuer did not match the issuer returned by provider, expected "https://a" got "https://b"',
])('all else that it says of the issuer is shown: %s', (text) => {
  expect(refused('oidc.config.write', 400, text).message).toBe(`oidc.config.write: ${text}`);
});

test.for<{ op: SecretsOp; status: number; errors: readonly string[] | undefined; absent: boolean }>([
  { op: 'ldap.role.read', status: 404, errors: [], absent: true },
  { op: 'ldap.role.read', status: 404, errors: undefined, absent: false },
  { op: 'ldap.role.read', status: 404, errors: ['no handler for route "x"'], absent: false },
  { op: 'ldap.role.read', status: 400, errors: [], absent: false },
  { op: 'ldap.credential.read', status: 400, errors: ['unknown role: shop'], absent: true },
  { op: 'ldap.role.rotate', status: 400, errors: ['unknown role: shop'], absent: false },
])('absence is only what the service means by it: $op $status $errors: $absent', (row) => {
  expect(saysAbsent(row.op, row.status, row.errors)).toBe(row.absent);
});

const ops = Object.keys(secretsRoutes).filter((op): op is SecretsOp => Object.hasOwn(secretsRoutes, op));
const words = fc.array(
  fc.oneof(fc.string(), fc.constantFrom(...catalogue.map((row) => row.text), '\n', 'x'.repeat(300))),
);

test('whatever it says makes an error with a short message of one line that leads with the operation', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ops),
      fc.integer({ min: 300, max: 599 }),
      words,
      fc.webUrl(),
      (op, status, parts, location) => {
        const error = refused(op, status, parts.join(' '), { location });
        expect(error.message.startsWith(`${op}: `)).toBe(true);
        expect(error.message.length).toBeLessThan(700);
        expect(error.message).not.toMatch(/\p{Cc}/u);
        expect(error.cause).toBeUndefined();
        if (status < 500) expect(error.mayHaveHadEffect).toBe(false);
      },
    ),
  );
});
