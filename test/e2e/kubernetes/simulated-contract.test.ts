// The Kubernetes source keeps what the engine relies on over the simulated API server, too: what the simulation finds there
// is not owed to an API server that is another.
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { events, leases, secrets, workloads } from '../../../src/api/kubernetes/resources.ts';
import { openStream } from '../../../src/embedded/http/stream.ts';
import { portOf } from '../../../src/embedded/http/connection-limit.ts';
import { ApiServer } from '../../simulation/cluster/api-server.ts';
import { sourceContract } from '../../sources/contract.ts';
import type { Cluster } from './cluster.ts';
import { benchOn, prepare, stopAll } from './source-bench.ts';

const simulated = new ApiServer({
  wallMs: () => Date.now(),
  newUid: () => randomUUID(),
  resources: [
    { apiVersion: 'holdfast.dev/v1alpha1', kind: 'Disk', plural: 'disks', namespaced: true },
    secrets,
    leases,
    events,
    ...Object.values(workloads),
  ],
});

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', headers } = request;
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  const body = (await request.setEncoding('utf8').toArray()).join('');
  const reply = simulated.handle({ method, url, headers: texts, body }, response);
  const said = reply.body ?? { text: '' };
  if ('stream' in said) return openStream(request, response, reply, said);
  const [type, text] =
    'json' in said ? ['application/json', JSON.stringify(said.json)] : ['text/plain', said.text];
  response.writeHead(reply.status, { ...reply.headers, 'content-type': type }).end(text);
}

const server = createServer((request, response) => void answer(request, response));

const call = (method: string, url: string, options: { body?: unknown; contentType?: string } = {}) => {
  const { body, contentType = 'application/json' } = options;
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = { 'content-type': contentType };
  const reply = simulated.handle({ method, url, headers, body: text }, { closed: false, once: () => {} });
  const said = reply.body && 'json' in reply.body ? reply.body.json : {};
  return Promise.resolve({ status: reply.status, warnings: [], body: said });
};

/** As far as the contract asks for one. */
const cluster = (): Cluster =>
  // oxlint-disable-next-line no-unsafe-type-assertion -- nothing else of it is used
  ({ url: `http://127.0.0.1:${portOf(server)}`, ca: '', adminToken: 'admin', call }) as unknown as Cluster;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await prepare(cluster());
});
afterEach(stopAll);
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

sourceContract('Kubernetes, simulated', () => benchOn(cluster()));
