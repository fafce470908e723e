// Plays edits of connections in a program that goes on running, and reads what came of each.
import { dialects, type DialectsName } from '../../../src/runtime/embedded/running.ts';
import { pairKey } from '../../../src/embedded/scheduler/store/model.ts';
import { action, type Spec } from '../../support/manifests.ts';
import { SecretsService } from '../../support/secrets.ts';
import { Service } from '../../support/service.ts';
import { embeddedBindDN, embeddedBindPassword } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { seeded } from '../around.ts';
import type { Written } from '../lanes.ts';
import { rootToken } from '../services.ts';
import { accounts, mountsFor, type Credentials } from './accounts.ts';
import { labels, type Listeners } from './listeners.ts';
import { kindOf, outcomeOf, said, userOf, type Shown, type Tested } from './live.ts';
import { countOf, type ConnectionSubject, type Trial } from './subjects.ts';
import { RunningWorld } from './world.ts';

/** One connection, and what is declared of it now. */
export interface Declared {
  readonly subject: ConnectionSubject;
  readonly name: string;
  readonly trial: Trial;
  readonly written: Written;
  /** What is declared and refused, while this still stands. */
  readonly refused?: Written;
}

const triedMax = 6;
const heldMs = 60;

/** A spec with the addresses and dialects of that world; without one: such as may be declared. */
export function filled(spec: Spec, words: Readonly<Record<string, string>>): Spec {
  const text = Object.entries(words).reduce(
    (all, [word, is]) => all.replaceAll(`<${word}>`, is),
    JSON.stringify(spec),
  );
  return JSON.parse(text);
}

export class Scenario {
  readonly #world: RunningWorld;
  readonly #dialects: DialectsName;
  readonly #credentials: Credentials;

  private constructor(world: RunningWorld, names: DialectsName, credentials: Credentials) {
    this.#world = world;
    this.#dialects = names;
    this.#credentials = credentials;
  }

  /** @param names of all connections that will be declared */
  static async open(
    dialectsName: DialectsName,
    all: readonly Pick<Declared, 'subject' | 'name' | 'trial'>[],
    credentials: Credentials,
  ): Promise<Scenario> {
    const extras = all.flatMap(({ name, trial }) => extrasOf(name, trial));
    const seed = seeded([...all.map(({ name }) => name), ...extras]);
    const world = await RunningWorld.open(
      dialectsName,
      { ...seed, mounts: [...seed.mounts, ...mountsFor(all.map(({ name }) => name))], more: accounts },
      credentials,
    );
    const scenario = new Scenario(world, dialectsName, credentials);
    for (const { subject, name, trial } of all) {
      for (const label of labels) await world.listeners[kindOf(subject.kind)].open(name, label);
      if (trial === 'by hand') await scenario.#makeByHand(subject, name);
      if (trial === 'six at once') world.listeners[kindOf(subject.kind)].heldMs.set(name, heldMs);
    }
    return scenario;
  }

  /** What is there, before it is declared. */
  async #makeByHand({ kind }: ConnectionSubject, name: string): Promise<void> {
    const { scheduler, secrets } = dialects[this.#dialects];
    const { urls } = this.#world;
    for (const one of extrasOf(name, 'by hand')) {
      if (kind === 'SchedulerConnection') {
        const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
        const row = { ID: one, Name: one, Namespace: 'default', PluginID: 'hostpath', RequestedCapabilities };
        const MountOptions = { [scheduler === 'nomad' ? 'FSType' : 'FsType']: 'ext4' };
        const Volumes = [{ ...row, MountOptions, RequestedCapacityMin: 2 ** 30 }];
        await new Service(urls.scheduler, scheduler).call('PUT', `/v1/volume/csi/${one}/create`, { Volumes });
      } else {
        const at = new SecretsService(urls.secrets, secrets, () => Promise.resolve(), rootToken);
        const bind = { binddn: embeddedBindDN, bindpass: embeddedBindPassword };
        const body = { url: 'ldap://embedded', userdn: 'ou=people', ...bind };
        await at.call('POST', `/v1/${one}/config`, body);
      }
    }
  }

  /** What is declared is tried, and what was tried leaves again. */
  async step(all: readonly Declared[]): Promise<ReadonlyMap<string, Shown>> {
    const refused = all.flatMap(({ refused: written, ...one }) => (written ? [{ ...one, written }] : []));
    const found = new Map<string, Shown>();
    const base = (one: Declared) => this.#documents(one, 0);
    // Connections first: what is tried goes through them as they are declared. Nothing leaves while a file can't be used.
    await this.#world.pass(
      all.flatMap((one) => base({ ...one, written: one.refused ?? one.written })),
      new Set(refused.map(({ subject: { kind }, name }) => `${kind}/${name}`)),
    );
    for (const { subject, name } of refused)
      found.set(name, outcomeOf(this.#world, subject, name, undefined));
    for (const { subject, name, trial } of all) if (trial === 'drift') this.#tamper(subject, name);
    for (const { subject, name } of all) this.#listeners(subject).atOnce(name); // of what was before
    await this.#world.pass(all.flatMap((one) => [...base(one), ...this.#extras(one)]));
    const tested = new Map(all.map((one) => [one.name, this.#tested(one)]));
    for (const { subject, name, trial } of all) if (trial === 'drift') this.#tamper(subject, name);
    await this.#world.pass(all.flatMap((one) => this.#documents(one, 1)));
    for (const { subject, name, trial, refused: no } of all)
      if (!no) {
        const test = countOf(trial) === 0 ? undefined : tested.get(name);
        found.set(name, outcomeOf(this.#world, subject, name, test));
      }
    return found;
  }

  #listeners({ kind }: ConnectionSubject): Listeners {
    return this.#world.listeners[kindOf(kind)];
  }

  #tested({ subject, name, trial }: Declared): Tested {
    const made = extrasOf(name, trial).map((one) => said(this.#world, extraKey(subject, one, trial)));
    const atOnce = this.#listeners(subject).atOnce(name);
    return { made, ...(trial === 'six at once' && { atOnce }) };
  }

  /** Somebody changes what the user of the connection has. */
  #tamper(subject: ConnectionSubject, name: string): void {
    const { scheduler, secrets } = this.#world;
    if (subject.kind === 'SchedulerConnection') {
      const row = scheduler.volumes.get(pairKey('default', name));
      const MountOptions = { MountFlags: null, ...row?.MountOptions, FsType: 'xfs' };
      if (row)
        scheduler.store.put(scheduler.volumes, pairKey('default', name), (indexes) => ({
          ...row,
          MountOptions,
          ...indexes,
        }));
    } else {
      const row = secrets.configs.get(name);
      if (row)
        secrets.store.commit(
          secrets.configs.put(name, { ...row, values: { ...row.values, userdn: 'ou=by-hand' } }),
        );
    }
  }

  /** @param visit another one has its user looked at again */
  #documents({ subject, name, trial, written }: Declared, visit: 0 | 1): readonly Spec[] {
    const listeners = this.#listeners(subject);
    const names = dialects[this.#dialects];
    const [mine, others] =
      subject.kind === 'SchedulerConnection'
        ? [names.scheduler, names.scheduler === 'nomad' ? 'cluster' : 'nomad']
        : [names.secrets, names.secrets === 'vault' ? 'secrets' : 'vault'];
    const [file, otherFile] = this.#credentials.files;
    const words = {
      ...Object.fromEntries(labels.map((label) => [label, listeners.url(name, label)])),
      dialect: mine,
      'other dialect': others,
      file,
      'other file': otherFile,
    };
    const connection = filled(connectionOf(subject, name, written), words);
    const looked = trial === 'drift' && visit === 1 ? { suspend: false } : {};
    return [connection, subject.user(name, name, { deletionPolicy: 'Retain', ...looked })];
  }

  #extras({ subject, name, trial }: Declared): readonly Spec[] {
    if (trial === 'action')
      return extrasOf(name, trial).map((one) =>
        action(one, { connectionRef: { name }, action: { signal: { name: 'SIGHUP', task: 'server' } } }),
      );
    const deletionPolicy = trial === 'by hand' ? 'Retain' : 'Delete';
    return extrasOf(name, trial).map((one) => subject.user(one, name, { deletionPolicy }));
  }
}

export const connectionOf = (
  { kind }: Pick<ConnectionSubject, 'kind'>,
  name: string,
  written: Written,
): Spec => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind,
  metadata: { name },
  spec: written({ name }),
});

const extrasOf = (name: string, trial: Trial): readonly string[] =>
  Array.from({ length: Math.min(triedMax, countOf(trial)) }, (_, i) => `${name}-x${i}`);

const extraKey = (subject: ConnectionSubject, one: string, trial: Trial): string =>
  trial === 'action' ? `AllocationAction/shop/${one}` : userOf(subject, one);
