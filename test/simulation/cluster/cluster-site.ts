// An operator over a cluster: an API server of its own, what applies the repository to it, and what it remembers there.
import {
  namespaces,
  events,
  leases,
  objectPath,
  secrets,
  type KubernetesObject,
} from '../../../src/api/kubernetes/resources.ts';
import { openKubernetesOperator, type KubernetesOperator } from '../../../src/runtime/kubernetes/operator.ts';
import { resources } from '../../../src/runtime/kinds/lookup.ts';
import { keyText, parseKey } from '../../../src/core/resource.ts';
import { isRecord } from '../../../src/core/json.ts';
import { Line, type Sent } from '../machine/line.ts';
import { randomOf } from '../machine/random.ts';
import { later, nowMs, trueClock, type Life } from '../machine/time.ts';
import type { Meddling } from '../history/events.ts';
import type { Declared, Told } from '../oracle/record.ts';
import { space, type ManifestFile } from '../world/manifests.ts';
import { connectedAs } from '../world/snapshot.ts';
import { Site, type SiteOptions, type Upset } from '../world/site.ts';
import { ApiServer } from './api-server.ts';
import { Backups } from './backups.ts';
import { ClusterMemory } from './cluster-memory.ts';
import { Fence } from './fence.ts';
import { GitOps, namespacePath } from './gitops.ts';
import { meddled } from './meddle.ts';
import { asked } from './person.ts';
import { Replica } from './replica.ts';

const all = [...resources.values()];
/** The client closes a watch that says nothing for so long. */
const silenceMs = 150_000;
/** A Lease that is not renewed is another's after that. */
const takeoverMs = 20_000;

export class ClusterSite extends Site<KubernetesOperator> {
  readonly memory: ClusterMemory;
  readonly #api: ApiServer;
  readonly #tool: GitOps;
  readonly #declared = new Map<string, Declared>();
  readonly #backups: Backups;
  /** Digest → all that were ever shown to wait under it, since it stands for a set. */
  readonly #shown = new Map<string, { readonly keys: string[]; unread: boolean }>();
  /** Its other processes. Empty: it is one, and asks for no Lease. */
  readonly #others: readonly Replica[];
  readonly #fence: Fence;

  constructor(options: SiteOptions) {
    super(options);
    const random = randomOf(`${options.seed} ${options.name} cluster`);
    this.#api = new ApiServer({
      wallMs: trueClock.nowMs,
      newUid: () => `${random.below(2 ** 30)}-${random.below(2 ** 30)}`,
      resources: [...all, secrets, namespaces, events, leases],
    });
    this.memory = new ClusterMemory(`http://cluster-${options.name.toLowerCase()}`, this.#api);
    this.#backups = new Backups(this.#api);
    this.#tool = new GitOps(this.#api, (key, declared) => void this.#declared.set(key, declared));
    this.#fence = new Fence(this.#api, options.hooks.unfenced);
    const { hooks, replicas } = options;
    this.#others = ['replica', 'third process'].slice(0, replicas - 1).map((called) => {
      return new Replica({ ...options, called, open: (life) => this.open(life), bug: hooks.bug });
    });
    this.#api.onChange = ({ plural, before, after }) => {
      if (plural === leases.plural) this.#fence.written();
      const resource = all.find((one) => one.plural === plural);
      if (!resource) return;
      if (after) this.#note(keyOf(resource.kind, after), after);
      else if (before) options.hooks.fact({ is: 'gone', key: keyOf(resource.kind, before) });
      if (!isSame(before, after)) this.#tell();
    };
    this.commit(options.repository, 0);
  }

  /** What is declared is what stands there and does not leave. */
  #tell(): void {
    const { hooks, name } = this.options;
    const objects = new Map<string, Declared>();
    for (const [key, { metadata }] of this.#objects()) {
      const declared = metadata.deletionTimestamp === undefined ? this.#declared.get(key) : undefined;
      if (declared) objects.set(key, declared);
    }
    const known = connectedAs(this.repository.connected);
    hooks.snapshot({ at: nowMs(), operator: name, objects, broken: new Set(), unsound: false, ...known });
  }

  *#objects(): Generator<readonly [string, KubernetesObject]> {
    for (const { kind, plural } of all)
      for (const object of this.#api.objects(plural)) yield [keyOf(kind, object), object];
  }

  protected put(files: ReadonlyMap<string, ManifestFile>): void {
    this.#tool.apply(files);
    this.#tell();
  }

  protected async open(life: Life): Promise<KubernetesOperator> {
    const { hooks, watch, name } = this.options;
    const carry = (sent: Sent): void => {
      if (this.#others.length > 0) this.#fence.sent(sent);
      hooks.carry(sent);
    };
    const operator = await openKubernetesOperator({
      cluster: {
        server: this.memory.origin,
        namespace: 'holdfast-system',
        headers: () => Promise.resolve({}),
        dispatcherOf: (origin) => new Line(life, origin, carry),
      },
      namespaces: [],
      ...(this.#others.length > 0 && { lease: { name: 'holdfast' } }),
      embedded: () => undefined,
      watch,
      gate: {},
      onTrouble: () => {},
      onLeading: () => {},
      onBug: (key, error) => this.bug(`${name} ${key}`, error),
    });
    operator.lead();
    return operator;
  }

  override start(): void {
    super.start();
    for (const other of this.#others) other.start();
  }

  /** Of several, the one that leads. */
  override kill(): void {
    const leader = this.#leader;
    if (leader) {
      leader.kill();
      this.options.hooks.fact({ is: 'ended' });
    } else super.kill();
    const isUp = (): boolean => this.isRunning || this.#others.some(({ life }) => life !== undefined);
    if (this.#others.length > 0 && isUp())
      later(takeoverMs, () => isUp() && this.options.hooks.fact({ is: 'started' }));
  }

  /** `undefined`: the first process leads, or nobody does. */
  get #leader(): Replica | undefined {
    return this.#others.find(({ life }) => this.#fence.holds(life));
  }

  override end(): void {
    for (const other of this.#others) other.kill();
    super.end();
  }

  override freeze(forMs: number): void {
    const life = this.#leader?.life;
    if (life) this.stopped(life, forMs);
    else super.freeze(forMs);
  }

  protected approveDigest(digest: string): void {
    for (const [key] of this.#objects())
      if (key.includes('Connection/')) this.#annotate(key, 'approve', digest);
    const waiting = this.#shown.get(digest);
    if (waiting) this.options.hooks.fact({ is: 'approved', digest, saidAt: nowMs(), ...waiting });
  }

  #note(key: string, object: KubernetesObject): void {
    const declared = this.#declared.get(key);
    if (declared) this.#backups.keep(key, object, declared);
    for (const { reason, message } of conditionsOf(object['status'])) {
      const digest = /holdfast approve ([0-9a-z]+)/.exec(message)?.[1];
      if (digest === undefined) continue;
      const waiting = this.#shown.get(digest) ?? { keys: [], unread: false };
      if (!waiting.keys.includes(key)) waiting.keys.push(key);
      waiting.unread ||= reason === 'DeletionUnconfirmed';
      this.#shown.set(digest, waiting);
    }
  }

  ask(key: string, name: string, token: string | undefined): void {
    const object = [...this.#objects()].find(([one]) => one === key)?.[1];
    if (!object || (name === 'force-orphan' && object.metadata.deletionTimestamp === undefined)) return;
    this.#annotate(key, name, token);
    this.options.hooks.fact({ is: 'asked', key, name, token });
  }

  #annotate(key: string, name: string, token: string | undefined): void {
    const annotations = { [`holdfast.dev/${name}`]: token ?? null };
    asked(this.#api, 'PATCH', pathOf(key), { metadata: { annotations } });
  }

  told(): readonly Told[] {
    return [...this.#objects()].map(([key, { metadata, status }]) => ({
      operator: this.name,
      key,
      leaving: metadata.deletionTimestamp !== undefined,
      conditions: conditionsOf(status),
    }));
  }

  published(slot: string): string | undefined {
    const of = this.#api.objects(secrets.plural);
    const data = of.find(({ metadata }) => metadata.name === `${slot}-login`)?.['data'];
    const password = isRecord(data) ? data['password'] : undefined;
    return typeof password === 'string' ? Buffer.from(password, 'base64').toString() : undefined;
  }

  slow(slowestMs: number, deaf: boolean): void {
    this.memory.slowestMs = slowestMs;
    this.#api.silent = deaf;
    if (deaf)
      later(silenceMs, () => {
        this.hear();
        this.#api.breakWatches();
      });
  }

  meddle(what: Meddling, original: string, copy = original): void {
    if (what === 'compact') return this.#api.compact();
    if (what === 'break') return this.#api.breakWatches();
    if (what === 'delete namespace') {
      this.options.hooks.fact({ is: 'emptied' });
      return void asked(this.#api, 'DELETE', namespacePath(space));
    }
    const object = [...this.#objects()].find(([one]) => one === copy)?.[1];
    if (object) {
      if (meddled(this.#api, what, pathOf(copy), object)) this.options.hooks.fact({ is: 'stripped' });
    } else if (what.startsWith('restore') || what.startsWith('copy')) {
      const from = what.startsWith('copy') ? original : copy;
      this.#backups.restore(from, copy, what.endsWith('with status'), (declared) => {
        this.#declared.set(copy, declared);
      });
    }
  }

  hear(): void {
    this.#api.silent = false;
  }

  /**
   * Lost with all that lies beside it, the cluster is another one, and empty. Otherwise the statuses of all but connections are
   * stripped: what is remembered beside them is enough for what was begun, and nothing counts as lost. That etcd was put back
   * nobody can tell (docs/kubernetes.md).
   */
  upset({ what, whole }: Upset): boolean {
    if (what !== 'lost') return false;
    if (whole) {
      this.end(); // its processes went with it
      this.memory.lose();
    } else {
      for (const [key] of this.#objects())
        if (!key.includes('Connection/'))
          asked(this.#api, 'PATCH', `${pathOf(key)}/status`, { status: null });
      this.options.hooks.fact({ is: 'stripped' });
    }
    this.#tool.sync();
    return whole;
  }

  override lookAgain(): void {
    super.lookAgain();
    for (const other of this.#others) other.lookAgain();
  }
}

const keyOf = (kind: string, { metadata: { namespace = '', name } }: KubernetesObject): string =>
  keyText({ kind, namespace, name });

function pathOf(key: string): string {
  const named = parseKey(key);
  const resource = named && resources.get(named.kind);
  if (!resource) throw new Error(`${key} is not the key of an object`);
  return objectPath(resource, named);
}

const isSame = (before: KubernetesObject | undefined, after: KubernetesObject | undefined): boolean =>
  before?.metadata.uid === after?.metadata.uid &&
  before?.metadata.generation === after?.metadata.generation &&
  before?.metadata.deletionTimestamp === after?.metadata.deletionTimestamp &&
  JSON.stringify(before?.metadata.annotations) === JSON.stringify(after?.metadata.annotations);

function conditionsOf(status: unknown): Told['conditions'] {
  const conditions = isRecord(status) ? status['conditions'] : undefined;
  if (!Array.isArray(conditions)) return [];
  return conditions.filter(isRecord).map((one) => ({
    type: String(one['type']),
    status: String(one['status']),
    reason: String(one['reason']),
    message: String(one['message']),
  }));
}
