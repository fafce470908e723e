// The floor of the convergence benchmark: it parses the same files with the same parser and makes the same requests, as
// many at once, with nothing in between: no schema, plan, state, retry, deadline or report. The benchmark checks that
// the server saw the same of both. Arguments: the tree, how many requests at once.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Pool } from 'undici';
import { parseAllDocuments } from 'yaml';

type Texts<Names extends string> = Readonly<Record<Names, string>>;

/** The parts of the manifests of input.ts that requests are made of. */
interface Manifest {
  readonly kind: string;
  readonly metadata: Texts<'name'>;
  readonly stringData: Texts<'token'>;
  readonly spec: {
    readonly addresses: readonly [string];
    readonly pluginID: string;
    readonly create: { readonly capacity: Texts<'min' | 'max'>; readonly parameters: object };
    readonly capabilities: readonly Texts<'accessMode' | 'attachmentMode'>[];
    readonly mountOptions: { readonly fsType: string; readonly mountFlags: readonly string[] };
  };
}

const [directory = '', concurrency = ''] = process.argv.slice(2);
const entries = readdirSync(directory, { recursive: true, encoding: 'utf8' });
const files = entries.filter((entry) => entry.endsWith('.yaml'));
const manifests = files.flatMap((file): readonly Manifest[] => {
  const documents = parseAllDocuments(readFileSync(join(directory, file), 'utf8'));
  return Array.from(documents, (document) => document.toJS());
});
const connection = manifests.find(({ kind }) => kind === 'SchedulerConnection');
const secret = manifests.find(({ kind }) => kind === 'Secret');
const volumes = manifests.filter(({ kind }) => kind === 'CSIVolume').values();

const pool = new Pool(connection?.spec.addresses[0] ?? '', { connections: Number(concurrency) });
const auth = { 'accept-encoding': 'identity', 'X-Cluster-Token': secret?.stringData.token ?? '' };
const withBody = { ...auth, 'content-type': 'application/json' };
const capability = ({ accessMode, attachmentMode }: Texts<'accessMode' | 'attachmentMode'>): object => ({
  AccessMode: accessMode,
  AttachmentMode: attachmentMode,
});
const bytes = (gibibytes: string): number => Number(gibibytes.replace('Gi', '')) * 2 ** 30;

async function ask(expected: number, path: string, put?: object): Promise<void> {
  const { statusCode, body } = put
    ? await pool.request({ method: 'PUT', path, headers: withBody, body: JSON.stringify(put) })
    : await pool.request({ method: 'GET', path, headers: auth });
  const text = await body.text();
  if (statusCode !== expected) throw new Error(`${path}: ${statusCode} ${text}`);
}

async function create({ metadata: { name }, spec }: Manifest): Promise<void> {
  const path = `/v1/volume/csi/${name}`;
  const volume = {
    ID: name,
    Name: `${name}-00000000000000000000`,
    Namespace: 'default',
    PluginID: spec.pluginID,
    RequestedCapabilities: spec.capabilities.map(capability),
    MountOptions: { FsType: spec.mountOptions.fsType, MountFlags: spec.mountOptions.mountFlags },
    Secrets: {},
    RequestedCapacityMin: bytes(spec.create.capacity.min),
    RequestedCapacityMax: bytes(spec.create.capacity.max),
    Parameters: spec.create.parameters,
  };
  await ask(404, `${path}?namespace=default`);
  await ask(200, `${path}/create?namespace=default`, { Volumes: [volume] });
  await ask(200, `${path}?namespace=default`);
}

async function work(): Promise<void> {
  for (const volume of volumes) await create(volume); // one iterator for all: each volume is taken once
}

for (const path of ['status/leader', 'volumes?type=csi&namespace=default&per_page=1', 'agent/self'])
  await ask(200, `/v1/${path}`);
await Promise.all(Array.from({ length: Number(concurrency) }, work));
await pool.close();
