// Processes that stand for election, on a clock that the test turns: the requests are real, the seconds are not.
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { EffectInfo } from '../../../src/core/effect.ts';
import { leases } from '../../../src/api/kubernetes/resources.ts';
import { Lease } from '../../../src/sources/kubernetes/lease.ts';
import { eventually } from '../../support/poll.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { clientOf } from './client.ts';
import type { Cluster } from './cluster.ts';

const stepMs = 500;

export interface CandidateOptions {
  readonly name: string;
  readonly server?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly wallMs?: () => number;
  /** Nobody is logged in before this resolves. */
  readonly login?: Promise<void>;
}

class Candidate {
  readonly lease: Lease;
  readonly changes: boolean[] = [];
  readonly troubles: (string | undefined)[] = [];
  /** Time that has passed, and for which no timer was called yet. */
  stalledMs = 0;
  #underway = 0;

  constructor(cluster: Cluster, at: string, clock: ManualClock, options: CandidateOptions) {
    const { name, namespace = 'default', wallMs = clock.wallMs, ...reached } = options;
    const client = clientOf(cluster, {
      ...reached,
      gate: {
        fault: (_: EffectInfo, phase) => void (this.#underway += phase === 'before' ? 1 : 0),
        onEffect: () => void (this.#underway -= 1),
      },
    });
    this.lease = new Lease({
      client,
      at: { namespace, name: at },
      identity: name,
      clock: { nowMs: () => clock.nowMs() + this.stalledMs, setTimer: clock.setTimer },
      wallMs,
      random: () => 0.5,
      onChange: (leading) => this.changes.push(leading),
      trouble: (message) => this.troubles.push(message),
    });
    onTestFinished(async () => {
      void this.lease.stop();
      await client.close();
    });
  }

  get isIdle(): boolean {
    return this.#underway === 0;
  }

  /** What the gate of the engine would ask before a write. */
  get mayWrite(): boolean {
    try {
      this.lease.fence();
      return true;
    } catch {
      return false;
    }
  }
}

export class Election {
  readonly #cluster: Cluster;
  readonly #clock = new ManualClock();
  readonly #all: Candidate[] = [];
  readonly #at: string;

  constructor(cluster: Cluster, at: string) {
    this.#cluster = cluster;
    this.#at = at;
  }

  async enter(options: CandidateOptions): Promise<Candidate> {
    const candidate = new Candidate(this.#cluster, this.#at, this.#clock, options);
    this.#all.push(candidate);
    candidate.lease.start();
    await this.quiet();
    return candidate;
  }

  /** Lets time pass, step by step, and lets everybody finish at each. @throws Error if two may write at once */
  async pass(ms: number, { hanging = [] }: { readonly hanging?: readonly Candidate[] } = {}): Promise<void> {
    for (let left = ms; left > 0; left -= stepMs) {
      this.#clock.advance(Math.min(stepMs, left));
      await this.quiet(hanging);
      const writers = this.#all.filter((one) => one.mayWrite);
      if (writers.length > 1) throw new Error('two lead at once');
    }
  }

  /** Resolves when nobody waits for an answer, but those who get none. */
  async quiet(hanging: readonly Candidate[] = []): Promise<void> {
    const isQuiet = () => this.#all.every((one) => one.isIdle || hanging.includes(one));
    for (let turn = 0; turn < 3; turn++) {
      await eventually('all requests are answered', isQuiet);
      await setImmediate();
    }
  }

  async read(): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { status, body } = await this.#call('GET');
    // oxlint-disable-next-line no-unsafe-type-assertion -- as the API server answers
    return status === 404 ? undefined : (body as { spec: Record<string, unknown> }).spec;
  }

  async change(patch: Readonly<Record<string, unknown>>): Promise<void> {
    const { status } = await this.#call('PATCH', patch);
    if (status !== 200) throw new Error(`the Lease was not changed: ${status}`);
  }

  async create(spec: Readonly<Record<string, unknown>>): Promise<void> {
    const { apiVersion, kind } = leases;
    const body = { apiVersion, kind, metadata: { name: this.#at }, spec };
    const path = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const { status } = await this.#cluster.call('POST', path, { body });
    if (status !== 201) throw new Error(`the Lease was not created: ${status}`);
  }

  async delete(): Promise<void> {
    await this.#call('DELETE');
  }

  #call(method: 'GET' | 'PATCH' | 'DELETE', body?: unknown): ReturnType<Cluster['call']> {
    const path = `/apis/coordination.k8s.io/v1/namespaces/default/leases/${this.#at}`;
    const contentType = 'application/merge-patch+json';
    return this.#cluster.call(method, path, body === undefined ? {} : { body, contentType });
  }
}
