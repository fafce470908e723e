// What left a connection, in its status: it counts for an hour, whoever leads by then and whatever clocks do.
import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Written } from '../../../src/api/kubernetes/options.ts';
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import { isJsonMap, type JsonMap } from '../../../src/core/json.ts';
import type { Json } from '../../../src/core/secret.ts';
import { RecentDeletions } from '../../../src/sources/kubernetes/recent-deletions.ts';
import { Store } from '../../../src/sources/kubernetes/store.ts';
import { recentDeletionsOf } from '../../../src/sources/kubernetes/wire.ts';
import { ManualClock } from '../../web/fake-view.ts';
import { sent } from './objects.ts';

const nomad = 'SchedulerConnection/nomad';
const of = { kind: 'SchedulerConnection', namespace: '' };
const minuteMs = 60_000;
const hoursMs = (hours: number): number => hours * 60 * minuteMs;

/** The connection, as the API server has it. */
class Server {
  object: KubernetesObject | undefined;
  patches = 0;
  /** Another writes it first, so often. */
  rivals = 0;
  /** Nobody hears of what is written. */
  isUnheard = false;
  /** No answer before that. */
  answer: Promise<void> = Promise.resolve();
  readonly #listeners: ((object: KubernetesObject) => void)[] = [];

  constructor() {
    this.#set({ identity: 'x' });
  }

  listen(heard: (object: KubernetesObject) => void): void {
    this.#listeners.push(heard);
    if (this.object) heard(this.object);
  }

  get stored(): readonly string[] {
    return recentDeletionsOf(this.object?.['status']).map(({ key }) => key);
  }

  /** Another writes the status, as the engine does. */
  write(status: JsonMap = { identity: 'y' }): void {
    this.#set({ ...this.#status, ...status });
  }

  readonly client = {
    get: async () => this.object,
    patch: async (
      _: unknown,
      _at: unknown,
      body: Json,
      options?: { readonly subresource?: string },
    ): Promise<Written> => {
      this.patches += 1;
      await this.answer;
      if (!this.object) return { is: 'absent' };
      if (this.rivals-- > 0) this.write();
      const { metadata, status } = isJsonMap(body) ? body : {};
      const isCurrent =
        isJsonMap(metadata) && metadata['resourceVersion'] === this.object.metadata.resourceVersion;
      if (!isCurrent) return { is: 'conflict' };
      this.write(isJsonMap(status) && options?.subresource === 'status' ? status : {});
      return { is: 'done', object: this.object };
    },
  };

  get #status(): JsonMap {
    const status = this.object?.['status'];
    return isJsonMap(status) ? status : {};
  }

  #set(status: Json): void {
    const version = Number(this.object?.metadata.resourceVersion ?? 10) + 1;
    this.object = sent({ version, name: 'nomad', namespace: '', uid: 'c1', status });
    for (const heard of this.isUnheard ? [] : this.#listeners) heard(this.object);
  }
}

/** @param at how far its date is from the others' */
function process(server: Server, clock: ManualClock, at = { aheadMs: 0 }) {
  const store = new Store({ validate: () => undefined, notify: () => {}, onDeletion: () => {} });
  server.listen((object) => store.changed(of.kind, object));
  const recentDeletions = new RecentDeletions({
    client: server.client,
    store,
    resourceOf: () => ({
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: of.kind,
      plural: 'schedulerconnections',
      namespaced: false,
    }),
    clock: { nowMs: clock.nowMs, wallMs: () => clock.wallMs() + at.aheadMs },
  });
  return {
    store,
    record: (...keys: readonly string[]) =>
      Promise.all(keys.map((key) => recentDeletions.record(nomad, key))),
    get keys() {
      return recentDeletions.keys(nomad).toSorted();
    },
  };
}

describe('what left a connection', () => {
  test('counts for an hour, also after a restart', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    await process(server, clock).record('a');
    clock.advance(30 * minuteMs);
    const next = process(server, clock);
    await next.record('b');
    expect(next.keys).toEqual(['a', 'b']);
    clock.advance(30 * minuteMs);
    expect(next.keys).toEqual(['b']);
    clock.advance(30 * minuteMs);
    expect([next.keys, process(server, clock).keys]).toEqual([[], []]);
  });

  test('is taken out of the status with the next that leaves', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    await one.record('a');
    clock.advance(60 * minuteMs);
    await one.record('b');
    expect(server.stored).toEqual(['b']);
  });

  test('is known to a process that stands by, and to both once the other leads', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const [a, b] = [process(server, clock), process(server, clock)];
    await a.record('x');
    expect(b.keys).toEqual(['x']);
    await b.record('y');
    expect([a.keys, b.keys, server.stored]).toEqual([
      ['x', 'y'],
      ['x', 'y'],
      ['x', 'y'],
    ]);
  });

  test('counts once, from when it left last', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    await one.record('a');
    clock.advance(40 * minuteMs);
    await one.record('a');
    clock.advance(40 * minuteMs);
    expect(one.keys).toEqual(['a']);
    expect(process(server, clock).keys).toEqual(['a']);
  });

  test('is stored in the order in which it left', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    for (const key of ['a', 'b', 'c', 'a']) {
      await one.record(key);
      clock.advance(1_000);
    }
    expect(server.object?.['status']).toMatchObject({
      recentDeletions: ['b', 'c', 'a'].map((key) => ({ key })),
    });
  });

  test('is nothing where there is no such connection', () => {
    const server = new Server();
    server.object = undefined;
    expect(process(server, new ManualClock()).keys).toEqual([]);
  });
});

describe('a clock', () => {
  test.for([-3, -1, 1, 3])('that is set by %s hours changes nothing for who saw it leave', async (hours) => {
    const [server, clock, at] = [new Server(), new ManualClock(), { aheadMs: 0 }];
    const one = process(server, clock, at);
    await one.record('a');
    at.aheadMs = hoursMs(hours);
    server.write(); // the status is read again
    clock.advance(59 * minuteMs);
    expect(one.keys).toEqual(['a']);
    server.write({ identity: 'z' });
    expect(one.keys).toEqual(['a']);
    clock.advance(minuteMs);
    expect(one.keys).toEqual([]);
  });

  test('of another process that is behind lets it count longer there, never from later than it heard of it', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    await process(server, clock).record('a');
    const behind = process(server, clock, { aheadMs: -hoursMs(3) });
    expect(behind.keys).toEqual(['a']);
    clock.advance(60 * minuteMs);
    expect(behind.keys).toEqual([]);
  });

  test('that says nothing in what another has written makes it count for nothing', () => {
    const [server, clock] = [new Server(), new ManualClock()];
    server.write({ recentDeletions: [{ key: 'a', at: 'some day' }] });
    expect(process(server, clock).keys).toEqual([]);
  });
});

describe('writing it', () => {
  test('takes one request for all that leave while another is on its way, and each waits for its own', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    const gate = Promise.withResolvers<void>();
    server.answer = gate.promise;
    const first = one.record('a');
    await setImmediate();
    let isRecorded = false;
    const keys = Array.from({ length: 100 }, (_, at) => `k${at}`);
    const rest = one.record(...keys).then(() => (isRecorded = true));
    await setImmediate();
    expect([server.patches, isRecorded]).toEqual([1, false]);
    gate.resolve();
    await Promise.all([first, rest]);
    expect(server.patches).toBe(2);
    expect(server.stored).toEqual(['a', ...keys]);
  });

  test('is repeated where somebody else wrote the connection meanwhile', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    server.rivals = 3;
    await one.record('a');
    expect(server.stored).toEqual(['a']);
    expect(server.object?.['status']).toMatchObject({ identity: 'y' });
    server.rivals = 1;
    server.isUnheard = true; // it is asked
    await one.record('b');
    expect(server.stored).toEqual(['a', 'b']);
  });

  test('is not repeated without end', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    server.rivals = Infinity;
    await expect(process(server, clock).record('a')).rejects.toMatchObject({
      class: 'unavailable',
      reason: 'ClusterUnavailable',
      message: `${nomad} is written by others all the time`,
    });
    expect(server.patches).toBe(8);
  });

  test('that arrives late takes nothing back that was recorded since', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const [late, next] = [process(server, clock), process(server, clock)];
    const gate = Promise.withResolvers<void>();
    server.answer = gate.promise;
    const arrives = late.record('late');
    await setImmediate();
    server.answer = Promise.resolve();
    await next.record('a');
    gate.resolve();
    await arrives;
    expect(new Set(server.stored)).toEqual(new Set(['a', 'late']));
  });

  test('is left where the connection is gone: its limits went with it, and what left has to be let go', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    server.object = undefined; // nobody said so yet
    await one.record('a');
    expect(one.store.get(nomad)).toBeUndefined();
    await one.record('b');
    expect(server.patches).toBe(1);
  });

  test('fits into what etcd takes: the newest count', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    const keys = Array.from(
      { length: 12_000 },
      (_, at) => `CSIVolume/${'n'.repeat(63)}/${'v'.repeat(200)}-${at}`,
    );
    for (let from = 0; from < keys.length; from += 3_000) {
      await one.record(...keys.slice(from, from + 3_000));
      clock.advance(1_000);
    }
    await one.record('last');
    expect(JSON.stringify(server.object).length).toBeLessThan(2 ** 20);
    expect(server.stored.length).toBeGreaterThan(1_000);
    expect(server.stored.at(-1)).toBe('last');
  });

  test('fits into what the definition allows', async () => {
    const [server, clock] = [new Server(), new ManualClock()];
    const one = process(server, clock);
    await one.record(...Array.from({ length: 10_001 }, (_, at) => `${at}`));
    expect(server.stored).toHaveLength(10_000);
  });
});
