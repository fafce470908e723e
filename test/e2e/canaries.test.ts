// Secrets of a password's whole way reach the services, the directory and the output files, and nothing else: whatever is
// done and whatever fails, no output, log, page, metric, file of the state or reply holds one, in any of the usual forms.
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { contents, formsOf, found, type Canaries } from '../support/canaries.ts';
import { folder, Holdfast, holdfast, type Ended } from '../support/cli.ts';
import { secret, Tree, installation } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { kmsProvider, kmsSecret, ldapConfig, secretsConnection, staticRole } from '../support/secrets.ts';
import { hasSlapd, type Slapd } from '../support/slapd.ts';
import { report } from './report.ts';
import { Bench, configKey, connectionKey, roleKey } from './rotation-bench.ts';
import { Site } from './site.ts';
import { portOf } from '../support/port.ts';

const planted = {
  token: 'kM3vQ8rT-token-5b0e1f77c2',
  wrongToken: 'pW6xZ1nB-denied-a97c4410e8',
  secretID: 'dS7fL4cV "quoted" & spaced 90d2ee31b5',
  wrongSecretID: 'yU5tR9eX-secret-id-77f0b2c5a6d1',
  wrongBind: 'gH2jW4nC-bind ü% 1c2d9f00b7',
  moved: 'qL8bN3xF-moved-bind-c0ffee1234',
  kmsTenant: 'bV2kD9sJ-tenant-3f61aa07c4',
  kmsClient: 'mT7wG1hY-client-e80b52d196',
  kmsSecret: 'xC4rP6uL-client-secret-5d9f20e7b8',
  kmsMoved: 'zN9aK3fQ-moved-client-secret-417cbe02',
};

const keyStoreSecret = (clientSecret = planted.kmsSecret) =>
  kmsSecret(planted.kmsTenant, planted.kmsClient, clientSecret);
const keyStoreKey = 'KMSProvider/shop/invoices';

const outputs = (...ended: readonly Ended[]): string => ended.map((e) => e.stdout + e.stderr).join('\n');

test('the search itself finds every form, in every place that it looks at', async () => {
  for (const [name, value] of Object.entries(planted)) {
    const base64 = ['', 'a', 'ab'].map((before) =>
      Buffer.from(`${before}${value} and more`).toString('base64'),
    );
    const written = [JSON.stringify({ value }), encodeURIComponent(value), ...formsOf(value)];
    for (const form of [...base64, ...written]) {
      expect(found(`… ${form} …`, planted), form).toEqual([name]);
    }
  }
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'state/inner'));
  tree.put('database', Buffer.from(`\0\u0001${planted.token}\0`));
  expect(found(contents(cwd, []), planted)).toEqual(['token']);
  expect(found(contents(cwd, [join(cwd, 'state/inner')]), planted)).toEqual([]);
});

/** A line from the middle of a PEM. */
const lineOf = (pem = ''): string => pem.split('\n')[3] ?? '';

/** All that is secret on the bench from the start: the authority's certificate is not, it is shown as found. */
const secretsOf = ({ bindPassword, entries, clientCert, clientKey }: Slapd): Canaries => ({
  ...planted,
  bindPassword,
  ...Object.fromEntries(Object.entries(entries).map(([name, { password }]) => [`entry ${name}`, password])),
  certificate: lineOf(clientCert),
  key: lineOf(clientKey),
});

describe.skipIf(!hasSlapd)('against slapd (skipped where it is not installed)', () => {
  test('one journey: two ways to log in, rotations, a bind, rotate-root, signals, and errors of every sort', async () => {
    const minted: string[] = [];
    const watchedBytes = (size: number) => {
      const bytes = randomBytes(size);
      if (size === 24) minted.push(bytes.toString('hex')); // tokens; the rest is known from where it ends
      return bytes;
    };
    const at = await Bench.open({ tls: true }, { randomBytes: watchedBytes });
    const { directory, secrets, tree } = at;
    const pem = { ca: directory.ca ?? '', cert: directory.clientCert ?? '', key: directory.clientKey ?? '' };
    const reference = (key: keyof typeof pem) => ({ name: 'pem', key });
    const config = {
      startTLS: true,
      caSecretRef: reference('ca'),
      clientCertificateSecretRef: reference('cert'),
      clientKeySecretRef: reference('key'),
    };
    const probeHosts = { probeHosts: ['127.0.0.1'] };
    const capabilities = ['create', 'read', 'update', 'delete', 'list'];
    const rules = ['ldap/*', 'keymgmt/*'].map((path) => ({ path, capabilities }));
    await secrets.call('POST', '/setup/policies', { name: 'operator', rules });
    await secrets.call('POST', '/setup/tokens', { token: planted.token, policies: ['operator'] });
    const role = { mount: 'approle', name: 'holdfast', accepts: planted.secretID, policies: ['operator'] };
    await secrets.call('POST', '/setup/authRoles', role);
    tree.put('pem.yaml', secret('shop', 'pem', pem));
    at.connect(probeHosts, planted.token);
    at.configure(config, {}, planted.wrongBind);
    at.role({ verify: { bind: true } });
    tree.put('kms.yaml', kmsProvider(), keyStoreSecret());

    const told: Ended[] = [];
    const tell = async (...args: readonly string[]) => told.push(await at.command(...args));
    const asked = async (...args: readonly string[]) => {
      await tell(...args);
      expect(told.at(-1)?.code, args.join(' ')).toBe(0);
    };
    const planning = async () => {
      for (const format of ['text', 'json', 'markdown']) await tell('plan', 'tree', '-o', format);
    };
    /** While something is wrong. */
    const looking = async () => {
      await read();
      await tell('get', '-o', 'json');
      await tell('plan', 'tree', '-o', 'json');
    };
    const rotated: string[] = [];
    const isNext = async (): Promise<boolean> => {
      const now = await at.published().catch(() => ''); // not there yet
      if (now === '' || now === rotated.at(-1) || !(await at.works())) return false;
      rotated.push(now);
      return true;
    };

    await tell('validate', 'tree', '-o', 'json');
    await planning();
    const run = at.run();
    const [, url = ''] = await run.says(/"status":"(http:[^"]+)"/);
    const site = new Site(url);
    await site.listen(roleKey, configKey, keyStoreKey, connectionKey);
    const read = async () => site.read((await at.operator.rows()).keys());

    // A directory that does not take the password; then one that does.
    await at.operator.reason(roleKey, 'DirectoryError', 'Synced');
    await looking();
    at.configure(config);
    await eventually('published', isNext);
    await asked('rotate', roleKey);
    await eventually('rotated', isNext);
    await eventually('told', () => at.signals().every((signals) => signals === 1));
    expect((await at.operator.condition(roleKey, 'RotationVerified'))?.reason).toBe('BindSucceeded');

    // A key store whose credentials move.
    await at.operator.reason(keyStoreKey, 'Written', 'CredentialsWritten');
    tree.put('kms.yaml', kmsProvider(), keyStoreSecret(planted.kmsMoved));
    const credentials = {
      tenant_id: planted.kmsTenant,
      client_id: planted.kmsClient,
      client_secret: planted.kmsMoved,
    };
    const provider = { mount: 'keymgmt', provider: 'invoices', credentials };
    await eventually('the key store takes the moved secret', async () => {
      const { ok } = await secrets.call<{ readonly ok: boolean }>('POST', '/setup/keyStore/login', provider);
      return ok;
    });

    // A token that is refused, a login that is, and one that is not.
    at.connect(probeHosts, planted.wrongToken);
    await at.operator.reason(connectionKey, 'InvalidToken');
    await looking();
    const secretIDSecretRef = { namespace: 'system', name: 'secrets', key: 'token' };
    const login = { ...probeHosts, auth: { appRole: { roleID: 'holdfast', secretIDSecretRef } } };
    at.connect(login, planted.wrongSecretID);
    await at.operator.reason(connectionKey, 'LoginFailed');
    await read();
    at.connect(login, planted.secretID);
    await at.operator.reason(connectionKey, 'InSync');
    await asked('rotate', roleKey);
    await eventually('rotated under a login', isNext);

    // Only the service knows the bind password from now on; then somebody moves the Secret, and breaks a file.
    await asked('rotate', configKey);
    await at.operator.reason(configKey, 'Rotated', 'RootPasswordOwned');
    const [root = Buffer.alloc(0)] = await directory.values(directory.bindDN, 'userPassword');
    expect(await directory.bind(directory.bindDN, root.toString())).toBe(true);
    at.configure(config, {}, planted.moved);
    tree.put('broken.yaml', `kind: Secret\nstringData: {key: ${planted.wrongToken}\n`);
    await run.says(/"problem":"invalid YAML/);
    await directory.down();
    await asked('rotate', roleKey);
    await at.operator.reason(roleKey, 'DirectoryError', 'Synced');
    await looking();
    await directory.up();
    await eventually('rotated after all', isNext);

    // Nonsense on the socket, and then everything at rest, in every format.
    const socket = createConnection(join(at.cwd, '.holdfast/control.sock'));
    socket.end(`{"do": "nonsense", "key": "${roleKey}"}\n`);
    const reply = await text(socket);
    expect(JSON.parse(reply)).toMatchObject({ ok: false });
    tree.remove('broken.yaml');
    await at.rests();
    await looking();
    await planning();
    await tell('get');
    for (const key of [roleKey, configKey, keyStoreKey, connectionKey]) await tell('describe', key);
    await tell('get', '-o', 'yaml');

    const passwords = Object.fromEntries(rotated.map((password, n) => [`password ${n}`, password]));
    const tokens = Object.fromEntries(minted.map((token, n) => [`token ${n}`, token]));
    const all = { ...secretsOf(directory), ...passwords, ...tokens, root: root.toString() };
    const except = [join(at.cwd, 'tree'), join(at.cwd, '.holdfast/outputs')];
    const running = contents(at.cwd, except);
    expect(running.includes('SQLite format 3')).toBe(true);
    expect(site.text.includes('publish the password of shop')).toBe(true);
    told.push(await run.stop());
    const said = outputs(...told);
    expect(said.includes('only the service knows the bind password')).toBe(true);
    const places = { said, pages: site.text, reply, running, stopped: contents(at.cwd, except) };
    for (const [place, haystack] of Object.entries(places)) expect(found(haystack, all), place).toEqual([]);
    report(
      `${Object.keys(all).length} secrets, ${Object.values(places).join('').length} characters: none found`,
    );
    expect(rotated).toHaveLength(4);
    expect(minted.length).toBeGreaterThan(0);
    // What was looked for is where it belongs, the last one alone, and there the same search sees it.
    expect(found(contents(join(at.cwd, '.holdfast/outputs'), []), all)).toEqual(['password 3']);
    expect(existsSync(at.output())).toBe(true);
    await at.stop();
  });
});

const json = (value: unknown): string => JSON.stringify(value);
const healthy = json({ initialized: true, sealed: false, standby: false, version: '1.20.0' });

/** A service that is well, and refuses what matches by repeating all that it was sent, as it stands and in JSON. */
async function echoing(status: number, refuses: RegExp): Promise<string> {
  const answer = async (request: IncomingMessage): Promise<readonly [number, string]> => {
    const { url = '', method = '', headers } = request;
    const body = await text(request);
    if (url.includes('/sys/health')) return [200, healthy];
    if (!refuses.test(`${method} ${url}`)) {
      if (url.includes('/login'))
        return [200, json({ auth: { client_token: planted.token, lease_duration: 3_600, policies: [] } })];
      if (url.includes('lookup-self')) return [200, json({ data: { ttl: 0, policies: [] } })];
      return [404, json({ errors: [] })];
    }
    const sent = [String(headers['x-vault-token'] ?? ''), body, json(body)];
    return [status, json({ errors: [`can't do ${method}`, ...sent] })];
  };
  const server = createServer((request, response) => {
    void answer(request).then(([code, said]) =>
      response.writeHead(code, { 'content-type': 'application/json' }).end(said),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${portOf(server)}`;
}

const appRole = {
  auth: {
    appRole: {
      roleID: 'holdfast',
      secretIDSecretRef: { namespace: 'system', name: 'secrets', key: 'token' },
    },
  },
};

test.for([
  { what: 'a login', refuses: /login/, status: 400 },
  { what: 'a login', refuses: /login/, status: 500 },
  { what: 'a config', refuses: /POST .*config/, status: 400 },
  { what: 'a config', refuses: /POST .*config/, status: 500 },
  { what: 'a key store', refuses: /PUT .*kms/, status: 400 },
  { what: 'a key store', refuses: /PUT .*kms/, status: 500 },
])('a service that refuses $what with $status and repeats what it was sent', async ({ refuses, status }) => {
  const url = await echoing(status, refuses);
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  tree.put('holdfast.yaml', installation());
  tree.put('secrets.yaml', ...secretsConnection({ url, dialect: 'vault' }, appRole, planted.secretID));
  const bind = { url: 'ldap://127.0.0.1', bindDN: 'cn=admin', bindPassword: planted.wrongBind };
  tree.put('directory.yaml', ...ldapConfig(bind));
  tree.put('role.yaml', staticRole());
  tree.put('kms.yaml', kmsProvider(), keyStoreSecret());
  const command = (args: string) => holdfast(args.split(' '), { cwd });
  const applied = await command('apply tree --timeout 2');
  expect(applied.code).toBe(3);
  expect(applied.stdout).toMatch(/can't do (POST|PUT)/);
  const run = new Holdfast(['run', '--source', 'tree', '--log-level', 'debug'], { cwd });
  const [, page = ''] = await run.says(/"status":"(http:[^"]+)"/);
  const site = new Site(page);
  await site.listen(configKey, keyStoreKey, connectionKey);
  await eventually('shown', async () => {
    await site.read([configKey, keyStoreKey, connectionKey]);
    return /can(&#39;|')t do (POST|PUT)/.test(site.text);
  });
  const told = [
    applied,
    await command('get'),
    await command('get -o json'),
    await command('plan tree'),
    await run.stop(),
  ];
  expect(found(outputs(...told) + site.text, planted)).toEqual([]);
  expect(found(contents(cwd, [tree.path]), planted)).toEqual([]);
});
