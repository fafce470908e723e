// secrets-api.md: the directory credential engine.
import { codeIn, parameters, replied, said, sent, testsIn, type Section } from '../../item.ts';

const config = codeIn('embedded/secrets/ldap/config.ts');
const roles = codeIn('embedded/secrets/ldap/roles.ts');
const rotation = codeIn('embedded/secrets/ldap/rotation.ts');
const directory = codeIn('embedded/secrets/ldap/real-directory.ts');
const mounts = codeIn('embedded/secrets/system/mounts.ts');
const refusals = codeIn('api/secrets/refusals.ts');
const decode = codeIn('api/secrets/decode.ts');

const configs = testsIn('contract/secrets/ldap-config-cases.ts');
const cases = testsIn('contract/secrets/ldap-role-cases.ts');
const http = testsIn('contract/secrets/http-cases.ts');
const rotations = testsIn('embedded/secrets/ldap/rotation.test.ts');
const slapd = testsIn('embedded/secrets/ldap/slapd.test.ts');
const api = testsIn('api/secrets/client.test.ts');

const says = '"$says": $why';
const defaults = 'is read with defaults for what was not given, without passwords and keys';
const changes = 'a write changes what it names; a length that is left out is unset';
const tls = '$how: with CA and client certificate it works; without either it does not';
const declared = 'creating one changes the password, and it is read as it was declared';
const period = 'by period: once when it is due, not before, and then a period later';

export const ldapConfig: Section = {
  title: 'Directory engine: configuration',
  items: [
    said('`POST /ldap/config`', {
      client: { op: 'ldap.config.write' },
      embedded: config('configRoute'),
      test: configs(changes),
    }),
    ...sent(
      'ldap.config.write',
      'LDAPConfigBody',
      { reader: config('fields'), at: '' },
      {
        binddn: 'string',
        bindpass: 'string',
        url: 'string',
        password_policy: 'string',
        schema: 'string',
        request_timeout: 'any',
        starttls: 'bool',
        insecure_tls: 'bool',
        certificate: 'string',
        client_tls_cert: 'string',
        client_tls_key: 'string',
        length: 'int',
      },
    ),
    said('`url`: by default `ldap://127.0.0.1`', {
      client: { type: 'LDAPConfigBody', field: 'url' },
      embedded: config('fields'),
      test: testsIn('coverage/secrets.test.ts')('what a configuration is where nothing was said'),
    }),
    said('`url`: a list with commas, tried in order where connecting fails', {
      client: { type: 'LDAPConfigBody', field: 'url' },
      embedded: directory('LdapDirectory'),
      test: slapd(
        'servers are tried in order: one that is not there, and one that ends the connection, are passed by',
      ),
    }),
    said('`schema`: `ldap`, `racf` or `ad`, by default `ldap`', {
      client: { type: 'LDAPConfigBody', field: 'schema' },
      embedded: codeIn('embedded/secrets/ldap/directory.ts')('schemas'),
      test: configs('a schema has one name in each dialect'),
    }),
    said('`schema`: another one is refused', {
      client: refusals('invalidConfig'),
      embedded: config('valueIn'),
      test: configs(says, 'the configured schema x500 is not valid'),
    }),
    said('`schema`: how the password of an entry is stored', {
      client: { type: 'LDAPConfigBody', field: 'schema' },
      embedded: directory('LdapDirectory'),
      test: slapd('schema $schema writes $attribute', "schema: 'ad'"),
    }),
    said('`request_timeout`: seconds or a duration, by default 90', {
      client: { type: 'LDAPConfigBody', field: 'request_timeout' },
      embedded: codeIn('embedded/secrets/http/request-fields.ts')('seconds'),
      test: testsIn('coverage/secrets.test.ts')('what a configuration is where nothing was said'),
    }),
    said('`request_timeout`: then it is an error', {
      client: refusals('refusal'),
      embedded: directory('LdapDirectory'),
      test: testsIn('embedded/secrets/ldap/real-directory.test.ts')(
        'is given up after the request timeout: %j',
        'request_timeout',
      ),
    }),
    said('`starttls`', {
      client: { type: 'LDAPConfigBody', field: 'starttls' },
      embedded: directory('LdapDirectory'),
      test: slapd(tls, 'StartTLS'),
    }),
    said('`insecure_tls`: the server’s certificate is not verified', {
      client: { type: 'LDAPConfigBody', field: 'insecure_tls' },
      embedded: directory('LdapDirectory'),
      test: slapd(tls, 'insecure_tls'),
    }),
    ...(['certificate', 'client_tls_cert', 'client_tls_key'] as const).map((field) =>
      said(`\`${field}\`: X.509 in PEM`, {
        client: { type: 'LDAPConfigBody', field },
        embedded: config('check'),
        test: slapd(tls, field),
      }),
    ),
    said('`length`: deprecated, by default 64', {
      client: { type: 'LDAPConfigBody', field: 'length' },
      embedded: rotation('lengthDefault'),
      test: rotations(
        'passwords keep to the policy, to the length, to what the schema can hold; a missing policy is an error',
      ),
    }),
    said('`GET /ldap/config`: `{data: …}`', {
      client: { op: 'ldap.config.read' },
      embedded: config('shown'),
      test: configs(defaults),
    }),
    ...replied(
      'LDAPConfigRead',
      { at: [['ldap.config.read', '']], embedded: config('shown'), below: 'read: ' },
      {
        binddn: 'string',
        case_sensitive_names: 'bool',
        certificate: 'string',
        insecure_tls: 'bool',
        length: 'int',
        schema: 'string',
        starttls: 'bool',
        tls_max_version: 'string',
        tls_min_version: 'string',
        url: 'string',
      },
    ),
    said('the bind password is not among it', {
      client: codeIn('api/secrets/wire.ts')('LDAPConfigRead'),
      embedded: config('shown'),
      test: configs(defaults),
    }),
    said('`DELETE /ldap/config`', {
      client: { op: 'ldap.config.delete' },
      embedded: config('configRoute'),
      test: configs('deleting it is done, twice as well; reading it then finds nothing'),
    }),
  ],
};

const at = { client: { op: 'ldap.role.write', parameter: 'role' }, embedded: roles('nameIn') } as const;

export const staticRoles: Section = {
  title: 'Directory engine: static roles and credentials',
  items: [
    said('`POST /ldap/static-role/<role_name>`', {
      client: { op: 'ldap.role.write' },
      embedded: roles('write'),
      test: cases(declared),
    }),
    said('`role_name` in the path', {
      ...at,
      test: cases('names are folded; a list is of names, and absent while there are none'),
    }),
    ...sent(
      'ldap.role.write',
      'RoleBody',
      { reader: roles('create'), at: '' },
      { dn: 'string', rotation_period: 'any', username: 'string' },
      {
        rotation_period: cases(
          'is refused with "$says"',
          'rotation_period is required to create static accounts',
        ),
        username: cases('is refused with "$says"', 'username is a required field'),
      },
    ),
    said('`dn`: DN of the entry', {
      client: { type: 'RoleBody', field: 'dn' },
      embedded: rotation('Rotations'),
      test: cases('that no entry is found for, $why, is not stored', "why: 'by its name'"),
    }),
    said('`username`: for entries that are not logged in to by `dn`', {
      client: { type: 'RoleBody', field: 'username' },
      embedded: rotation('Rotations'),
      test: cases('without a name the entry is found by its user name'),
    }),
    said('`rotation_period`: a duration', {
      client: { type: 'RoleBody', field: 'rotation_period' },
      embedded: codeIn('embedded/secrets/http/request-fields.ts')('seconds'),
      test: cases(declared),
    }),
    said('`rotation_period`: at least 5 seconds', {
      client: refusals('refusal'),
      embedded: roles('periodSecondsMin'),
      test: cases('is refused with "$says"', 'rotation_period must be 5 seconds or more'),
    }),
    said('`GET /ldap/static-role/<role_name>`: `{data: …}`', {
      client: { op: 'ldap.role.read' },
      embedded: roles('shown'),
      test: cases(declared),
    }),
    ...replied(
      'RoleRead',
      { at: [['ldap.role.read', '']], embedded: roles('shown'), below: 'read: ' },
      {
        dn: 'string',
        last_service_rotation: 'time',
        rotation_period: 'int',
        username: 'string',
      },
    ),
    said('`GET /ldap/static-role`: a list of names', {
      client: { op: 'ldap.role.list' },
      embedded: roles('list'),
      test: http('a list is asked for by its verb or by the query; plainly only where the documents do'),
    }),
    said('the list itself, in no envelope', {
      client: decode('decode'),
      embedded: roles('list'),
      test: api('a list is read in any shape: $why', 'bare'),
    }),
    said('`DELETE /ldap/static-role/<role_name>`', {
      client: { op: 'ldap.role.delete' },
      embedded: roles('remove'),
      test: cases('deleted, it is gone and the entry keeps its password'),
    }),
    said('`GET /ldap/static-cred/<role_name>`', {
      client: { op: 'ldap.credential.read' },
      embedded: roles('credential'),
      test: cases('a rotation changes the password and keeps the one before'),
    }),
    said('the credential is in no envelope', {
      client: decode('decode'),
      embedded: roles('credential'),
      test: api('a credential is read in either shape, its passwords in boxes: $why', 'bare'),
    }),
    ...replied(
      'CredentialRead',
      { at: [['ldap.credential.read', '']], embedded: roles('credential'), below: 'credential: ' },
      {
        dn: 'string',
        last_service_rotation: 'time',
        password: 'string',
        rotation_period: 'int',
        ttl: 'int',
        username: 'string',
      },
    ),
    said('`ttl`: seconds until the next rotation', {
      client: { type: 'CredentialRead', field: 'ttl' },
      embedded: roles('credential'),
      test: rotations(period),
    }),
    said('`POST /ldap/rotate-root`', {
      client: { op: 'ldap.root.rotate' },
      embedded: rotation('rotateRoot'),
      test: rotations(
        'rotate-root: the old bind password is of no use, the new one is never shown, rotations go on',
      ),
    }),
    said('`POST /ldap/rotate-role/<role_name>`', {
      client: { op: 'ldap.role.rotate' },
      embedded: roles('rotate'),
      test: cases('a rotation changes the password and keeps the one before'),
    }),
    ...parameters('ldap.role.delete', roles('nameIn'), {
      role: ['in the path', rotations('names are lower-cased, and a deleted one is free again')],
    }),
    ...parameters('ldap.role.read', roles('nameIn'), {
      role: ['in the path', cases('names are folded; a list is of names, and absent while there are none')],
    }),
    ...parameters('ldap.credential.read', roles('nameIn'), {
      role: ['in the path', cases('names are folded; a list is of names, and absent while there are none')],
    }),
    ...parameters('ldap.role.rotate', roles('rotate'), {
      role: ['in the path', rotations('rotate-role rotates at once, and the period starts again')],
    }),
    said('a mount may be at any path', {
      client: { op: 'ldap.config.read', parameter: 'mount' },
      embedded: mounts('mountRoutes'),
      test: testsIn('embedded/secrets/server.test.ts')(
        'mounts come and go, at any depth; the longest one answers, and takes what it held with it',
      ),
    }),
  ],
};
