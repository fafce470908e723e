// Composes an operator over a cluster: the client of its API server, a lease, its source, and an engine over them.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { EffectGate } from '../../api/effect.ts';
import { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { ClusterConfig } from '../../api/kubernetes/options.ts';
import { tokensOf } from '../../api/kubernetes/token-request.ts';
import { namespacesOf } from '../../api/kubernetes/resources.ts';
import { backoffMs } from '../../core/time/backoff.ts';
import { sleep } from '../../core/time/clock.ts';
import { ApiError, messageOf } from '../../core/errors.ts';
import { keyText } from '../../core/resource.ts';
import { EventRecorder } from '../../sources/kubernetes/events.ts';
import { Lease } from '../../sources/kubernetes/lease.ts';
import { preflight } from '../../sources/kubernetes/preflight.ts';
import { KubernetesSource, type Leadership } from '../../sources/kubernetes/source.ts';
import type { Authorize } from '../../web/authorize.ts';
import { systemClock } from '../clock.ts';
import { clusterAccess } from './access.ts';
import { clusterConfig, type ConfigOptions } from './config.ts';
import { eventsOf } from './events.ts';
import { RefusedWrites } from './refused-writes.ts';
import { prepareEngine, type Engine, type EngineOptions } from '../engine.ts';
import { problemOf, relatedKinds, resources } from '../kinds/lookup.ts';

export interface LeaseAt {
  readonly name: string;
  /** Absent: the namespace of the pod or of the context. */
  readonly namespace?: string;
}

export interface KubernetesOperatorOptions extends Omit<EngineOptions, 'measured' | 'dispatcherOf'> {
  /** Where the cluster is, or what is known of it already. */
  readonly cluster: ConfigOptions | ClusterConfig;
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[];
  /** Selects declared objects by label. */
  readonly selector?: string;
  /** Absent: this is the only process that may act on the cluster. */
  readonly lease?: LeaseAt;
  /** Called once when something in the cluster can't be used, and once, with `undefined`, when it can again. */
  readonly onTrouble: (about: string, message: string | undefined) => void;
  readonly onLeading: (leading: boolean) => void;
  /** Called when the cluster was put back to an earlier state. What this process knows is of the later one. */
  readonly onRestored?: (message: string) => void;
}

export interface KubernetesOperator extends Engine {
  readonly source: KubernetesSource;
  /** What the cluster lacks for this operator; empty: nothing. @throws ApiError */
  missing(): Promise<readonly string[]>;
  /** Whether the cluster knows a token and lets its bearer `get` a path. */
  readonly authorize: Authorize;
  /** Begins to compete for the lease. */
  lead(): void;
  close(): Promise<void>;
}

const random = (): number => Math.random();
const clocks = { clock: systemClock, wallMs: systemClock.wallMs };
const alone: Leadership = { leading: true, fence() {} };
const graceMs = 10_000;
const ofKinds = { resources, validate: problemOf, related: relatedKinds };

/** @throws UsageError if there is no cluster, or the selector can't be read */
export async function openKubernetesOperator(
  options: KubernetesOperatorOptions,
): Promise<KubernetesOperator> {
  const { cluster, namespaces, selector, onTrouble, onLeading, onRestored } = options;
  const config = 'server' in cluster ? cluster : await clusterConfig(cluster);
  const { dispatcherOf } = config;
  const identity = `${hostname()}_${randomUUID()}`;
  // A process must be able to write the lease before it leads. Events destroy nothing, so they need no fence either.
  const unfenced = new KubernetesClient(config, new EffectGate(systemClock), systemClock.nowMs);
  const recorder = new EventRecorder({
    client: unfenced,
    ...clocks,
    instance: identity,
    trouble: (message) => onTrouble('events', message),
  });
  const { gate, graph, over } = prepareEngine({
    ...options,
    ...eventsOf(recorder, { read: (key) => source.read(key) }, options),
    measured: options.watch && !dispatcherOf,
    ...(dispatcherOf && { dispatcherOf }),
  });
  const client = new KubernetesClient(config, gate, systemClock.nowMs);
  const lease = options.lease && leaseOf(options.lease);
  const source: KubernetesSource = new KubernetesSource({
    client,
    ...ofKinds,
    namespaces,
    ...(selector !== undefined && { labelSelector: selector }),
    leadership: lease ?? alone,
    clock: systemClock,
    random,
    newID: randomUUID,
    connectionOf: (key) => graph.get(keyText(key))?.connection,
    onTrouble,
    writes: new RefusedWrites({ recorder, read: (key) => source.read(key), trouble: onTrouble }),
  });
  const engine = over(source, { approvals: source, sync: source.sync, requestToken: tokensOf(client) });

  function leaseOf({ name, namespace = config.namespace }: LeaseAt): Lease {
    return new Lease({
      client: unfenced,
      at: { namespace, name },
      identity,
      ...clocks,
      random,
      trouble: (message) => onTrouble(`lease ${namespace}/${name}`, message),
      ...(onRestored && { onRestored }),
      onChange(leading) {
        onLeading(leading);
        if (leading) source.resume();
      },
    });
  }

  return {
    ...engine,
    source,
    missing: preflight(client, [...resources.values()], (one) => namespacesOf(one, namespaces)),
    authorize: clusterAccess(unfenced, systemClock.nowMs, (text) => onTrouble('tokens of readers', text)),
    lead: () => lease?.start(),
    async close() {
      const sinceMs = systemClock.nowMs();
      await engine.controller.stop(graceMs);
      await recorder.stop();
      await lease?.stop(systemClock.nowMs() - sinceMs < graceMs); // from now on another process may act
      await Promise.all([client.close(), unfenced.close()]);
    },
  };
}

/** Resolves when the cluster has what the operator needs, or the signal aborts. */
export async function waitForCluster(
  operator: Pick<KubernetesOperator, 'missing'>,
  report: (missing: readonly string[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let before = '';
  for (let attempt = 1; !signal.aborted; attempt++) {
    const missing = await operator.missing().catch((error: unknown) => {
      if (error instanceof ApiError) return [messageOf(error)];
      throw error;
    });
    if (missing.length === 0) return;
    const now = missing.join('\n');
    if (now !== before) report(missing);
    before = now;
    await sleep(systemClock, backoffMs(attempt, Math.random(), { baseMs: 1_000, capMs: 30_000 }), signal);
  }
}
