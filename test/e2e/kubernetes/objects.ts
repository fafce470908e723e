// The objects of the quickstart on a cluster, and who writes to them.
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { group } from '../../../src/schema/declaration.ts';
import type { Cluster } from './cluster.ts';

export const house = resolve(import.meta.dirname, '../../..');
export const base = join(house, 'deploy/kustomize/base');

/** The user that Holdfast's account is to Kubernetes. */
export const operator = 'system:serviceaccount:holdfast-system:holdfast';

const api = `/apis/${group}/v1alpha1`;
export const volumes = `${api}/namespaces/shop/csivolumes`;
export const paths = {
  volume: `${volumes}/orders`,
  config: `${api}/namespaces/shop/ldapconfigs/directory`,
  role: `${api}/namespaces/shop/ldapstaticroles/web`,
  connection: `${api}/schedulerconnections/local`,
} as const;

export const held = { metadata: { finalizers: ['holdfast.dev/finalizer'] } };
export const released = { metadata: { finalizers: null } };

/** @throws Error for what kubectl says besides its answer: warnings, too */
export async function kubectl(cluster: Cluster, args: readonly string[], input = ''): Promise<string> {
  const { code, stdout, stderr } = await cluster.kubectl(args, { input });
  if (code === 0 && stderr === '') return stdout;
  throw new Error(`kubectl ${args.join(' ')}: ${code}: ${stderr}${stdout}`);
}

/** The namespace `shop` has to be there. */
export async function applyQuickstart(cluster: Cluster): Promise<void> {
  for (const file of ['connection', 'credentials', 'volumes/orders']) {
    await kubectl(cluster, ['apply', '-f', join(house, `examples/quickstart/${file}.yaml`)]);
  }
}

const message = z.looseObject({ message: z.string() });

/** @returns `done`, or why not */
export async function patch(cluster: Cluster, user: string, path: string, body: object): Promise<string> {
  const contentType = 'application/merge-patch+json';
  const reply = await cluster.call('PATCH', path, { user, body, contentType });
  return reply.status === 200 ? 'done' : message.parse(reply.body).message;
}

const apiGroup = 'rbac.authorization.k8s.io';

/** A binding of a ClusterRole. @param namespace none: for the whole cluster */
export const bound = (user: string, name: string, namespace?: string) => ({
  apiVersion: `${apiGroup}/v1`,
  kind: namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: { name: `${user}-${name}`, ...(namespace !== undefined && { namespace }) },
  roleRef: { apiGroup, kind: 'ClusterRole', name },
  subjects: [{ apiGroup, kind: 'User', name: user }],
});
