// One target of the contract suite with what its cases need: requests, bodies in its dialect, volumes to start from.
import { lower, schedulerDialects, type SchedulerDialect } from '../../src/api/dialects.ts';
import type { Sealed } from '../../src/core/secret.ts';
import { HttpClient, type Answer } from './client.ts';
import type { Opened, Target } from './targets.ts';

/** The part of a volume that cases look at; the names are the same in every dialect. */
export interface Volume {
  readonly ID: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly Capacity: number;
  readonly ModifyIndex: number;
  readonly Schedulable: boolean;
  readonly MountOptions: Readonly<Record<string, unknown>> | null;
  readonly WriteAllocs: object | null;
  readonly Allocations: readonly { readonly NodeID?: string }[];
}

/** Fields of a volume in the documents' shape. */
export type Fields = Readonly<Record<string, Sealed>>;

export const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };
export const mebibyte = 1024 * 1024;

export class Bench {
  readonly target: Target;
  readonly dialect: SchedulerDialect;
  readonly #run = Math.random().toString(36).slice(2, 8); // a real server may hold what earlier runs left behind
  #names = 0;
  #opened: Opened | undefined;

  constructor(target: Target) {
    this.target = target;
    this.dialect = schedulerDialects[target.dialectName];
  }

  /** The status of a parameter of a wrong form: by the documents 400, really mostly 500. */
  get malformed(): 400 | 500 {
    return this.target.dialectName === 'nomad' ? 500 : 400;
  }

  async open(): Promise<void> {
    this.#opened = await this.target.open();
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  get url(): string {
    return this.#open().url;
  }

  get client(): HttpClient {
    return this.#open().client;
  }

  #open(): Opened {
    if (!this.#opened) throw new Error('not opened');
    return this.#opened;
  }

  /** A name that nothing else has. */
  fresh(what: string): string {
    this.#names += 1;
    return `${what}-${this.#run}-${this.#names}`;
  }

  body(volume: Fields): { readonly Volumes: readonly Sealed[] } {
    const whole = { PluginID: this.target.plugin, RequestedCapabilities: [writer], ...volume };
    return { Volumes: [lower(this.dialect, whole)] };
  }

  create(id: string, more: Fields = {}): Promise<Answer> {
    return this.client.put(`/v1/volume/csi/${id}/create`, this.body({ ID: id, Name: `${id}-name`, ...more }));
  }

  register(id: string, more: Fields = {}): Promise<Answer> {
    return this.client.put(`/v1/volume/csi/${id}`, this.body({ ID: id, ...more }));
  }

  async read(id: string): Promise<Volume> {
    return (await this.client.get(`/v1/volume/csi/${id}`)).json();
  }

  /** A new volume. @throws where it can't be had */
  async created(more: Fields = {}): Promise<Volume> {
    const id = this.fresh('v');
    const answer = await this.create(id, more);
    if (answer.status !== 200) throw new Error(`a volume to start from: ${answer.text}`);
    return this.read(id);
  }

  list(query = ''): Promise<Answer> {
    return this.client.get(`/v1/volumes?type=csi${query}`);
  }

  async ids(query: string): Promise<readonly string[]> {
    return idsIn(await this.list(query));
  }

  header(answer: Answer, which: keyof SchedulerDialect['headers']): string | undefined {
    return answer.header(this.dialect.headers[which]);
  }

  indexOf(answer: Answer): number {
    return Number(this.header(answer, 'index'));
  }
}

export function idsIn(answer: Answer): readonly string[] {
  const volumes: readonly Volume[] = answer.json();
  return volumes.map((volume) => volume.ID);
}
