// Workloads of Kubernetes, as people declare them.
import type { Workload } from '../../../src/core/effect.ts';

export const pathOfWorkload = (namespace: string, { kind, name }: Workload): string =>
  `/apis/apps/v1/namespaces/${namespace}/${kind.toLowerCase()}s/${name}`;

/** @param annotations of its pod template */
export const declaredWorkload = (
  { kind, name }: Workload,
  annotations: Readonly<Record<string, string>> = {},
) => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name, generation: 0, resourceVersion: '' },
  spec: {
    selector: { matchLabels: { app: name } },
    ...(kind === 'StatefulSet' && { serviceName: name }),
    template: {
      metadata: { labels: { app: name }, annotations },
      spec: { containers: [{ name: 'app', image: 'app' }] },
    },
  },
});
