// The handle of one object of a directory, for one visit. It writes to the state, and only while the object is still the
// one that the visit began with.
import { isDeepStrictEqual } from 'node:util';
import { ApiError, ConflictError, type Outcome } from '../../core/errors.ts';
import type { SourceEffect } from '../../core/effect.ts';
import type { Published } from '../../core/source/output.ts';
import { deletionID, isApproved } from '../../core/planning/deletion-limits.ts';
import type { DeclaredObject, Key } from '../../core/resource.ts';
import type { Entry, Handle, Release, WriteOptions } from '../../core/source/source.ts';
import type { Status } from '../../core/status/status.ts';
import type { Children } from './children.ts';
import type { Ingest } from './ingest.ts';
import { publisherOf, type Publisher } from '../publisher.ts';
import type { Outputs } from './outputs.ts';
import { owned, setHeld, type RecentDeletion, type Row } from './state/row.ts';
import type { State } from './state/state.ts';

export interface HandleParts {
  readonly state: State;
  readonly ingest: Pick<Ingest, 'scan' | 'refresh'>;
  readonly read: (key: string) => Entry | undefined;
  /** Absent: outputs can't be published. */
  readonly outputs?: Outputs;
  readonly children: Children;
  /** The deletion to count against the deletion limits when an object is released; `undefined` for connections. */
  readonly deletionOf: (key: Key) => RecentDeletion | undefined;
}

export class DirectoryHandle implements Handle {
  readonly #key: string;
  readonly #parts: HandleParts;
  #object: DeclaredObject;
  #status: Status;

  constructor(key: string, { object, status }: Entry, parts: HandleParts) {
    this.#key = key;
    this.#object = object;
    this.#status = status;
    this.#parts = parts;
  }

  get object(): DeclaredObject {
    return this.#object;
  }

  get status(): Status {
    return this.#status;
  }

  async confirm(): Promise<void> {
    const { objects, problems } = await this.#parts.ingest.scan();
    this.#unwritten(this.#row());
    const now = this.#parts.read(this.#key)?.object;
    const { generation, deleting, requests } = this.#object;
    const isSame = now?.generation === generation && now.deleting === deleting;
    // Requests are compared, too: a person who was promised a suspension or a release relies on it.
    if (!isSame || !isDeepStrictEqual(now.requests, requests)) {
      throw new ConflictError('edited', `${this.#key} has changed`);
    }
    // A problem without a key, or in text that can't be parsed, may hide any declaration, this object's included.
    const hiding = problems.find((problem) => problem.key === undefined || problem.unparsed);
    if (deleting ? hiding === undefined : objects.has(this.#key) || this.#object.origin === undefined) return;
    const why = hiding ? `${hiding.origin}: ${hiding.message}` : 'it is not declared now';
    throw new ApiError('unavailable', 'DeclarationUnreadable', why);
  }

  async hold(intent?: Status): Promise<void> {
    await this.#write((row) => setHeld(intent ? this.#withStatus(row, intent) : row, true));
    this.#object = { ...this.#object, held: true };
    if (intent) this.#status = intent;
  }

  async unhold(): Promise<void> {
    await this.#write((row) => setHeld(row, false));
    this.#object = { ...this.#object, held: false };
  }

  /** The state keeps each row until it is released. */
  protect(): Promise<void> {
    return Promise.resolve();
  }

  async writeStatus(status: Status, { recordDeletion }: WriteOptions = {}): Promise<void> {
    if (status === this.#status) return;
    await this.#write((row) => this.#withStatus(row, status), recordDeletion);
    this.#status = status;
  }

  async release({ removed, moved, exempt }: Release): Promise<readonly string[]> {
    const { state, ingest, outputs, deletionOf } = this.#parts;
    outputs?.discard(this.#publisher());
    const { before } = await state.write(this.#key, (slot) => {
      const row = owned(slot.row, this.#key, this.#object.uid);
      if (!row.object.deleting && !removed) {
        throw new ConflictError('declared-again', `${this.#key} is declared again`);
      }
      const approved = isApproved(state.approved(this.#key), deletionID(row.object));
      const counts = moved !== true && exempt !== true && !approved;
      const deletion = counts ? deletionOf(row.object.key) : undefined;
      return { row: undefined, ...(deletion && { deletion }) };
    });
    // The manifest came back after the external object was removed: the next scan declares a new object.
    if (!before.row?.object.deleting) ingest.refresh();
    return [];
  }

  async published(name: string): Promise<Published> {
    return this.#parts.outputs?.published(this.#publisher(), name) ?? { is: 'absent' };
  }

  async perform(effect: SourceEffect): Promise<Outcome> {
    try {
      await this.#perform(effect);
      return { is: 'done' };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { is: error.mayHaveHadEffect ? 'unknown' : 'rejected', error };
    }
  }

  async #perform(effect: SourceEffect): Promise<void> {
    const { outputs, children } = this.#parts;
    const publisher = this.#publisher();
    switch (effect.op) {
      case 'output.write':
        return this.#outputs(effect.output.name).publish(publisher, effect.output);
      case 'output.try':
        return this.#outputs(effect.name).tryPublish(publisher, effect.name);
      case 'output.delete':
        return outputs?.withdraw(publisher, effect.name);
      case 'workload.restart':
        throw new Error('a directory has no workloads');
      case 'child.create':
        return await children.create(effect.child);
      case 'child.delete':
        return await children.delete(effect.children);
    }
  }

  #outputs(name: string): Outputs {
    const { outputs } = this.#parts;
    if (outputs) return outputs;
    const message = `there is no directory for output ${name}: start with --output-dir`;
    throw new ApiError('waiting', 'NoOutputDirectory', message);
  }

  #publisher(): Publisher {
    const { object, status } = this.#row();
    return publisherOf(object, status);
  }

  #row(): Row {
    return owned(this.#parts.state.rows.get(this.#key), this.#key, this.#object.uid);
  }

  #withStatus(row: Row, status: Status): Row {
    this.#unwritten(row);
    return { ...row, status };
  }

  #unwritten(row: Row): void {
    if (row.status === this.#status) return;
    throw new ConflictError('stale', `the status of ${this.#key} was written by another`);
  }

  async #write(change: (row: Row) => Row, recordDeletion?: WriteOptions['recordDeletion']): Promise<void> {
    await this.#parts.state.write(this.#key, (slot) => {
      const row = owned(slot.row, this.#key, this.#object.uid);
      const deletion = recordDeletion ? this.#parts.deletionOf(row.object.key) : undefined;
      const again = recordDeletion === 'again' && { again: true as const };
      return { row: change(row), ...(deletion && { deletion: { ...deletion, ...again } }) };
    });
  }
}
