// The two API servers that are asked the same, and how a script is played on one of them.
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { events, leases, secrets, type Resource } from '../../../../src/api/kubernetes/resources.ts';
import type { StreamBody } from '../../../../src/embedded/http/stream.ts';
import { ApiServer } from '../../../simulation/cluster/api-server.ts';
import { eventually } from '../../../support/poll.ts';
import type { Cluster } from '../cluster.ts';
import { disk, type Fields, type Script, type Sent } from './hand.ts';
import { plain } from './plain.ts';

const disks: Resource = {
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'Disk',
  plural: 'disks',
  namespaced: true,
};

interface Heard {
  readonly status: number;
  readonly text: string;
}

/** One of the two. */
interface Side {
  call(method: string, path: string, sent: Sent): Promise<Heard>;
  /** @returns what was told so far */
  watch(path: string, accept: string): Promise<readonly string[]>;
}

const json = 'application/json';
const textOf = (body: unknown): string =>
  body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);

export class Real implements Side {
  readonly #cluster: Cluster;
  readonly #agent: Agent;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.#agent = new Agent({ connect: { ca: cluster.ca } });
  }

  async call(method: string, path: string, sent: Sent): Promise<Heard> {
    const { statusCode, body } = await this.#ask(method, path, sent);
    return { status: statusCode, text: await body.text() };
  }

  async watch(path: string, accept: string): Promise<readonly string[]> {
    const { body } = await this.#ask('GET', path, { accept });
    const told: string[] = [];
    let rest = '';
    body.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      told.push(...lines);
    });
    body.on('error', () => {}); // it is broken off at the end
    return told;
  }

  #ask(method: string, path: string, { body, contentType = json, accept = json }: Sent) {
    return request(`${this.#cluster.url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { authorization: `Bearer ${this.#cluster.adminToken}`, 'content-type': contentType, accept },
      body: body === undefined ? null : textOf(body),
    });
  }

  stop(): Promise<void> {
    return this.#agent.destroy();
  }
}

export class Simulated implements Side {
  readonly server = new ApiServer({
    wallMs: () => Date.now(),
    newUid: () => randomUUID(),
    resources: [disks, secrets, leases, events],
  });

  async call(method: string, url: string, { body, contentType = json, accept = json }: Sent): Promise<Heard> {
    const headers = { 'content-type': contentType, accept };
    const reply = this.server.handle(
      { method, url, headers, body: textOf(body) },
      { closed: false, once: () => {} },
    );
    const said = reply.body ?? { text: '' };
    if ('stream' in said) return { status: reply.status, text: await ending(said) };
    return { status: reply.status, text: 'text' in said ? said.text : JSON.stringify(said.json) };
  }

  async watch(url: string, accept: string): Promise<readonly string[]> {
    const asked = { method: 'GET', url, headers: { accept }, body: '' };
    const { body } = this.server.handle(asked, { closed: false, once: () => {} });
    if (!body || !('stream' in body)) throw new Error(`${url} is no watch`);
    const told: string[] = [];
    const take = (text: string): boolean => told.push(...text.split('\n').filter(Boolean)) >= 0;
    body.stream({ send: take, end: take, onReady: () => {}, onGone: () => {} });
    return told;
  }
}

/** All that is told until it ends. */
const ending = ({ stream }: StreamBody): Promise<string> =>
  new Promise((resolve) => {
    let told = '';
    const send = (text: string): boolean => (told += text) !== '';
    stream({ send, end: (text) => resolve(told + text), onReady: () => {}, onGone: () => {} });
  });

/** Made at the end in each collection that is watched, so that who has told of it has told all. It matches every selector. */
const lastOne = 'zzz-last';
const kinds: Readonly<Record<string, object>> = {
  disks: disk(lastOne, { labels: { tier: 'gold' } }),
  secrets: { metadata: { name: lastOne } },
  leases: { metadata: { name: lastOne }, spec: { holderIdentity: 'me' } },
};

/** Plays a script on one of the two. @returns what came of it, in words that both share */
export async function played(side: Side, { play }: Script, namespace: string): Promise<readonly unknown[]> {
  const answers: unknown[] = [];
  const watches: { readonly path: string; readonly told: readonly string[] }[] = [];
  const inside = (base: string, plural: string) => `${base}/namespaces/${namespace}/${plural}`;
  const call = async (method: string, path: string, sent: Sent = {}): Promise<Fields> => {
    const { status, text } = await side.call(method, path, sent);
    const body: unknown = text.startsWith('{') ? JSON.parse(text) : text;
    answers.push({ [`${method} ${path}`]: status, ...(sent.inOtherWords ? {} : { body }) });
    // oxlint-disable-next-line no-unsafe-type-assertion -- an object of the API server, or a Status
    return (typeof body === 'object' ? body : {}) as Fields;
  };
  await side.call('POST', '/api/v1/namespaces', { body: { metadata: { name: namespace } } });
  await play({
    namespace,
    disks: inside('/apis/holdfast.dev/v1alpha1', 'disks'),
    secrets: inside('/api/v1', 'secrets'),
    leases: inside('/apis/coordination.k8s.io/v1', 'leases'),
    call,
    async watch(path, accept = json) {
      watches.push({ path, told: await side.watch(path, accept) });
    },
    async gone(path, gone = '') {
      await eventually(`${path} is gone`, async () => {
        const { status, text } = await side.call('GET', path, {});
        return status === 404 || !text.includes(gone);
      });
    },
  });
  for (const collection of new Set(watches.map(({ path }) => path.split('?')[0] ?? '')))
    await side.call('POST', collection, { body: kinds[collection.split('/').at(-1) ?? ''] });
  for (const { path, told } of watches) {
    const isAll = () => told.some((line) => /^\{"type":"ERROR"|"name":"zzz-last"/.test(line));
    await eventually(path, isAll, { seen: () => told.join('\n') });
    answers.push({ [`WATCH ${path}`]: told.map((line): unknown => JSON.parse(line)) });
  }
  return plain(answers);
}
