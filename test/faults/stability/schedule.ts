// A time of troubles, planned as a whole from a seed: what people edit, and what happens to which request. Nothing here
// depends on time: the same seed is the same plan.
import type { Spec } from '../../support/manifests.ts';
import { chance } from '../../support/chance.ts';
import { troubles, type Trouble } from '../world/proxy.ts';

export const readTroubles = ['fails', 'breaks', 'slow'] as const;
export type ReadTrouble = (typeof readTroubles)[number];

export const services = ['scheduler', 'secrets'] as const;
export type ServiceName = (typeof services)[number];

/** One process of the program. */
export interface Run {
  /** What happens to the n-th request of each service that changes something, and that reads; `undefined`: nothing. */
  readonly writes: Readonly<Record<ServiceName, readonly (Trouble | undefined)[]>>;
  readonly reads: Readonly<Record<ServiceName, readonly (ReadTrouble | undefined)[]>>;
  /** It is killed at this request, of both services and all sorts, and whether that is sent on before. */
  readonly killed: { readonly at: number; readonly sent: boolean } | undefined;
}

/** What is declared of a volume or role; `undefined`: it is not. */
type Declared = Spec | undefined;

export interface Round {
  /** Name → what is declared from now on. */
  readonly volumes: Readonly<Record<string, Declared>>;
  readonly roles: Readonly<Record<string, Declared>>;
  /** Role → the token with which a rotation is asked for. */
  readonly tokens: Readonly<Record<string, string>>;
  readonly config: Spec;
  readonly runs: readonly Run[];
}

const roundCount = 5;
const runsPerRound = 2;
const requestsPlanned = 80;
const share = { write: 0.3, read: 0.06, kill: 0.7 };
const killedUpTo = 45;

const pick = <T>(seed: string, name: string, from: readonly T[]): T | undefined =>
  from[Math.floor(chance(seed, name) * from.length)];

const perhaps = <T>(seed: string, name: string, odds: number, from: readonly T[]): T | undefined =>
  chance(seed, name) < odds ? pick(seed, `which ${name}`, from) : undefined;

function planned<T>(seed: string, name: string, odds: number, from: readonly T[]) {
  const of = (service: ServiceName) =>
    Array.from({ length: requestsPlanned }, (_, n) => perhaps(seed, `${name} ${service} ${n}`, odds, from));
  return { scheduler: of('scheduler'), secrets: of('secrets') };
}

function runOf(seed: string): Run {
  const isKilled = chance(seed, 'is killed') < share.kill;
  const at = 1 + Math.floor(chance(seed, 'killed at') * killedUpTo);
  return {
    writes: planned(seed, 'write', share.write, troubles),
    reads: planned(seed, 'read', share.read, readTroubles),
    killed: isKilled ? { at, sent: chance(seed, 'killed after') < 0.5 } : undefined,
  };
}

const capacity = { min: '1Gi' };
const secrets = { key: { name: 'plugin', key: 'key' } };

/** All of its fields at any time: which of them were ever written must make no difference in the end. */
function made(seed: string, type = 'fast'): Spec {
  const fsType = pick(seed, 'file system', ['xfs', 'ext4']);
  const mountFlags = [pick(seed, 'flag', ['noatime', 'nodiratime'])];
  return {
    deletionPolicy: 'Delete',
    replacePolicy: 'WhenUnused',
    secrets,
    create: { capacity, parameters: { type } },
    mountOptions: { fsType, mountFlags },
  };
}

const registered = (seed: string): Spec => ({
  pluginID: 'nfs',
  deletionPolicy: 'Deregister',
  register: { externalID: 'export' },
  mountOptions: { fsType: pick(seed, 'file system', ['xfs', 'ext4']) },
});

const job = {
  connectionRef: { name: 'main' },
  id: 'shop',
  task: 'server',
  action: 'Signal',
  signal: 'SIGHUP',
};

const role = (seed: string, name: string): Spec => ({
  deletionPolicy: 'Delete',
  username: name,
  dn: `uid=${name},ou=services,dc=example,dc=org`,
  rotationPeriod: pick(seed, 'period', ['24h', '168h']),
  output: { secretName: `${name}-login` },
  ...(name === 'shop' && { consumers: [{ job }] }),
});

/**
 * Each one replaces the volume. None comes back: edited back half way, a replacement waits for a person
 * (docs/decisions/0015-a-disk-is-retired-before-it-is-destroyed.md).
 */
function typeOf(seed: string, name: string, n: number): string {
  const rounds = Array.from({ length: n }, (_, before) => before + 1);
  const edits = rounds.filter((round) => chance(seed, `${name} is replaced in ${round}`) < 0.5).length;
  return `type-${edits}`;
}

/** Present, absent in one round, and there again: what was deleted and made anew is another object. */
const away = (seed: string, name: string): number =>
  1 + Math.floor(chance(seed, `${name} is away`) * (roundCount - 2));

function roundOf(seed: string, n: number): Round {
  const at = `${seed}/round ${n}`;
  const isLast = n === roundCount - 1;
  const leaves = (name: string) => n >= away(seed, name);
  return {
    volumes: {
      kept: made('kept'),
      edited: made(`${at}/edited`),
      replaced: made(`${at}/replaced`, typeOf(seed, 'replaced', n)),
      anew: n === away(seed, 'anew') ? undefined : made(`${at}/anew`),
      left: leaves('left') ? undefined : made(`${at}/left`, typeOf(seed, 'left', n)),
      registered: registered(`${at}/registered`),
    },
    roles: {
      shop: role(`${at}/shop`, 'shop'),
      billing: leaves('billing') ? undefined : role(`${at}/billing`, 'billing'),
    },
    tokens: { shop: String(1 + Math.floor(n / 2)), billing: 'once' },
    config: { userAttr: pick(at, 'attribute', ['uid', 'cn']) },
    runs: isLast
      ? [runOf(`${at}/run`)]
      : Array.from({ length: runsPerRound }, (_, i) => runOf(`${at}/run ${i}`)),
  };
}

export const scheduleOf = (seed: string): readonly Round[] =>
  Array.from({ length: roundCount }, (_, n) => roundOf(seed, n));
