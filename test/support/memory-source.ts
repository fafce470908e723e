// A source in memory, for tests of what works on one. It keeps the same contract as the others (test/sources/contract.ts), and
// lets a test do something at each point at which something lasts.
import { isDeepStrictEqual } from 'node:util';
import type { Approvals, Distrust } from '../../src/core/source/approvals.ts';
import type { SourceEffect, Workload } from '../../src/core/effect.ts';
import { ApiError, ConflictError, type Outcome } from '../../src/core/errors.ts';
import type { Published } from '../../src/core/source/output.ts';
import { keyText, type DeclaredObject } from '../../src/core/resource.ts';
import type { Secret } from '../../src/core/secret.ts';
import type {
  Entry,
  Handle,
  Notify,
  Release,
  SecretEntry,
  Source,
  Sync,
  WriteOptions,
} from '../../src/core/source/source.ts';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import { publisherOf, type Publisher } from '../../src/sources/publisher.ts';
import { expire, generate } from './memory-children.ts';
import { MemoryOutputs, type OutputStore } from './memory-outputs.ts';

/** What is about to last. */
export interface Write {
  readonly op:
    | 'hold'
    | 'unhold'
    | 'protect'
    | 'status'
    | 'release'
    | 'output.write'
    | 'output.delete'
    | 'workload.restart'
    | 'child.create'
    | 'child.delete';
  readonly key: string;
  /** For a log. */
  readonly line: string;
}

export class MemorySource implements Source, Approvals, Sync {
  readonly entries = new Map<string, Entry>();
  /** `<namespace>/<name>/<entry>` */
  readonly secrets = new Map<string, Secret>();
  /** UIDs of what was protected. Nothing here is forgotten before it is released, protected or not. */
  readonly protected = new Set<string>();
  /** Whether it is known which Secrets there are. */
  knowsSecrets = false;
  readonly memoryOutputs = new MemoryOutputs();
  outputs: OutputStore = this.memoryOutputs;
  /** `<kind>/<namespace>/<name>` → tokens that it was restarted for. */
  readonly workloads = new Map<string, string[]>();
  tryRestart?: (namespace: string, workload: Workload) => Promise<void>;
  /** Everything written, in order. */
  readonly log: string[] = [];
  synced = true;
  /** Set: somebody else acts for this source now. */
  fenced = false;
  distrusted: Distrust | undefined;
  approved: Approvals['approved'] = () => undefined;
  recentDeletions: Approvals['recentDeletions'] = () => [];
  /** Tells the controller what a test changed. */
  notify: Notify = () => {};

  /** Around everything that lasts: a test may do something before it, or after it. */
  lasting: (write: Write, work: () => void) => Promise<void> = async ({ line }, work) => {
    work();
    this.log.push(line);
  };

  /** What is asked about is what is declared at that moment. */
  confirm: (key: string, believed: DeclaredObject, destroys?: boolean) => Promise<void> = async (
    key,
    believed,
  ) => {
    const { object } = this.owned(key, believed.uid);
    const isSame = object.generation === believed.generation && object.deleting === believed.deleting;
    if (!isSame || !isDeepStrictEqual(object.requests, believed.requests))
      throw new ConflictError('edited', `${key} has changed`);
  };

  declare(
    object: Omit<DeclaredObject, 'uid' | 'generation' | 'deleting' | 'held' | 'requests'> &
      Partial<DeclaredObject>,
  ): void {
    const key = keyText(object.key);
    const before = this.entries.get(key);
    const rest = { uid: `uid-${key}`, generation: 1, deleting: false, held: false, requests: {} };
    this.entries.set(key, {
      object: { ...rest, ...before?.object, ...object },
      status: before?.status ?? noStatus,
    });
  }

  async start(notify: Notify): Promise<void> {
    this.notify = notify;
    this.knowsSecrets = true;
    for (const key of this.keys()) notify(key, 'listed');
  }

  stop = (): Promise<void> => Promise.resolve();
  waitForSync = (): Promise<void> => Promise.resolve();
  hasSynced = (): boolean => this.synced;
  problems = (): readonly [] => [];
  read = (key: string): Entry | undefined => this.entries.get(key);
  keys = (): Iterable<string> => this.entries.keys();

  fence(): void {
    if (this.fenced)
      throw new ApiError('unavailable', 'StateUnavailable', 'another process acts for this source');
  }

  async secret(namespace: string, name: string, entry: string): Promise<SecretEntry> {
    if (!this.knowsSecrets) return { is: 'pending' };
    const secret = this.secrets.get(`${namespace}/${name}/${entry}`);
    return secret ? { is: 'there', secret } : { is: 'missing' };
  }

  /** As where declarations come from Kubernetes. */
  hasWorkloads(...names: readonly string[]): void {
    for (const name of names) this.workloads.set(name, []);
    this.tryRestart = async (namespace, workload) => void this.restartsOf(namespace, workload);
  }

  /** @throws ApiError where there is no such workload */
  restartsOf(namespace: string, { kind, name }: Workload): string[] {
    const found = this.workloads.get(`${kind}/${namespace}/${name}`);
    if (found) return found;
    throw new ApiError('waiting', 'NotificationFailed', `${kind} ${namespace}/${name} does not exist`);
  }

  open(key: string): Handle | undefined {
    const entry = this.entries.get(key);
    return entry && new MemoryHandle(key, entry, this);
  }

  /** @throws ConflictError */
  owned(key: string, uid: string): Entry {
    const entry = this.entries.get(key);
    if (entry?.object.uid === uid) return entry;
    throw new ConflictError(entry ? 'replaced' : 'gone', `${key} is gone`);
  }
}

class MemoryHandle implements Handle {
  readonly #key: string;
  readonly #source: MemorySource;
  #object: DeclaredObject;
  #status: Status;
  /** As it is stored: another one was written by somebody else. */
  #stored: Status;

  constructor(key: string, { object, status }: Entry, source: MemorySource) {
    this.#key = key;
    this.#object = object;
    this.#status = status;
    this.#stored = status;
    this.#source = source;
  }

  get object(): DeclaredObject {
    return this.#object;
  }

  get status(): Status {
    return this.#status;
  }

  async confirm(destroys?: boolean): Promise<void> {
    await this.#source.confirm(this.#key, this.#object, destroys);
    this.#unwritten(this.#source.owned(this.#key, this.#object.uid));
  }

  #unwritten({ status }: Entry): void {
    if (status !== this.#stored)
      throw new ConflictError('stale', `the status of ${this.#key} was written by another`);
  }

  async hold(intent?: Status): Promise<void> {
    const what = intent?.pending ? ` to ${intent.pending.op}` : '';
    await this.#write('hold', `hold ${this.#key}${what}`, true, intent);
  }

  async unhold(): Promise<void> {
    await this.#write('unhold', `unhold ${this.#key}`, false);
  }

  async protect(): Promise<void> {
    const { uid } = this.#object;
    const { protected: all } = this.#source;
    if (all.has(uid)) return;
    await this.#write('protect', `protect ${this.#key}`);
    all.add(uid);
  }

  async writeStatus(status: Status, { recordDeletion }: WriteOptions = {}): Promise<void> {
    const what = status.pending ? `${status.pending.op} ${status.pending.token}` : 'rest';
    await this.#write(
      'status',
      `status ${what}${recordDeletion ? `, which counts${recordDeletion === 'again' ? ' again' : ''}` : ''}`,
      undefined,
      status,
    );
  }

  async #write(op: Write['op'], line: string, held?: boolean, status?: Status): Promise<void> {
    this.#source.fence();
    // oxlint-disable-next-line no-unsafe-type-assertion -- what survives being written as JSON was a status before
    const stored = status && (JSON.parse(JSON.stringify(status)) as Status);
    await this.#source.lasting({ op, key: this.#key, line }, () => {
      const entry = this.#source.owned(this.#key, this.#object.uid);
      if (stored) this.#unwritten(entry);
      this.#source.entries.set(this.#key, {
        object: held === undefined ? entry.object : { ...entry.object, held },
        status: stored ?? entry.status,
      });
    });
    if (held !== undefined) this.#object = { ...this.#object, held };
    if (status) this.#status = status;
    if (stored) this.#stored = stored;
  }

  async release({ removed }: Release): Promise<readonly string[]> {
    this.#source.fence();
    const line = `release ${this.#key}${removed ? ', removed' : ''}`;
    await this.#source.lasting({ op: 'release', key: this.#key, line }, () => {
      const { object } = this.#source.owned(this.#key, this.#object.uid);
      if (!object.deleting && !removed)
        throw new ConflictError('declared-again', `${this.#key} is declared again`);
      this.#source.entries.delete(this.#key);
      if (object.deleting) return;
      // It came back too late to be saved: it is declared as a new object.
      this.#source.declare({ ...object, uid: `${object.uid}+`, generation: 1, held: false });
      this.#source.notify(this.#key, 'edited');
    });
    return [];
  }

  async published(name: string): Promise<Published> {
    return this.#source.outputs.published(this.#publisher(), name);
  }

  async perform(effect: SourceEffect): Promise<Outcome> {
    try {
      await this.#perform(effect);
      return { is: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: 'rejected', error };
    }
  }

  async #perform(effect: SourceEffect): Promise<void> {
    const { outputs, lasting } = this.#source;
    const publisher = this.#publisher();
    this.#source.fence();
    switch (effect.op) {
      case 'output.try':
        return outputs.tryPublish(publisher, effect.name);
      case 'output.write': {
        const { output } = effect;
        const line = `publish ${output.name} ${output.revision}`;
        return await lasting({ op: effect.op, key: this.#key, line }, () =>
          outputs.publish(publisher, output),
        );
      }
      case 'output.delete': {
        const { name } = effect;
        const line = `withdraw ${name}`;
        return await lasting({ op: effect.op, key: this.#key, line }, () =>
          outputs.withdraw(publisher, name),
        );
      }
      case 'workload.restart': {
        const { workload, token } = effect;
        const restarts = this.#source.restartsOf(publisher.key.namespace, workload);
        if (restarts.includes(token)) return;
        const line = `restart ${workload.kind} ${workload.name}`;
        return await lasting({ op: effect.op, key: this.#key, line }, () => void restarts.push(token));
      }
      case 'child.create': {
        const { child } = effect;
        const line = `declare ${keyText(child.key)}`;
        return await lasting({ op: effect.op, key: this.#key, line }, () => generate(this.#source, child));
      }
      case 'child.delete':
        for (const child of effect.children) {
          const line = `expire ${keyText(child.key)}`;
          await lasting({ op: effect.op, key: this.#key, line }, () => expire(this.#source, child));
        }
    }
  }

  #publisher(): Publisher {
    const { object, status } = this.#source.owned(this.#key, this.#object.uid);
    return publisherOf(object, status);
  }
}
