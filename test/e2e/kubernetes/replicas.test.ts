// Two replicas, whose leader is killed or stopped at random moments while much is declared, changed and deleted. Who wrote
// what and when is judged by what came to the services and to the API server.
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Holdfast } from '../../support/cli.ts';
import { Draws } from '../../support/draws.ts';
import { connection, volume, type Spec } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { report } from '../report.ts';
import { assets } from './assets.ts';
import { writesOf } from './audit.ts';
import type { Cluster } from './cluster.ts';
import { Installed, installedCluster, pathOf } from './installed.ts';
import { kubectl } from './objects.ts';
import { throughLedger, type Write } from './ledger.ts';

/** Side by side, each with objects, a lease and moments of its own: a takeover takes as long as a lease. */
const pairs = Number(process.env['REPLICA_PAIRS'] ?? 5);
const moments = Number(process.env['REPLICA_MOMENTS'] ?? 4);
const seed = process.env['REPLICA_SEED'] ?? String(Date.now());
const deadlineMs = 10_000;
const takeoverMs = 90_000;
const endMs = 120_000;

const slots = ['a', 'b'] as const;
const names = Array.from({ length: pairs }, (_, i) => `pair-${i}`);
const userOf = (pair: string, slot: string): string => `${pair}-${slot}`;
const isLeading = ({ stdout }: Holdfast): boolean =>
  [...stdout.matchAll(/"leading":(true|false)/g)].at(-1)?.[1] === 'true';

class Pair {
  readonly declared = new Map<string, number>();
  readonly takeoversMs: number[] = [];
  readonly #at: Installed;
  readonly #name: string;
  readonly #ledger: Write[];
  readonly #draws: Draws;
  readonly #stateDirs = new Map<string, string>();
  readonly #running = new Map<string, Holdfast>();
  #made = 0;
  #isChurning = true;

  constructor(at: Installed, name: string, ledger: Write[]) {
    this.#at = at;
    this.#name = name;
    this.#ledger = ledger;
    this.#draws = new Draws(`${seed}/${name}`);
  }

  /** All of it, from the first start until all is as declared. */
  async play(): Promise<void> {
    for (const slot of slots) {
      const stateDir = await throughLedger(this.#at.services, userOf(this.#name, slot), this.#ledger);
      this.#stateDirs.set(slot, stateDir);
      this.#run(slot);
    }
    const main = connection({ url: 'embedded', dialect: 'cluster' });
    await this.#at.apply(this.#labelled(main, { name: this.#name }));
    await this.#declare('anchor'); // never all of them go, so nothing waits for an approval
    const churning = this.#churn();
    for (let moment = 0; moment < moments; moment++) await this.#moment();
    this.#isChurning = false;
    await churning;
    await eventually(`all of ${this.#name} is as declared`, () => this.#isDone(), { withinMs: endMs });
  }

  #run(slot: string): void {
    const { kubeconfig } = this.#at.cluster;
    const stateDir = this.#stateDirs.get(slot) ?? '';
    const to = ['--kubeconfig', kubeconfig, '--context', userOf(this.#name, slot)];
    const lease = ['--lease-name', this.#name, '--lease-namespace', 'holdfast-system'];
    const only = ['--selector', `pair=${this.#name}`, '--state-dir', stateDir, '--listen', 'off'];
    const args = ['run', '--source', 'kubernetes', ...to, ...lease, ...only];
    this.#running.set(slot, new Holdfast(args, { cwd: stateDir }));
  }

  #leader(besides?: string): string | undefined {
    return slots.find((slot) => slot !== besides && isLeading(this.#running.get(slot)!));
  }

  async #moment(): Promise<void> {
    const before = await eventually('somebody leads', () => this.#leader(), { withinMs: takeoverMs });
    await pause(this.#draws.fraction() * 2_000); // the random moment itself
    const signal = this.#draws.below(2) === 0 ? 'SIGKILL' : 'SIGSTOP';
    const struck = this.#running.get(before)!;
    struck.kill(signal);
    const sinceMs = performance.now();
    if (signal === 'SIGKILL') {
      await struck.ended;
      this.#run(before);
    }
    const stopped = signal === 'SIGSTOP' ? before : undefined;
    await eventually('another leads', () => this.#leader(stopped), { withinMs: takeoverMs });
    this.takeoversMs.push(Math.round(performance.now() - sinceMs));
    if (stopped !== undefined) {
      struck.kill('SIGCONT');
      await eventually('it stands by', () => !isLeading(struck));
    }
  }

  async #churn(): Promise<void> {
    while (this.#isChurning) {
      const all = [...this.declared.keys()].filter((name) => name !== 'anchor');
      const one = all[this.#draws.below(all.length)];
      const act = all.length < 4 ? 0 : this.#draws.below(3);
      if (one === undefined || act === 0) await this.#declare(`v${++this.#made}`);
      else if (act === 1) await this.#declare(one);
      else await this.#delete(one);
      await pause(this.#draws.fraction() * 600); // people and pipelines do not come all at once
    }
  }

  async #declare(name: string): Promise<void> {
    const turn = (this.declared.get(name) ?? 0) + 1;
    const spec = {
      connectionRef: { name: this.#name },
      externalName: `${this.#name}-${name}`,
      deletionPolicy: 'Delete',
    };
    const mountOptions = { fsType: turn % 2 === 0 ? 'xfs' : 'ext4' };
    const { cluster } = this.#at;
    const body = this.#labelled(volume(name, { ...spec, mountOptions }), { name, namespace: this.#name });
    const path = pathOf(this.#keyOf(name));
    const reply =
      turn === 1
        ? await cluster.call('POST', path.slice(0, path.lastIndexOf('/')), { body })
        : await cluster.call('PATCH', path, {
            body: { spec: { mountOptions } },
            contentType: 'application/merge-patch+json',
          });
    if (reply.status >= 300) throw new Error(JSON.stringify(reply.body));
    this.declared.set(name, turn);
  }

  /** Only what is held: the API server may delete an object although a finalizer was just put on (kubernetes/kubernetes#77988). */
  async #delete(name: string): Promise<void> {
    const key = this.#keyOf(name);
    const found = await this.#at.get(key);
    if (!found?.metadata.finalizers) return;
    this.declared.delete(name);
    await this.#at.delete(key);
  }

  async #isDone(): Promise<boolean> {
    const all = (await this.#at.list('CSIVolume')).filter(
      ({ metadata }) => metadata.namespace === this.#name,
    );
    const isReady = all.every(({ metadata, status }) => {
      const ready = status.conditions?.find(({ type }) => type === 'Ready');
      return ready?.status === 'True' && ready.observedGeneration === metadata.generation;
    });
    return isReady && all.length === this.declared.size;
  }

  #keyOf(name: string): string {
    return `CSIVolume/${this.#name}/${name}`;
  }

  #labelled(object: Spec, metadata: Spec): Spec {
    return { ...object, metadata: { ...metadata, labels: { pair: this.#name } } };
  }
}

describe.skipIf(assets === undefined)('two replicas (skipped where there is no Kubernetes)', () => {
  let cluster: Cluster;
  beforeAll(async () => {
    const users = names.flatMap((pair) =>
      slots.map((slot) => [userOf(pair, slot), ['system:masters']] as const),
    );
    cluster = await installedCluster({ controllers: false, users: Object.fromEntries(users) });
    for (const name of names) await kubectl(cluster, ['create', 'namespace', name]);
  });
  afterAll(() => cluster?.stop());

  test(
    `whose leader is killed or stopped at ${pairs * moments} moments: no write after its deadline, none twice at once`,
    { timeout: 600_000 },
    async () => {
      const at = await Installed.on(cluster);
      const ledger: Write[] = [];
      const all = names.map((name) => new Pair(at, name, ledger));
      await Promise.all(all.map((pair) => pair.play()));

      const takeovers = all.flatMap(({ takeoversMs }) => takeoversMs).toSorted((a, b) => a - b);
      report(
        `replicas (REPLICA_SEED=${seed}): ${ledger.length} writes; taken over after ${takeovers.join(', ')} ms`,
      );
      expect(late(cluster, ledger)).toEqual([]);
      expect(overlapping(ledger)).toEqual([]);
      const declared = all.flatMap((pair, i) =>
        [...pair.declared.keys()].map((name) => `${names[i]}-${name}`),
      );
      const { volumes, disks } = await at.services.held();
      for (const one of volumes.filter((id) => !declared.includes(id)))
        report(historyOf(cluster, ledger, one));
      expect(volumes).toEqual(declared.toSorted());
      expect([disks.length, new Set(disks).size]).toEqual([declared.length, declared.length]);
    },
  );
});

/** What came more than the deadline after the last renewal of its sender, or after another had taken the lease. */
function late(cluster: Cluster, ledger: readonly Write[]): readonly Write[] {
  return ledger.filter(({ by, fromMs }) => {
    const pair = by.slice(0, by.lastIndexOf('-'));
    const renewals = slots.flatMap((slot) => renewalsOf(cluster, userOf(pair, slot)));
    const last = renewals
      .filter(({ atMs }) => atMs <= fromMs)
      .toSorted((a, b) => a.atMs - b.atMs)
      .at(-1);
    return last?.by !== by || fromMs - last.atMs > deadlineMs;
  });
}

/** What was written of a volume, outside and in the cluster, in order. */
function historyOf(cluster: Cluster, ledger: readonly Write[], id: string): string {
  const [, pair = '', name = ''] = /^(pair-\d+)-(.*)$/.exec(id) ?? [];
  const users = [...slots.map((slot) => userOf(pair, slot)), 'admin'];
  const declared = users.flatMap((by) =>
    writesOf(cluster, by).flatMap((one) =>
      one.name === name && one.namespace === pair
        ? { by, atMs: one.atMs, what: `${one.verb} ${one.resource} ${one.code}` }
        : [],
    ),
  );
  const outside = ledger
    .filter(({ of }) => of === id)
    .map(({ by, fromMs, what, code }) => ({ by, atMs: fromMs, what: `${what} ${code}` }));
  const all = [...declared, ...outside].toSorted((a, b) => a.atMs - b.atMs);
  return [`nobody declares ${id}:`, ...all.map(({ by, atMs, what }) => `  ${atMs} ${by} ${what}`)].join('\n');
}

const known = new Map<string, readonly { readonly by: string; readonly atMs: number }[]>();
function renewalsOf(cluster: Cluster, by: string) {
  const all =
    known.get(by) ??
    writesOf(cluster, by)
      .filter(({ resource, code }) => resource === 'leases' && code < 300)
      .map(({ atMs }) => ({ by, atMs }));
  known.set(by, all);
  return all;
}

const overlapping = (ledger: readonly Write[]): readonly (readonly Write[])[] =>
  [...Map.groupBy(ledger, ({ of }) => of).values()].flatMap((writes) => {
    const inOrder = writes.toSorted((a, b) => a.fromMs - b.fromMs);
    return inOrder.flatMap((one, i) => {
      const before = inOrder[i - 1];
      return before && before.toMs > one.fromMs ? [[before, one]] : [];
    });
  });
