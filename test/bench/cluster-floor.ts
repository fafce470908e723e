// The floor of convergence in a cluster: it lists the same objects and makes the same requests of both servers, as many at
// once, with nothing in between. Arguments: a file that says where the servers are, how many requests at once.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { token } from './input.ts';

interface Volume {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: {
    readonly pluginID: string;
    readonly create: {
      readonly capacity: Readonly<Record<'min' | 'max', string>>;
      readonly parameters: object;
    };
    readonly capabilities: readonly Readonly<Record<'accessMode' | 'attachmentMode', string>>[];
    readonly mountOptions: { readonly fsType: string; readonly mountFlags: readonly string[] };
  };
  readonly status?: object;
}

interface Page {
  readonly metadata: { readonly continue?: string };
  readonly items: readonly Volume[];
}

const [file = '', concurrency = ''] = process.argv.slice(2);
const at: Readonly<Record<'server' | 'ca' | 'token' | 'service' | 'sample', string>> = JSON.parse(
  readFileSync(file, 'utf8'),
);
const sample: Volume = JSON.parse(readFileSync(at.sample, 'utf8'));
const [connections, path] = [Number(concurrency), '/apis/holdfast.dev/v1alpha1/namespaces/bench/csivolumes'];
const cluster = new Pool(at.server, { connections, connect: { ca: at.ca } });
const scheduler = new Pool(at.service, { connections });
const bearer = { authorization: `Bearer ${at.token}` };
const auth = { 'accept-encoding': 'identity', 'X-Cluster-Token': token };

interface Call {
  readonly method: 'GET' | 'PUT' | 'PATCH';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: object;
  readonly expected?: number;
}

async function ask(pool: Pool, { body, expected = 200, headers, ...call }: Call): Promise<string> {
  const typed = body ? { 'content-type': 'application/json', ...headers } : headers;
  const reply = await pool.request({ ...call, headers: typed, body: body ? JSON.stringify(body) : null });
  const text = await reply.body.text();
  if (reply.statusCode !== expected) throw new Error(`${call.path}: ${reply.statusCode} ${text}`);
  return text;
}

const bytes = (gibibytes: string): number => Number(gibibytes.replace('Gi', '')) * 2 ** 30;

async function create({ metadata, spec }: Volume): Promise<void> {
  const { name, uid, resourceVersion } = metadata;
  const finalizers = ['holdfast.dev/finalizer'];
  const annotations = sample.metadata.annotations ?? {};
  const read = { method: 'GET', path: `/v1/volume/csi/${name}?namespace=default`, headers: auth } as const;
  await ask(scheduler, { ...read, expected: 404 });
  const held: Volume = JSON.parse(
    await ask(cluster, {
      method: 'PATCH',
      path: `${path}/${name}`,
      headers: { ...bearer, 'content-type': 'application/merge-patch+json' },
      body: { metadata: { resourceVersion, finalizers, annotations } },
    }),
  );
  const volume = {
    ID: name,
    Name: `${name}-00000000000000000000`,
    Namespace: 'default',
    PluginID: spec.pluginID,
    RequestedCapabilities: spec.capabilities.map(({ accessMode, attachmentMode }) => ({
      AccessMode: accessMode,
      AttachmentMode: attachmentMode,
    })),
    MountOptions: { FsType: spec.mountOptions.fsType, MountFlags: spec.mountOptions.mountFlags },
    Secrets: {},
    RequestedCapacityMin: bytes(spec.create.capacity.min),
    RequestedCapacityMax: bytes(spec.create.capacity.max),
    Parameters: spec.create.parameters,
  };
  const createPath = `/v1/volume/csi/${name}/create?namespace=default`;
  await ask(scheduler, { method: 'PUT', path: createPath, headers: auth, body: { Volumes: [volume] } });
  await ask(scheduler, read);
  const identity = { name, namespace: 'bench', uid, resourceVersion: held.metadata.resourceVersion };
  await ask(cluster, {
    method: 'PUT',
    path: `${path}/${name}/status`,
    headers: bearer,
    body: {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSIVolume',
      metadata: identity,
      status: sample.status,
    },
  });
}

const volumes: Volume[] = [];
let next: string | undefined;
do {
  const from = next === undefined ? '' : `&continue=${encodeURIComponent(next)}`;
  const page: Page = JSON.parse(
    await ask(cluster, { method: 'GET', path: `${path}?limit=500${from}`, headers: bearer }),
  );
  volumes.push(...page.items);
  next = page.metadata.continue;
} while (next !== undefined && next !== '');
for (const query of ['status/leader', 'volumes?type=csi&namespace=default&per_page=1', 'agent/self'])
  await ask(scheduler, { method: 'GET', path: `/v1/${query}`, headers: auth });
const left = volumes.values();
const work = async (): Promise<void> => {
  for (const volume of left) await create(volume);
};
await Promise.all(Array.from({ length: connections }, work));
await Promise.all([cluster.close(), scheduler.close()]);
