// Manifests for tests: small maps made into YAML, in a tree of their own.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { stringify } from 'yaml';
import { serviceToken, type Service } from './service.ts';

export type Spec = Readonly<Record<string, unknown>>;

const apiVersion = 'holdfast.dev/v1alpha1';
const writer = [{ accessMode: 'single-node-writer', attachmentMode: 'file-system' }];

export const installation = (name = 'test'): Spec => ({
  apiVersion,
  kind: 'Installation',
  metadata: { name },
});

/** `stringData` as a Secret. */
export const secret = (
  namespace: string,
  name: string,
  stringData: Readonly<Record<string, string>>,
): Spec => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace,
    name,
  },
  stringData,
});

const tokenSecretRef = { namespace: 'system', name: 'scheduler', key: 'token' };

/** A connection that everybody may use and that limits no deletions, unless said otherwise; its name is `main`. */
export const connection = ({ url, dialect }: Pick<Service, 'url' | 'dialect'>, more: Spec = {}): Spec => ({
  apiVersion,
  kind: 'SchedulerConnection',
  metadata: { name: 'main' },
  spec: {
    addresses: [url],
    dialect,
    ...(url !== 'embedded' && { auth: { tokenSecretRef } }),
    access: [{ namespaces: ['*'] }],
    limits: {
      deletions: {
        perHour: 1e6,
        percent: 100,
      },
    },
    ...more,
  },
});

/** A volume of 1 GiB on `hostpath` that is created, unless `spec` says otherwise. */
export const volume = (name: string, spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'CSIVolume',
  metadata: {
    namespace: 'shop',
    name,
  },
  spec: {
    connectionRef: { name: 'main' },
    pluginID: 'hostpath',
    capabilities: writer,
    ...('register' in spec ? {} : { create: { capacity: { min: '1Gi' } } }),
    ...spec,
  },
});

/** A snapshot of the volume `data`, unless `spec` says otherwise. */
export const snapshot = (name: string, spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'CSISnapshot',
  metadata: {
    namespace: 'shop',
    name,
  },
  spec: {
    connectionRef: { name: 'main' },
    ...('volumeID' in spec || 'snapshotID' in spec ? {} : { volumeRef: { name: 'data' } }),
    ...spec,
  },
});

/** An action on the allocations of the job `shop`: a stop, unless `spec` says otherwise. */
export const action = (name: string, spec: Spec = {}): Spec => ({
  apiVersion,
  kind: 'AllocationAction',
  metadata: {
    namespace: 'shop',
    name,
  },
  spec: {
    connectionRef: { name: 'main' },
    selector: { job: 'shop' },
    action: { stop: { noShutdownDelay: true } },
    ...spec,
  },
});

/** A tree of manifests that can be edited. */
export class Tree {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
    mkdirSync(path, { recursive: true });
  }

  /** Writes documents, or the text as it stands, into a file. */
  put(file: string, ...documents: readonly (Spec | string | Buffer)[]): void {
    const path = join(this.path, file);
    mkdirSync(dirname(path), { recursive: true });
    const [first] = documents;
    if (Buffer.isBuffer(first)) return writeFileSync(path, first);
    writeFileSync(path, documents.map((d) => (typeof d === 'string' ? d : stringify(d))).join('---\n'));
  }

  /** Whether or not it is there. */
  remove(file: string): void {
    rmSync(join(this.path, file), { recursive: true, force: true });
  }

  /** The installation, and a connection to that service. */
  connect(service: Pick<Service, 'url' | 'dialect'>, more: Spec = {}): this {
    this.put('holdfast.yaml', installation());
    this.put(
      'connection.yaml',
      connection(service, more),
      secret('system', 'scheduler', { token: serviceToken }),
    );
    return this;
  }
}
