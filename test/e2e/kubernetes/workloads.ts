// Workloads of Kubernetes, as people declare them.
import type { Workload } from '../../../src/core/effect.ts';
import type { Cluster } from './cluster.ts';

/** As far as tests look at it. */
export interface DeclaredWorkload {
  readonly metadata: { readonly generation: number; readonly resourceVersion: string };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
}

const collection = (namespace: string, kind: Workload['kind']): string =>
  `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s`;

export const pathOfWorkload = (namespace: string, { kind, name }: Workload): string =>
  `${collection(namespace, kind)}/${name}`;

/** @param annotations of its pod template. @throws Error */
export async function declareWorkload(
  cluster: Cluster,
  namespace: string,
  { kind, name }: Workload,
  annotations: Readonly<Record<string, string>> = {},
): Promise<void> {
  const body = {
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      ...(kind === 'StatefulSet' && { serviceName: name }),
      template: {
        metadata: { labels: { app: name }, annotations },
        spec: { containers: [{ name: 'app', image: 'app' }] },
      },
    },
  };
  const { status } = await cluster.call('POST', collection(namespace, kind), { body });
  if (status !== 201) throw new Error(`${kind} ${name}: ${status}`);
}
