// The input of the convergence benchmark: a tree of n volumes with one connection, as a person would write it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the benchmark's scheduler asks for, and the connection gives. */
export const token = 'bench';
/** As many as the operator ever has under way (src/api/scheduler/client.ts). */
export const requestsAtOnce = 56;

export interface Tree {
  readonly directory: string;
  readonly volumes: number;
  readonly volumesPerFile: number;
}

const installation = `apiVersion: holdfast.dev/v1alpha1
kind: Installation
metadata:
  name: bench
`;

const connection = (address: string): string => `apiVersion: holdfast.dev/v1alpha1
kind: SchedulerConnection
metadata:
  name: bench
spec:
  addresses: [${address}]
  dialect: cluster
  auth:
    tokenSecretRef: { namespace: bench, name: scheduler, key: token }
  access:
    - namespaces: [bench]
  limits: { maxConcurrent: ${requestsAtOnce} }
---
apiVersion: v1
kind: Secret
metadata:
  name: scheduler
  namespace: bench
stringData:
  token: ${token}
`;

const volume = (number: number): string => `apiVersion: holdfast.dev/v1alpha1
kind: CSIVolume
metadata:
  name: volume-${String(number).padStart(6, '0')}
  namespace: bench
spec:
  connectionRef: { name: bench }
  pluginID: disk
  create:
    capacity: { min: 10Gi, max: 20Gi }
    parameters: { type: gp3 }
  capabilities:
    - { accessMode: single-node-writer, attachmentMode: file-system }
  mountOptions:
    fsType: ext4
    mountFlags: [noatime]
`;

/** Writes all of the tree but its connection. */
export function writeTree({ directory, volumes, volumesPerFile }: Tree): void {
  const folder = join(directory, 'volumes');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(directory, 'holdfast.yaml'), installation);
  for (let first = 0; first < volumes; first += volumesPerFile) {
    const count = Math.min(volumesPerFile, volumes - first);
    const documents = Array.from({ length: count }, (_, i) => volume(first + i));
    writeFileSync(join(folder, `${String(first).padStart(6, '0')}.yaml`), documents.join('---\n'));
  }
}

/** The same as documents, without the installation. */
export const manifestsOf = (volumes: number, address: string): readonly string[] => [
  connection(address),
  ...Array.from({ length: volumes }, (_, i) => volume(i)),
];

/** Points the tree at a server. */
export function connectTree({ directory }: Tree, address: string): void {
  writeFileSync(join(directory, 'connection.yaml'), connection(address));
}
