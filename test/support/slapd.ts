// A real directory for tests: OpenLDAP's slapd on free ports of the loopback, with its data in a temporary folder.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, ResultCodeError } from 'ldapts';
import { makeCertificates } from './certificates.ts';
import { eventually } from './poll.ts';
import { freePort } from './port.ts';

const firstOf = (paths: readonly string[]): string | undefined => paths.find((path) => existsSync(path));
const program = firstOf(['/usr/sbin/slapd', '/usr/local/libexec/slapd', '/usr/libexec/slapd']);
const schemaFolder = firstOf(['/etc/ldap/schema', '/etc/openldap/schema', '/usr/local/etc/openldap/schema']);

/** Whether it can be started here: `describe.skipIf(!hasSlapd)`. */
export const hasSlapd: boolean = program !== undefined && schemaFolder !== undefined && isRunnable(program);

function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export interface Slapd {
  /** `ldap://127.0.0.1:<port>`; with TLS it takes StartTLS. */
  readonly url: string;
  readonly ldapsUrl: string | undefined;
  /** PEM; with TLS only, like the next two. */
  readonly ca: string | undefined;
  readonly clientCert: string | undefined;
  readonly clientKey: string | undefined;
  readonly base: string;
  /** May change every password, its own included. */
  readonly bindDN: string;
  readonly bindPassword: string;
  /** Services: `uid=shop,ou=services,<base>` and others, by `uid`. */
  readonly entries: Readonly<
    Record<'shop' | 'billing' | 'reports', { readonly dn: string; readonly password: string }>
  >;
  /** Whether the directory accepts this name and password. @throws Error where it doesn't answer */
  bind(dn: string, password: string): Promise<boolean>;
  /** The values of one attribute, as the directory holds them. */
  values(dn: string, attribute: string): Promise<readonly Buffer[]>;
  /** Kills it; what it holds stays. */
  down(): Promise<void>;
  /** Starts it again, as it was. */
  up(): Promise<void>;
  stop(): Promise<void>;
}

export interface SlapdOptions {
  readonly tls?: boolean;
  /** TLS connections without a client certificate of the CA are refused. */
  readonly demandsClientCertificate?: boolean;
  /** More services by their `uid`. */
  readonly services?: readonly string[];
}

const base = 'dc=example,dc=org';
const bindDN = `cn=admin,${base}`;
const bindPassword = 'canary-slapd-bind-5e2c';
const rootDN = `cn=root,${base}`;
const rootPassword = 'canary-slapd-root-91ab';
const service = (name: string) => ({
  dn: `uid=${name},ou=services,${base}`,
  password: `canary-slapd-${name}-07d4`,
});
const entries = { shop: service('shop'), billing: service('billing'), reports: service('reports') };

/** @throws Error where it does not start, with what it said */
export async function startSlapd({
  tls = false,
  demandsClientCertificate = false,
  services = [],
}: SlapdOptions = {}): Promise<Slapd> {
  if (program === undefined || schemaFolder === undefined) throw new Error('slapd is not installed');
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-slapd-'));
  mkdirSync(join(folder, 'data'));
  if (tls) makeCertificates(folder);
  const [port, tlsPort] = [await freePort(), await freePort()];
  const url = `ldap://127.0.0.1:${port}`;
  const ldapsUrl = tls ? `ldaps://127.0.0.1:${tlsPort}` : undefined;
  writeFileSync(
    join(folder, 'slapd.conf'),
    configuration(folder, schemaFolder, tls, demandsClientCertificate),
  );
  const urls = ldapsUrl === undefined ? url : `${url} ${ldapsUrl}`;
  const args = ['-f', join(folder, 'slapd.conf'), '-h', urls, '-d', '0'];
  const server = program;
  let kill: (() => Promise<void>) | undefined;
  const stop = async () => {
    await kill?.();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    kill = await launch(server, args, url);
    await asRoot(url, (client) => fill(client, services));
  } catch (error) {
    await stop();
    throw error;
  }
  const pem = (name: string) => (tls ? readFileSync(join(folder, name), 'utf8') : undefined);
  return {
    url,
    ldapsUrl,
    ca: pem('ca.pem'),
    clientCert: pem('client.pem'),
    clientKey: pem('client.key'),
    base,
    bindDN,
    bindPassword,
    entries,
    bind: (dn, password) => accepts(url, dn, password),
    values: (dn, attribute) => asRoot(url, (client) => valuesOf(client, dn, attribute)),
    down: async () => kill?.(),
    up: async () => {
      kill = await launch(server, args, url);
    },
    stop,
  };
}

/** @returns what ends it. @throws Error where it does not answer, with what it said */
async function launch(path: string, args: readonly string[], url: string): Promise<() => Promise<void>> {
  const child = spawn(path, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const kill = async () => {
    const ended = isOver() ? undefined : once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const isUp = () => isOver() || accepts(url, rootDN, rootPassword).catch(() => false);
  try {
    await eventually('slapd answers', isUp, { seen: () => said });
    if (isOver()) throw new Error(`slapd ended: ${said}`);
    return kill;
  } catch (error) {
    await kill();
    throw error;
  }
}

/** Root's rights are for the fixture; `bindDN` is an entry like any other, so that its password can be rotated. */
const configuration = (folder: string, schemas: string, tls: boolean, demands: boolean): string => `
${['core', 'cosine', 'inetorgperson'].map((name) => `include ${join(schemas, name)}.schema`).join('\n')}
attributetype ( 1.3.6.1.4.1.55555.1 NAME 'unicodePwd' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.2 NAME 'racfPassword' SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.55555.3 NAME 'racfAttributes' SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 )
pidfile ${join(folder, 'slapd.pid')}
${
  tls
    ? `TLSCACertificateFile ${join(folder, 'ca.pem')}
TLSCertificateFile ${join(folder, 'server.pem')}
TLSCertificateKeyFile ${join(folder, 'server.key')}
TLSVerifyClient ${demands ? 'demand' : 'allow'}`
    : ''
}
database ldif
directory ${join(folder, 'data')}
suffix "${base}"
rootdn "${rootDN}"
rootpw ${rootPassword}
access to attrs=userPassword by dn.exact="${bindDN}" write by anonymous auth by * none
access to * by dn.exact="${bindDN}" write by * read
`;

async function fill(client: Client, services: readonly string[]): Promise<void> {
  await client.add(base, { objectClass: ['dcObject', 'organization'], dc: 'example', o: 'Example' });
  await client.add(`ou=services,${base}`, { objectClass: 'organizationalUnit', ou: 'services' });
  const admin = { objectClass: ['organizationalRole', 'simpleSecurityObject'], cn: 'admin' };
  await client.add(bindDN, { ...admin, userPassword: bindPassword });
  const all = { ...entries, ...Object.fromEntries(services.map((uid) => [uid, service(uid)])) };
  for (const [uid, { dn, password }] of Object.entries(all)) {
    // extensibleObject: it may hold any attribute, those of other vendors' schemas too
    const objectClass = ['account', 'simpleSecurityObject', 'extensibleObject'];
    await client.add(dn, { objectClass, uid, cn: uid, userPassword: password });
  }
}

async function asRoot<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ url, connectTimeout: 2_000, timeout: 5_000 });
  try {
    await client.bind(rootDN, rootPassword);
    return await work(client);
  } finally {
    await client.unbind();
  }
}

async function accepts(url: string, dn: string, password: string): Promise<boolean> {
  const client = new Client({ url, connectTimeout: 2_000, timeout: 5_000 });
  try {
    await client.bind(dn, password);
    return true;
  } catch (error) {
    if (error instanceof ResultCodeError) return false;
    throw error;
  } finally {
    await client.unbind();
  }
}

async function valuesOf(client: Client, dn: string, attribute: string): Promise<readonly Buffer[]> {
  const { searchEntries } = await client.search(dn, {
    scope: 'base',
    attributes: [attribute],
    explicitBufferAttributes: [attribute],
  });
  return [searchEntries[0]?.[attribute] ?? []].flat().map((value) => Buffer.from(value));
}
