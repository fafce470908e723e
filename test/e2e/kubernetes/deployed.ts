// Holdfast as deploy/kustomize installs it: the program as a process, with the arguments of its Deployment and a token of its
// service account, so that it may do what its roles grant and nothing else.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { Holdfast } from '../../support/cli.ts';
import { eventually } from '../../support/poll.ts';
import { freePort } from '../../support/port.ts';
import type { Cluster } from './cluster.ts';
import { house, kubectl, patch } from './objects.ts';

const system = 'holdfast-system';
export const tenants = ['shop', 'blog'] as const;

export type Installation = 'base' | 'namespaced';

const deployment = z.looseObject({
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({ containers: z.tuple([z.looseObject({ args: z.array(z.string()) })]) }),
    }),
  }),
});

/** Applies the manifests; the overlay, which is for `shop`, for `blog`, too, as its comment says. */
export async function install(cluster: Cluster, installation: Installation): Promise<void> {
  for (const namespace of tenants) await kubectl(cluster, ['create', 'namespace', namespace]);
  await kubectl(cluster, ['apply', '-k', join(house, 'deploy/kustomize', installation)]);
  if (installation === 'base') return;
  const binding = readFileSync(join(house, 'deploy/kustomize/namespaced/shop.yaml'), 'utf8');
  await kubectl(cluster, ['apply', '-f', '-'], binding.replaceAll('shop', 'blog'));
}

export interface Installed {
  readonly process: Holdfast;
  /** Of the status page. */
  readonly url: string;
}

/** Starts a replica, and waits until it runs. It goes with the test. */
export async function start(
  cluster: Cluster,
  installation: Installation,
  cwd: string,
  more: readonly string[] = [],
): Promise<Installed> {
  const stored = await kubectl(cluster, ['get', '-n', system, 'deployment/holdfast', '-o', 'json']);
  const [{ args }] = deployment.parse(JSON.parse(stored)).spec.template.spec.containers;
  const port = await freePort();
  const listen = `--listen=[::]:${port}`; // several replicas, one machine
  const token = (await kubectl(cluster, ['create', 'token', 'holdfast', '-n', system])).trim();
  const kubeconfig = join(cwd, 'kubeconfig');
  writeFileSync(kubeconfig, JSON.stringify(kubeconfigOf(cluster, token)), { mode: 0o600 });
  const process = new Holdfast(
    [
      ...args.map((one) => (one.startsWith('--listen=') ? listen : one)),
      ...(installation === 'namespaced' ? ['--namespace=blog'] : []),
      `--kubeconfig=${kubeconfig}`,
      ...more,
    ],
    { cwd },
  );
  await process.says(/"msg":"running"/, 60_000);
  return { process, url: `http://127.0.0.1:${port}` };
}

const kubeconfigOf = ({ url, ca }: Cluster, token: string) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [
    {
      name: 'e2e',
      cluster: { server: url, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
    },
  ],
  users: [{ name: 'holdfast', user: { token } }],
  contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: 'holdfast', namespace: system } }],
  'current-context': 'e2e',
});

const condition = z.looseObject({
  type: z.string(),
  status: z.string(),
  reason: z.string(),
  message: z.string().default(''),
});
export const stored = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().exactOptional(),
    generation: z.number(),
    annotations: z.record(z.string(), z.string()).default({}),
  }),
  status: z.looseObject({
    observedGeneration: z.number().default(-1),
    conditions: z.array(condition).default([]),
    handledRequests: z.record(z.string(), z.string()).default({}),
  }),
});
export type Stored = z.infer<typeof stored>;

/** Waits until what was declared last was seen, and is ready, or not for that reason. */
export async function settled(cluster: Cluster, path: string, reason?: string): Promise<Stored> {
  let seen: unknown;
  const look = async () => {
    seen = (await cluster.call('GET', path)).body;
    const found = stored.safeParse(seen).data;
    if (!found || found.status.observedGeneration !== found.metadata.generation) return undefined;
    const ready = found.status.conditions.find(({ type }) => type === 'Ready');
    const is = reason === undefined ? ready?.status === 'True' : ready?.reason === reason;
    return is ? found : undefined;
  };
  return eventually(`${path} ${reason ?? 'ready'}`, look, {
    withinMs: 60_000,
    seen: () => JSON.stringify(seen).slice(-2_000),
  });
}

/** Changes an object as admin. @throws Error */
export async function edit(cluster: Cluster, path: string, body: object): Promise<void> {
  const said = await patch(cluster, 'admin', path, body);
  if (said !== 'done') throw new Error(`${path}: ${said}`);
}

export const annotate = (cluster: Cluster, path: string, annotations: Readonly<Record<string, string>>) =>
  edit(cluster, path, { metadata: { annotations } });

const awaiting = z.looseObject({ status: z.looseObject({ awaits: z.looseObject({ digest: z.string() }) }) });

/** Deletes an object, and waits until it is gone. @param connection approves that, where it has to */
export async function leave(cluster: Cluster, path: string, connection: string): Promise<void> {
  await cluster.call('DELETE', path);
  let approved = '';
  const look = async () => {
    const { status, body } = await cluster.call('GET', path);
    const digest = awaiting.safeParse(body).data?.status.awaits.digest ?? '';
    if (digest !== approved) await annotate(cluster, connection, { 'holdfast.dev/approve': digest });
    approved = digest;
    return status === 404;
  };
  await eventually(`${path} is gone`, look, { withinMs: 60_000 });
}
