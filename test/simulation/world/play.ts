// Plays one history, from its beginning until all has come to rest, and tells what happened.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { History, OperatorName } from '../history/events.ts';
import { advance, begin, later, nowMs } from '../machine/time.ts';
import type { Account, End, Fact, Snapshot } from '../oracle/record.ts';
import { Acts } from './acts.ts';
import { takeBack } from './commits.ts';
import { Deeds } from './deeds.ts';
import { Ledger } from './ledger.ts';
import { MountLedger } from './mount-ledger.ts';
import { MountStrangers } from './mount-strangers.ts';
import { Network } from './network.ts';
import { Others } from './others.ts';
import { namespaces, Services } from './services.ts';
import { ClusterSite } from '../cluster/cluster-site.ts';
import { DirectorySite } from './directory-site.ts';
import type { Site, SiteHooks } from './site.ts';
import { deadlineMostMs, prepare } from './storage.ts';
import { Traps } from './traps.ts';
import { watchRoles } from './watcher.ts';

export const sources = ['directory', 'kubernetes'] as const;
export type SourceName = (typeof sources)[number];

/** After the last event and the end of all trouble: longer than any wait of the program. */
const healMs = 35 * 60_000;
/** While nothing is written any more: every object is looked at in it. */
const idleMs = 12 * 60_000;
const settleMs = 60_000;
/**
 * What is tried again says something else while it is tried: no try takes that long, and none begins as soon again. Whether all that
 * is declared is known is asked again each 20 s at the latest.
 */
const momentMs = 25_000;
/** Nothing that is asked for takes more: it goes round in a circle. */
const changesMax = 1_500;
const requestsMax = 20_000;

/** In memory where there is such a place: what is published is on a real file system, and nobody else's. */
const home = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** @param source where all is declared */
export async function play(
  { seed, setup, events }: History,
  source: SourceName = 'directory',
): Promise<Account> {
  begin(seed);
  const folder = mkdtempSync(join(home, 'holdfast-simulation-'));
  const bugs: string[] = [];
  const unfenced: { readonly at: number; readonly message: string }[] = [];
  const facts: Fact[] = [];
  const snapshots: Snapshot[] = [];
  const { nomad, narrow, watch } = setup;
  const dialect = { scheduler: nomad ? 'nomad' : 'cluster', secrets: nomad ? 'vault' : 'secrets' } as const;
  const services = await Services.open(seed, dialect, (error) => bugs.push(`service: ${String(error)}`));
  const ledger = new Ledger(
    new Map([
      ['s1', services.s1.state],
      ['s2', services.s2.state],
    ]),
    services.secrets.state,
  );
  const sites = new Map<OperatorName, Site>();
  const traps = new Traps(sites);
  const acts = new Acts(services.s1.state);
  const mounts = new MountLedger(services.secrets.state);
  const network = new Network(services, { disks: ledger, acts, mounts }, traps);
  const atMounts = new MountStrangers(services, mounts);
  const others = new Others(services, ledger, atMounts);
  for (const { slot, wish } of setup.mounted?.existing ?? []) await atMounts.make(slot, wish);
  if (setup.storage) prepare(services.s1.state, setup.storage);
  const siteOf = (name: OperatorName, where: { scheduler: 's1' | 's2'; namespace: string }): Site => {
    const hooks: SiteHooks = {
      carry: (sent) => network.carry(sent),
      before: traps.before,
      after: traps.after,
      fact: (what) => facts.push({ ...what, at: nowMs(), operator: name }),
      snapshot: (snapshot) => snapshots.push(snapshot),
      bug: (message) => bugs.push(message.replaceAll(folder, '')),
      unfenced: (message) => unfenced.push({ at: nowMs(), message }),
    };
    const roles = name === 'A' ? setup.roles : [];
    const hasRoles = roles.length > 0;
    const connected = { ...where, address: 0, nomad, narrow, limits: setup.limits, roles: hasRoles };
    const volumes = new Map(setup.volumes.map(({ slot, wish }) => [slot, wish]));
    const declared = new Map(roles.map(({ slot, wish }) => [slot, wish]));
    const { storage: stored, mounted: declaredAtMounts } = setup;
    const mounted =
      name === 'A' && declaredAtMounts
        ? { mounted: new Map(declaredAtMounts.declared.map(({ slot, wish }) => [slot, wish])) }
        : {};
    const none = { snapshots: new Map(), actions: new Map(), schedule: stored?.schedule };
    const storage = name === 'A' && stored ? { storage: none } : {};
    const repository = { connected, volumes, roles: declared, ...storage, ...mounted, spoilt: new Map() };
    mkdirSync(join(folder, name), { recursive: true });
    const replicas = name === 'A' ? (setup.replicas ?? 1) : 1;
    const options = { name, seed, folder: join(folder, name), watch, repository, hooks, replicas };
    if (source === 'directory') return new DirectorySite(options);
    const site = new ClusterSite(options);
    network.serve(site.memory);
    return site;
  };
  const first = siteOf('A', { scheduler: 's1', namespace: namespaces[0] });
  sites.set('A', first);
  const deeds = new Deeds({
    sites,
    others,
    network,
    traps,
    fact: (fact) => facts.push(fact),
    second: () => siteOf('B', setup.second),
    known: (place) => ledger.known(place),
  });
  services.start();
  const stale: End['stale'][number][] = [];
  if (setup.roles.length > 0) watchRoles(first, services, stale);
  first.start();
  for (const { at, action } of events) later(at, () => deeds.do(action));
  const changes = () => ledger.entries.length + mounts.acts.length;
  const isStorm = () => changes() > changesMax || network.requests > requestsMax;
  await advance((events.at(-1)?.at ?? 0) + settleMs, isStorm);
  deeds.heal();
  await advance(nowMs() + healMs, isStorm);
  // Asked before, too: while all is looked at again, it is not known what else may go.
  const awaitedHour = isHourAwaited(sites);
  for (const site of sites.values()) {
    takeBack(site);
    site.lookAgain();
  }
  await advance(nowMs() + settleMs, isStorm);
  const all = () => [...sites.values()].flatMap((site) => site.told());
  const awaitsHour = awaitedHour || isHourAwaited(sites);
  const commits = () => [...sites.values()].map(({ memory }) => memory.written);
  const [writes, written] = [network.writes.length, commits()];
  for (const site of sites.values()) site.lookAgain();
  await advance(nowMs() + idleMs, isStorm);
  const idle = commits().flatMap((n, i) => (n === written[i] ? [] : [`${n - (written[i] ?? 0)} commits`]));
  const idleWrites = [...network.writes.slice(writes), ...idle];
  const toldBefore = all();
  await advance(nowMs() + momentMs, isStorm);
  const end = {
    at: nowMs(),
    toldBefore,
    told: all(),
    registrations: ledger.registrations(),
    disks: ledger.disks(),
    held: mounts.held(),
    stale,
    isStorm: isStorm(),
    awaitsHour,
    idleWrites,
    bugs,
  };
  for (const site of sites.values()) site.end();
  await services.close();
  rmSync(folder, { recursive: true, force: true });
  const stored = {
    acts: acts.all,
    mountActs: mounts.acts,
    outages: others.outages('s1'),
    secretsOutages: others.outages('secrets'),
    deadlineMs: deadlineMostMs,
    unfenced,
    ...(source === 'kubernetes' && { inCluster: true as const }),
  };
  return { narrow, entries: ledger.entries, ...stored, snapshots, facts, end };
}

/** Snapshots of runs that are yet to come, by a clock that was set back, expire once their time has come. */
const isHourAwaited = (sites: ReadonlyMap<OperatorName, Site>): boolean =>
  [...sites.values()].some(
    (site) =>
      (site.clock.wasSetBack && site.repository.storage?.schedule !== undefined) ||
      site
        .told()
        .some(({ conditions }) => conditions.some(({ reason }) => reason === 'DeletionLimitExceeded')),
  );
