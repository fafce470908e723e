// The client of the API server, as the program makes it, for one user of a cluster.
import { KubernetesClient } from '../../../src/api/kubernetes/client.ts';
import { EffectGate, type GateOptions } from '../../../src/api/effect.ts';
import { Secret } from '../../../src/core/secret.ts';
import type { Cluster } from './cluster.ts';

const nowMs = () => performance.now();

interface Reached {
  /** Instead of the API server itself, such as a proxy. */
  readonly server?: string;
  readonly user?: string;
  /** Nobody is logged in before this resolves. */
  readonly login?: Promise<void>;
  readonly gate?: Partial<GateOptions>;
}

export function clientOf(
  cluster: Pick<Cluster, 'url' | 'ca' | 'tokenOf'>,
  { server = cluster.url, user = 'admin', login, gate }: Reached = {},
): KubernetesClient {
  const authorization = Secret.of(user, '1', `Bearer ${cluster.tokenOf(user)}`);
  const headers = async () => {
    await login;
    return { authorization };
  };
  return new KubernetesClient(
    { server, tls: { ca: Secret.of('ca', '1', cluster.ca) }, namespace: 'default', headers },
    new EffectGate({ nowMs, ...gate }),
    nowMs,
  );
}
