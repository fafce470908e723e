// A running operator whose view of the list is wrong for a while: what it does meanwhile, and what it then puts right.
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { schedulerDialects } from '../../../src/api/dialects.ts';
import { dialects as dialectPairs, type DialectsName } from '../../../src/runtime/embedded/running.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { openStateReadOnly } from '../../../src/sources/directory/state/snapshot.ts';
import type { ConditionType } from '../../../src/core/status/reasons.ts';
import type { Holdfast } from '../../support/cli.ts';
import { volume, type Spec } from '../../support/manifests.ts';
import { eventually } from '../../support/poll.ts';
import { serviceToken } from '../../support/service.ts';
import { endingOf } from '../world/hang.ts';
import type { Finding } from '../table/comparison.ts';
import { destroys, effective } from '../world/ledger.ts';
import { silence, type List } from './lists.ts';
import type { Answer } from '../world/proxy.ts';
import type { Stream } from './streams.ts';
import { World } from '../world/world.ts';

/**
 * How long a wrong view may be trusted for: a query that waits may stay without an answer for 94 s (its wait, a sixteenth
 * of it, and the deadline of every read), and the list is then taken again.
 */
export const boundMs = 150_000;
const withinMs = { withinMs: boundMs };

const deleted: Spec = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
const xfs = { mountOptions: { fsType: 'xfs' } };
const ext4 = { mountOptions: { fsType: 'ext4' } };
const nfs: Spec = { pluginID: 'nfs', deletionPolicy: 'Deregister', register: { externalID: 'export' } };

const capabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];

export class Watching {
  readonly world: World;
  #process: Holdfast | undefined;
  #list: List | undefined;
  #past: { readonly before: Answer; readonly made: Answer } | undefined;
  #n = 0;
  /** Queries that wait for a change. */
  #waits = 0;

  private constructor(world: World) {
    this.world = world;
  }

  /** Four volumes of ours and one of somebody else's, at rest. Lists may be five seconds old. */
  static async open(dialects: DialectsName): Promise<Watching> {
    const world = await World.open(dialects);
    const at = new Watching(world);
    world.connect({ defaults: { drift: { interval: '5s' } } });
    await at.register('ghost', 'of-a-ghost');
    await at.register('foreign', 'of-nobody');
    const before = await at.#true();
    await world.scheduler.call('DELETE', '/v1/volume/csi/ghost?namespace=default');
    for (const name of ['a', 'b', 'd']) at.declare(name, { ...deleted, ...ext4 });
    at.declare('c', nfs);
    const { code, stdout } = await world.apply();
    if (code !== 0) throw new Error(stdout);
    at.#past = { before, made: await at.#true() };
    world.forget();
    return at;
  }

  declare(name: string, spec: Spec): void {
    this.world.tree.put(`${name}.yaml`, volume(name, spec));
  }

  undeclare(name: string): void {
    this.world.tree.remove(`${name}.yaml`);
  }

  /** By hand. */
  async register(id: string, externalID: string, pluginID = 'nfs'): Promise<void> {
    const one = {
      ID: id,
      Name: `${id}-by-hand`,
      Namespace: 'default',
      PluginID: pluginID,
      ExternalID: externalID,
    };
    const body = { Volumes: [{ ...one, RequestedCapabilities: capabilities }] };
    await this.world.scheduler.call('PUT', `/v1/volume/csi/${id}`, body);
  }

  /** By hand: its disk stays. */
  async deregister(id: string): Promise<void> {
    await this.world.scheduler.call('DELETE', `/v1/volume/csi/${id}?namespace=default`);
  }

  /** Starts the operator, and waits until it waits for changes. */
  async start(): Promise<void> {
    this.world.proxies.scheduler.read = (passing, forward, signal) => {
      const { pathname, searchParams } = new URL(passing.url, 'http://list');
      const blocks = searchParams.has('wait');
      // The probe of the connection asks for one row: a scheduler that can't list is not used at all.
      const isWatched = blocks || searchParams.get('per_page') === '500';
      if (pathname !== '/v1/volumes' || !isWatched) return Promise.resolve(undefined);
      if (blocks) this.#waits += 1;
      if (!this.#list || !this.#past) return Promise.resolve(undefined);
      this.#n += 1;
      const { index: indexHeader, nextToken: tokenHeader } =
        schedulerDialects[this.world.scheduler.dialect].headers;
      const names = { indexHeader: indexHeader.toLowerCase(), tokenHeader: tokenHeader.toLowerCase() };
      return this.#list({ passing, forward, signal, n: this.#n, blocks, past: this.#past, ...names });
    };
    await this.run();
    await eventually('it watches', () => this.#waits > 0, withinMs);
  }

  /** Starts the operator, whatever it is shown. */
  async run(): Promise<void> {
    this.#process = this.world.start(['run', '--source', 'tree', '--listen', 'off']);
    await this.#process.says(/"msg":"running"/, boundMs);
  }

  async stop(): Promise<string> {
    if (!this.#process) return '';
    this.#process.kill('SIGTERM');
    const { stdout, stderr } = await endingOf(this.#process);
    return stdout + stderr;
  }

  /** From now on lists are answered so; `undefined`: as they are. */
  view(list: List | undefined): void {
    this.#n = 0;
    this.#list = list;
  }

  /** From now on, and nothing is waited for any more that was asked for before. */
  async mislead(list: List): Promise<void> {
    this.view(list);
    await this.register('ghost', 'of-a-ghost');
    await this.deregister('ghost');
    const enough = list === silence ? 1 : 2; // a list, and what waits for a change after it
    await eventually('it was misled', () => this.#n >= enough, withinMs);
  }

  /** What destroyed something. Asked for twice, since the first was not seen yet, it is refused. */
  get destroyed(): readonly string[] {
    return effective(this.world.ledger)
      .filter(destroys)
      .map(({ call }) => call);
  }

  get made(): readonly string[] {
    return this.world.ledger.filter(({ op }) => op === 'volume.create').map(({ call }) => call);
  }

  async ids(): Promise<readonly string[]> {
    return (await this.world.scheduler.volumes()).map(({ ID }) => ID);
  }

  /** External IDs of all disks that the providers have. */
  async disks(): Promise<readonly string[]> {
    return (await this.world.scheduler.disks()).map(({ externalID }) => externalID);
  }

  /** External ID of the disk that it stands for; `undefined`: it is not registered. */
  async diskOf(id: string): Promise<string | undefined> {
    return (await this.world.scheduler.volumes()).find(({ ID }) => ID === id)?.ExternalID;
  }

  async fsType(id: string): Promise<string | undefined> {
    const path = `/v1/volume/csi/${id}?namespace=default`;
    const read = await this.world.scheduler
      .call<{ MountOptions?: { FSType?: string; FsType?: string } }>('GET', path)
      .catch(() => undefined);
    return read?.MountOptions?.FSType ?? read?.MountOptions?.FsType;
  }

  /** Another file system, by hand. */
  async drift(id: string): Promise<void> {
    const path = `/v1/volume/csi/${id}?namespace=default`;
    const found = await this.world.scheduler.call<object>('GET', path);
    await this.world.scheduler.call('PUT', path, {
      Volumes: [{ ...found, MountOptions: { FSType: 'btrfs' } }],
    });
  }

  async condition(key: string, type: ConditionType = 'Ready') {
    const snapshot = await openStateReadOnly(join(this.world.cwd, '.holdfast/state.sqlite'));
    const row = snapshot?.rows.get(key);
    return row && conditionOf(row.status.conditions, type);
  }

  async is(key: string, reason: string): Promise<void> {
    let last = '';
    const look = async () => (last = (await this.condition(key))?.reason ?? 'gone') === reason;
    await eventually(`${key} is ${reason}`, look, { ...withinMs, seen: () => last });
  }

  async #true(): Promise<Answer> {
    const { proxies, dialects } = this.world;
    const { token } = schedulerDialects[dialectPairs[dialects].scheduler].headers;
    const url = '/v1/volumes?type=csi&namespace=*&per_page=500';
    return proxies.scheduler.forward({
      method: 'GET',
      url,
      headers: { [token]: serviceToken },
      body: Buffer.alloc(0),
    });
  }
}

/** What a deletion destroys, one after the other: the registration, and then the disk, which nobody can claim any more. */
export const deletion = (id: string): readonly string[] => [
  `volume.deregister /v1/volume/csi/${id}`,
  `volume.delete /v1/volume/csi/retired-of-${id}/delete`,
];

/** Edits, drift and losses while a view is wrong, and what is right after it. @returns how long that took */
async function throughout(at: Watching, view: View): Promise<number> {
  if (view.list) await at.mislead(view.list);
  await at.drift('b');
  await at.deregister('c');
  at.declare('a', { ...deleted, ...xfs });
  at.undeclare('d');
  await eventually('an edit is made', async () => (await at.fsType('a')) === 'xfs', withinMs);
  await eventually('a deletion is made', async () => !(await at.ids()).includes('d'), withinMs);
  at.view(undefined);
  const startedMs = performance.now();
  await eventually('drift is repaired', async () => (await at.fsType('b')) === 'ext4', withinMs);
  await eventually('what was lost is back', async () => (await at.ids()).includes('c'), withinMs);
  for (const name of ['a', 'b', 'c']) await at.is(`CSIVolume/shop/${name}`, 'InSync');
  return Math.round(performance.now() - startedMs);
}

/** What is shown in the service's place: as the list, for a while; as the event stream, for good. */
interface View {
  readonly list?: List;
  readonly stream: Stream;
}

/** What is then there that should not be, or the other way round. */
export async function watchedOver(at: Watching, view: View) {
  at.world.proxies.scheduler.listen = view.stream;
  await at.start();
  const trouble: Finding[] = [];
  const tookMs = await throughout(at, view).catch((error: unknown) => {
    trouble.push(['other', String(error)]);
    return Infinity;
  });
  const output = await at.stop();
  const ids = (await at.ids()).toSorted();
  const disks = (await at.world.scheduler.disks()).length;
  const findings: readonly Finding[] = [
    ...trouble,
    ...at.destroyed.flatMap((what, i): Finding[] =>
      what === deletion('d')[i] ? [] : [['wrong deletes', what]],
    ),
    ...at.made.map((what): Finding => ['duplicates', what]),
    ...(isDeepStrictEqual(ids, ['a', 'b', 'c', 'foreign'])
      ? []
      : [['other', `volumes: ${ids.join()}`] as const]),
    ...(disks === 2 ? [] : [['orphans', `${disks} disks`] as const]),
  ];
  return { tookMs, findings, output };
}
