// A Kubernetes of one's own: the real etcd, API server and, where asked for, controllers, on free ports of the loopback,
// with its data in a temporary folder. Knows no test runner: whoever starts one stops it, and none outlives this process.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import type { Ended } from '../../support/cli.ts';
import { freePort } from '../../support/port.ts';
import { assets } from './assets.ts';
import { Program } from './program.ts';
import { controllerFlags, etcdFlags, serverFlags } from './flags.ts';

export interface ClusterOptions {
  /** They empty namespaces, collect owned objects, aggregate cluster roles, make service accounts. Nobody else does. */
  readonly controllers?: boolean;
  /** By name: the groups of further users, who may do what RBAC says. `admin` may do everything. */
  readonly users?: Readonly<Record<string, readonly string[]>>;
  /** Further flags of the API server. */
  readonly flags?: readonly string[];
}

export interface Reply<T> {
  readonly status: number;
  /** What kubectl would print as `Warning:`. */
  readonly warnings: readonly string[];
  readonly body: T;
}

interface CallOptions {
  readonly body?: unknown;
  /** Default: admin. */
  readonly user?: string;
  /** Default: application/json. */
  readonly contentType?: string;
}

export interface Cluster {
  /** `https://127.0.0.1:<port>`, also after a restart. */
  readonly url: string;
  /** PEM. */
  readonly ca: string;
  /** What the API server shows, for who stands in front of it. PEM. */
  readonly identity: { readonly cert: string; readonly key: string };
  readonly adminToken: string;
  /** Path. A context for each user, by the user's name; the current one is `admin`. */
  readonly kubeconfig: string;
  /** Path: one event of audit.k8s.io/v1 per line and request, level Metadata. */
  readonly auditLog: string;
  tokenOf(user: string): string;
  kubectl(
    args: readonly string[],
    options?: { readonly input?: string; readonly user?: string },
  ): Promise<Ended>;
  call<T = unknown>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    options?: CallOptions,
  ): Promise<Reply<T>>;
  /** Ends the API server (default: SIGKILL; SIGTERM may wait a minute for watches) and starts it again at the same port. */
  restart(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** Lets the API server stand still, or go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Copies what etcd has. @returns puts that back, and starts etcd and the API server again */
  backup(): () => Promise<void>;
  /** Kills everything, and takes the data away. */
  stop(): Promise<void>;
}

const admin = 'admin';
const tokenOf = (user: string): string => `${user}-token`;

/** @throws Error where it does not start, with what it said */
export async function startCluster(options: ClusterOptions = {}): Promise<Cluster> {
  if (assets === undefined) throw new Error('there are no Kubernetes programs');
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-kubernetes-'));
  const cluster = new Running(assets, folder, options, await freePort());
  try {
    await cluster.start(options.controllers ?? false);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class Running implements Cluster {
  readonly url: string;
  readonly adminToken = tokenOf(admin);
  readonly tokenOf = tokenOf;
  readonly kubeconfig: string;
  readonly auditLog: string;
  readonly #assets: string;
  readonly #folder: string;
  readonly #options: ClusterOptions;
  readonly #port: number;
  readonly #children = new Set<Program>();
  readonly #atExit = (): void => this.#killAll();
  #etcd = '';
  #etcdFlags: readonly string[] = [];
  #store: Program | undefined;
  #server: Program | undefined;
  #agent: Agent | undefined;

  constructor(programs: string, folder: string, options: ClusterOptions, port: number) {
    this.#assets = programs;
    this.#folder = folder;
    this.#options = options;
    this.#port = port;
    this.url = `https://127.0.0.1:${port}`;
    this.kubeconfig = join(folder, 'kubeconfig');
    this.auditLog = join(folder, 'audit.log');
    process.once('exit', this.#atExit);
  }

  get ca(): string {
    return readFileSync(this.#certificate, 'utf8');
  }

  get identity(): { readonly cert: string; readonly key: string } {
    return { cert: this.ca, key: readFileSync(join(this.#folder, 'certs/apiserver.key'), 'utf8') };
  }

  get #certificate(): string {
    return join(this.#folder, 'certs/apiserver.crt');
  }

  async start(controllers: boolean): Promise<void> {
    this.#writeFiles();
    const [client, peer] = [await freePort(), await freePort()];
    this.#etcd = `http://127.0.0.1:${client}`;
    this.#etcdFlags = etcdFlags(this.#etcd, `http://127.0.0.1:${peer}`);
    this.#store = this.#spawn('etcd', this.#etcdFlags);
    await this.#startServer();
    if (controllers) await this.#startControllers(await freePort());
  }

  async kubectl(
    args: readonly string[],
    { input = '', user = admin }: { readonly input?: string; readonly user?: string } = {},
  ): Promise<Ended> {
    const env = { PATH: process.env['PATH'] ?? '', HOME: this.#folder, KUBECONFIG: this.kubeconfig };
    const child = spawn(join(this.#assets, 'kubectl'), ['--context', user, ...args], { env });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdin.on('error', () => {}); // it need not read what it is given
    child.stdin.end(input);
    await once(child, 'close');
    return { code: child.signalCode ?? child.exitCode ?? 'SIGKILL', stdout, stderr };
  }

  async call<T>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { body, user = admin, contentType = 'application/json' }: CallOptions = {},
  ): Promise<Reply<T>> {
    this.#agent ??= new Agent({ connect: { ca: this.ca } });
    const reply = await request(`${this.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${tokenOf(user)}`, 'content-type': contentType },
      body: body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await reply.body.text();
    const isJson = String(reply.headers['content-type']).startsWith('application/json');
    return {
      status: reply.statusCode,
      warnings: [reply.headers['warning'] ?? []].flat(),
      // oxlint-disable-next-line no-unsafe-type-assertion -- the API server's word
      body: (isJson ? JSON.parse(text) : text) as T,
    };
  }

  async restart(signal: 'SIGTERM' | 'SIGKILL' = 'SIGKILL'): Promise<void> {
    await this.#server?.end(signal);
    await this.#startServer();
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#server?.signal(signal);
  }

  backup(): () => Promise<void> {
    const data = join(this.#folder, 'etcd');
    const copy = join(this.#folder, 'etcd-copy');
    this.#store?.signal('SIGSTOP'); // it writes nothing meanwhile
    cpSync(data, copy, { recursive: true });
    this.#store?.signal('SIGCONT');
    return async () => {
      await Promise.all([this.#server?.end('SIGKILL'), this.#store?.end('SIGKILL')]);
      rmSync(data, { recursive: true });
      cpSync(copy, data, { recursive: true });
      this.#store = this.#spawn('etcd', this.#etcdFlags);
      await this.#startServer();
    };
  }

  async stop(): Promise<void> {
    process.off('exit', this.#atExit);
    await Promise.all([...this.#children].map((child) => child.end('SIGKILL')));
    await this.#agent?.destroy();
    this.#clear();
  }

  #killAll(): void {
    for (const child of this.#children) child.kill();
    this.#clear();
  }

  /** Whatever is just being killed may still write a file: then again. */
  #clear(): void {
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 20 });
  }

  #spawn(name: string, flags: readonly string[]): Program {
    const program = new Program(join(this.#assets, name), flags, this.#folder);
    this.#children.add(program);
    return program;
  }

  async #startServer(): Promise<void> {
    const server = this.#spawn('kube-apiserver', [
      ...serverFlags(this.#etcd, this.#port),
      ...(this.#options.flags ?? []),
    ]);
    this.#server = server;
    await server.ready(async () => {
      try {
        const { status } = await this.call('GET', '/readyz');
        if (status !== 200) return false;
        const found = await this.call('GET', '/api/v1/namespaces/default');
        return found.status === 200; // made a little later
      } catch {
        await this.#agent?.destroy(); // it may have read a certificate that was not yet written to its end
        this.#agent = undefined;
        return false;
      }
    });
  }

  async #startControllers(port: number): Promise<void> {
    const controllers = this.#spawn('kube-controller-manager', controllerFlags(this.kubeconfig, port));
    const dispatcher = new Agent({ connect: { rejectUnauthorized: false } }); // it signs its own, for localhost
    await controllers.ready(async () => {
      const { statusCode, body } = await request(`https://127.0.0.1:${port}/healthz`, { dispatcher });
      await body.dump();
      return statusCode === 200;
    });
    await dispatcher.close();
  }

  #writeFiles(): void {
    const users = { [admin]: ['system:masters'], ...this.#options.users };
    const file = (name: string, text: string): void =>
      writeFileSync(join(this.#folder, name), text, { mode: 0o600 });
    const lines = Object.entries(users).map(
      ([user, groups]) => `${tokenOf(user)},${user},${user},"${groups.join(',')}"\n`,
    );
    file('tokens.csv', lines.join(''));
    const omitStages = ['RequestReceived'];
    const policy = {
      apiVersion: 'audit.k8s.io/v1',
      kind: 'Policy',
      omitStages,
      rules: [{ level: 'Metadata' }],
    };
    file('audit.yaml', JSON.stringify(policy));
    file('kubeconfig', JSON.stringify(kubeconfigOf(this.url, this.#certificate, Object.keys(users))));
    execFileSync('openssl', ['genrsa', '-out', 'sa.key', '2048'], { cwd: this.#folder, stdio: 'ignore' });
  }
}

/** JSON is YAML, too. */
const kubeconfigOf = (server: string, certificate: string, users: readonly string[]) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'e2e', cluster: { server, 'certificate-authority': certificate } }],
  users: users.map((name) => ({ name, user: { token: tokenOf(name) } })),
  contexts: users.map((name) => ({ name, context: { cluster: 'e2e', user: name } })),
  'current-context': admin,
});
