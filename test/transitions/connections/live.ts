// What is seen of a connection: its last requests at the listeners, what it says of itself, and what became of what was tried through
// it. Two connections with the same declaration look alike.
import { pairKey } from '../../../src/embedded/scheduler/store/model.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import type { Outcome } from '../lanes.ts';
import { words } from './accounts.ts';
import type { Received } from './listeners.ts';
import type { ConnectionSubject } from './subjects.ts';
import type { RunningWorld } from './world.ts';

const probes: readonly (readonly [string, (received: Received) => boolean])[] = [
  ['leader', ({ url }) => url.pathname === '/v1/status/leader'],
  ['list', ({ url }) => url.pathname === '/v1/volumes' && url.searchParams.get('per_page') === '1'],
  ['agent', ({ url }) => url.pathname === '/v1/agent/self'],
  ['health', ({ url }) => url.pathname === '/v1/sys/health'],
  ['login', ({ url }) => /^\/v1\/auth\/.*\/login$/.test(url.pathname)],
  ['token', ({ url }) => url.pathname === '/v1/auth/token/lookup-self'],
];

const known: readonly string[] = Object.values(words);

const issued: ReadonlySet<string> = new Set(['x-vault-token', 'x-secrets-token']);

/** What a login yields is drawn. */
const shown = (value: string, header: string): string =>
  issued.has(header) && !known.includes(value) ? '<issued>' : value;

function signature({ listener, method, url, headers, body, tls }: Received): unknown {
  url.searchParams.sort();
  const sent = Object.entries(headers).map(([name, value]) => [name, shown(value, name)]);
  return {
    listener,
    call: `${method} ${url.pathname}${url.search}`,
    headers: Object.fromEntries(sent.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1))),
    ...(url.pathname.endsWith('/login') && { body }),
    ...(tls && { tls }),
  };
}

/** Of the declaration that stands. */
function requests(world: RunningWorld, { kind }: ConnectionSubject, name: string): unknown {
  const since = world.sinceMs(`${kind}/${name}`);
  const received = world.listeners[kindOf(kind)].received(name).filter(({ atMs }) => atMs >= since);
  return Object.fromEntries(
    probes.flatMap(([what, is]) => {
      const last = received.findLast(is);
      return last ? [[what, signature(last)]] : [];
    }),
  );
}

export const kindOf = (kind: string): 'SchedulerConnection' | 'SecretsConnection' =>
  kind === 'SchedulerConnection' ? kind : 'SecretsConnection';

/** What a trial showed before it was taken away again. */
export interface Tested {
  /** Of each object: whether it could be made, or why not. */
  readonly made: readonly string[];
  /** Where that was counted, and nothing else of interest. */
  readonly atOnce?: number;
}

const manyAtOnce = 3;

export interface Shown extends Outcome {
  /** What there is whatever is declared of it and refused. */
  readonly kept: string;
}

export function outcomeOf(
  world: RunningWorld,
  subject: ConnectionSubject,
  name: string,
  tested: Tested | undefined,
): Shown {
  const key = `${subject.kind}/${name}`;
  const user = userOf(subject, name);
  const kept = {
    requests: requests(world, subject, name),
    says: masked(world.read(key)?.status.observed),
    user: said(world, user),
    has: hasOf(world, subject, name),
  };
  const seen = {
    ...kept,
    is: said(world, key),
    ...(tested && {
      made: tested.made.map((one) => one.replace(/-x\d/, '-x')),
      ...(tested.atOnce === undefined
        ? { left: leftOf(world, subject, name) }
        : { atOnce: tested.atOnce < manyAtOnce ? tested.atOnce : 'many' }),
    }),
  };
  const text = (value: unknown) => JSON.stringify(value, undefined, 1).replaceAll(name, '<name>');
  const problem = world.problem(key);
  const whys = [key, user].flatMap((one) => whyNot(world, one));
  const why = problem === undefined ? whys[0] : `refused: ${problem}`;
  return {
    live: text(seen),
    kept: text(kept),
    isReady: whys.length === 0,
    ...(why !== undefined && { why }),
  };
}

export const userOf = ({ kind }: ConnectionSubject, name: string): string =>
  `${kind === 'SchedulerConnection' ? 'CSIVolume' : 'LDAPConfig'}/shop/${name}`;

/** Ports and the ID of a service are drawn. */
const masked = (value: unknown): unknown => {
  const { cluster: _, ...rest } = Object(value);
  return rest;
};

/** As it says itself. */
export function said(world: RunningWorld, key: string): string {
  const entry = world.read(key);
  if (!entry) return 'gone';
  const ready = conditionOf(entry.status.conditions, 'Ready');
  const text = `${ready?.status} ${ready?.reason}: ${ready?.status === 'True' ? '' : ready?.message}`;
  return text.replaceAll(/127\.0\.0\.1:\d+/g, '<address>').replaceAll(/-x\d\b/g, '-x');
}

function whyNot(world: RunningWorld, key: string): readonly string[] {
  const ready = conditionOf(world.read(key)?.status.conditions ?? [], 'Ready');
  return ready?.status === 'True' ? [] : [`${key}: ${ready?.reason}: ${ready?.message}`];
}

/** What its user has: as declared, or as somebody changed it. */
const hasOf = (world: RunningWorld, { kind }: ConnectionSubject, name: string): unknown =>
  kind === 'SchedulerConnection'
    ? world.scheduler.volumes.get(pairKey('default', name))?.MountOptions
    : world.secrets.configs.get(name)?.values['userdn'];

/** What should have gone, and is there. */
function leftOf(world: RunningWorld, { kind }: ConnectionSubject, name: string): readonly string[] {
  const there = [0, 1, 2, 3, 4, 5].map((i) => `${name}-x${i}`);
  const isThere = (one: string) =>
    kind === 'SchedulerConnection'
      ? world.scheduler.volumes.get(pairKey('default', one)) !== undefined
      : world.secrets.configs.get(one) !== undefined;
  return there.filter(isThere);
}
