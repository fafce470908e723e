// A small world for visits: a source in memory, two connections, and kinds of every distance to them. What is sent is
// noted; the engine around it is the real one.
import { Connections, type Service } from '../../src/controller/connections.ts';
import { Deletions } from '../../src/controller/deletions.ts';
import { Graph } from '../../src/controller/graph.ts';
import { Owners } from '../../src/controller/owners.ts';
import { reconcile, type Ports, type Visit } from '../../src/controller/reconciler.ts';
import { connectionOf } from '../../src/controller/way.ts';
import type { Connection } from '../../src/core/connection.ts';
import { ConflictError, type Outcome } from '../../src/core/errors.ts';
import type { SealedKind } from '../../src/core/kind.ts';
import { isUsable } from '../../src/core/outcome.ts';
import type { Policy } from '../../src/core/policy.ts';
import type { Output, Published } from '../../src/core/output.ts';
import { keyText, noMemory, type Memory, type Stored } from '../../src/core/resource.ts';
import type { Json, Secret } from '../../src/core/secret.ts';
import type { Entry, Source } from '../../src/core/source.ts';

export const policy: Policy = {
  management: 'Full',
  adoption: 'Fail',
  deletion: 'Delete',
  replace: 'Never',
  suspend: false,
  drift: { mode: 'Correct', intervalMs: 600_000, ignore: [] },
};

export const connectionNamed = (name: string, more: Partial<Connection> = {}): Connection => ({
  service: 'scheduler',
  backend: name,
  addresses: ['embedded'],
  dialect: 'toy',
  namespace: '',
  access: [{}],
  defaults: {},
  limits: { maxConcurrent: 1, deletions: { perHour: 100, percent: 100 } },
  ...more,
});

/** The process ended at that effect. */
export class Died extends Error {}

/** Keeps what it is told, and what is published. */
class MemorySource implements Source {
  readonly entries = new Map<string, Entry>();
  readonly outputs = new Map<string, Output>();
  /** Everything written, in order. */
  readonly log: string[] = [];
  /** The process is gone: nothing is written any more. */
  dead = false;

  declare(
    object: Omit<Stored, 'uid' | 'generation' | 'deleting' | 'held' | 'requests'> & Partial<Stored>,
  ): void {
    const key = keyText(object.key);
    const before = this.entries.get(key);
    const rest = { uid: `uid-${key}`, generation: 1, deleting: false, held: false, requests: {} };
    this.entries.set(key, {
      object: { ...rest, ...before?.object, ...object },
      memory: before?.memory ?? noMemory,
    });
  }

  #change(key: string, change: (entry: Entry) => Entry): void {
    if (this.dead) throw new Died();
    const entry = this.entries.get(key);
    if (!entry) throw new ConflictError(`${key} is gone`);
    this.entries.set(key, change(entry));
  }

  start = () => Promise.resolve();
  stop = () => Promise.resolve();
  settled = () => Promise.resolve();
  confirm = () => Promise.resolve();
  approved = () => false;
  releasedSince = () => 0;
  secret = (): Secret | undefined => undefined;
  read = (key: string) => this.entries.get(key);
  keys = () => this.entries.keys();

  async hold(key: string, _uid: string, intended?: Memory<Json>): Promise<void> {
    const { pending } = intended ?? {};
    this.log.push(`hold ${key}${pending ? ` to ${pending.op}` : ''}`);
    this.#change(key, ({ object, memory }) => ({
      memory: intended ?? memory,
      object: { ...object, held: true },
    }));
  }
  async unhold(key: string): Promise<void> {
    this.log.push(`unhold ${key}`);
    this.#change(key, ({ object, memory }) => ({ memory, object: { ...object, held: false } }));
  }
  async remember(key: string, _uid: string, memory: Memory<Json>): Promise<void> {
    this.log.push(`remember ${memory.pending ? `${memory.pending.op} ${memory.pending.token}` : 'rest'}`);
    this.#change(key, ({ object }) => ({ object, memory }));
  }
  async release(key: string, _uid: string, removed: boolean): Promise<void> {
    this.log.push(`release ${key}${removed ? ', removed' : ''}`);
    this.entries.delete(key);
  }
  published(_key: string, _uid: string, name: string): Published {
    const output = this.outputs.get(name);
    return output ? { is: 'ours', revision: output.revision, whole: true } : { is: 'absent' };
  }
  async publish(_key: string, _uid: string, output: Output): Promise<void> {
    this.log.push(`publish ${output.name} ${output.revision}`);
    this.outputs.set(output.name, output);
  }
  async withdraw(_key: string, _uid: string, name: string): Promise<void> {
    this.log.push(`withdraw ${name}`);
    this.outputs.delete(name);
  }
}

/** What a connection's service is asked: its name, then the effect. */
export type Perform = (connection: string, effect: string) => Outcome | 'die';

export class World {
  readonly source = new MemorySource();
  readonly ports: Ports<string, string>;
  readonly #kinds: ReadonlyMap<string, SealedKind<string, string>>;

  constructor(kinds: readonly SealedKind<string, string>[], perform: Perform) {
    this.#kinds = new Map(kinds.map((kind) => [kind.name, kind]));
    const { source } = this;
    const graph = new Graph();
    const service = (connection: Connection): Service<string, string> => ({
      reader: connection.backend,
      async perform(effect) {
        source.log.push(`${connection.backend}: ${effect}`);
        const outcome = perform(connection.backend, effect);
        if (outcome !== 'die') return outcome;
        source.dead = true;
        throw new Died(effect);
      },
      close: () => Promise.resolve(),
    });
    this.ports = {
      source,
      graph,
      kinds: this.#kinds,
      owners: new Owners(),
      connections: new Connections(service),
      deletions: new Deletions(graph, source, () => 0),
      nowMs: () => 0,
      random: () => 0.5,
      setTimer: () => () => {},
    };
  }

  /** Another process on what the one before left. */
  restarted(perform: Perform): World {
    const next = new World([...this.#kinds.values()], perform);
    for (const [key, entry] of this.source.entries) next.source.entries.set(key, entry);
    for (const [name, output] of this.source.outputs) next.source.outputs.set(name, output);
    return next;
  }

  /** Visits connections first, as the queue would. */
  async visit(key: string): Promise<Visit | undefined> {
    for (const [name, { object }] of this.source.entries) {
      const references = this.#kinds.get(object.key.kind)?.open(object, {}).references ?? [];
      const connection = connectionOf(object, this.#kinds, this.source.read);
      this.ports.graph.set(name, { uid: object.uid, leaving: object.deleting, references, connection });
    }
    const visit = await reconcile(key, 0, this.ports, new AbortController().signal);
    if (visit && this.#kinds.get(key.slice(0, key.indexOf('/')))?.connectionField === undefined) {
      this.ports.connections.setHealth(key, isUsable(visit.ending), '');
    }
    return visit;
  }
}
