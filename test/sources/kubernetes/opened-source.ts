// A source over an API server of a test.
import { onTestFinished } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import { KubernetesSource, type KubernetesSourceOptions } from '../../../src/sources/kubernetes/source.ts';

type Given = Partial<Omit<KubernetesSourceOptions, 'resources' | 'client'>> &
  Pick<KubernetesSourceOptions, 'clock'> & { readonly resources: readonly Resource[] };

/** Its process leads. It is stopped with the test. */
export function sourceOn(server: string, { resources, clock, ...others }: Given): KubernetesSource {
  const config = { server, namespace: 'default', headers: async () => ({}) };
  const client = new KubernetesClient(config, new EffectGate({ nowMs: clock.nowMs }), clock.nowMs);
  onTestFinished(() => client.close()); // after the source has stopped
  const source = new KubernetesSource({
    client,
    resources: new Map(resources.map((one) => [one.kind, one])),
    namespaces: [],
    validate: () => undefined,
    leadership: { leading: true, fence: () => {} },
    clock,
    random: () => 0.5,
    newID: () => 'i1',
    connectionOf: () => undefined,
    related: (kind) => [kind],
    onTrouble: () => {},
    ...others,
  });
  onTestFinished(() => source.stop());
  return source;
}
