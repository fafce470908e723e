// Plays a time of troubles, and then a time without any.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import { secret, volume } from '../../support/manifests.ts';
import { staticRole } from '../../support/secrets.ts';
import { endingOf } from '../world/hang.ts';
import { endOf, type End } from '../world/final-state.ts';
import type { Finding } from '../table/comparison.ts';
import { called, destroys, effective, type Entry } from '../world/ledger.ts';
import { failure, type Answer, type Forward, type Passing } from '../world/proxy.ts';
import { services, type ReadTrouble, type Round, type Run, type ServiceName } from './schedule.ts';
import { World } from '../world/world.ts';

/** A rotation whose reply was lost may be under way for a request timeout and a margin (11 s), before it is repeated. */
export const boundMs = 45_000;
/** Of a troubled run: it is not given the time to wait for everything. */
const troubledSeconds = '10';
const slowMs = 1_500;
const restPasses = 10;

/** What a time of troubles left behind. */
export interface Weathered {
  readonly end: End;
  readonly code: number | string;
  /** Until all was ready, without troubles. */
  readonly tookMs: number;
  readonly ledger: readonly Entry[];
  /** Requests that change something, and effects on files, of all passes after that. */
  readonly restless: number;
  /** Troubles that came true. */
  readonly suffered: number;
  readonly output: string;
}

export async function weather(
  rounds: readonly Round[],
  dialects: DialectsName,
  troubled: boolean,
): Promise<Weathered> {
  const world = await World.open(dialects);
  world.tree.put('secret.yaml', secret('shop', 'plugin', { key: 'canary-faults-plugin-key' }));
  await foreign(world);
  let output = '';
  let suffered = 0;
  for (const round of rounds) {
    declare(world, round);
    for (const run of troubled ? round.runs : []) suffered += await trouble(world, run);
    if (!troubled) output += (await world.apply()).stdout;
  }
  await world.settled();
  const startedMs = performance.now();
  const last = await world.apply();
  const tookMs = Math.round(performance.now() - startedMs);
  const end = await endOf(world);
  const ledger = [...world.ledger];
  world.forget();
  const log = join(world.cwd, 'effects.log');
  for (let pass = 0; pass < (troubled ? restPasses : 1); pass++)
    output += (await world.apply(`log:${log}`)).stderr;
  const restless = world.ledger.length + Number(existsSync(log));
  await world.close();
  output += `${last.stdout}${last.stderr}`;
  return { end, code: last.code, tookMs, ledger, restless, suffered, output };
}

/** Somebody else's. */
async function foreign({ scheduler }: World): Promise<void> {
  const RequestedCapabilities = [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }];
  const one = {
    ID: 'foreign',
    Name: 'by-hand',
    Namespace: 'default',
    PluginID: 'nfs',
    ExternalID: 'of-nobody',
  };
  await scheduler.call('PUT', '/v1/volume/csi/foreign', { Volumes: [{ ...one, RequestedCapabilities }] });
}

function declare(world: World, { volumes, roles, tokens, config }: Round): void {
  world.configure(config);
  for (const directory of ['volumes', 'roles']) world.tree.put(`${directory}/.gitkeep`, ''); // all in it may leave
  for (const [name, spec] of Object.entries(volumes))
    if (spec) world.tree.put(`volumes/${name}.yaml`, volume(name, spec));
    else world.tree.remove(`volumes/${name}.yaml`);
  for (const [name, spec] of Object.entries(roles)) {
    const annotations = { 'holdfast.dev/rotate': tokens[name] ?? '' };
    const named = { ...staticRole(spec), metadata: { namespace: 'shop', name, annotations } };
    if (spec) world.tree.put(`roles/${name}.yaml`, named);
    else world.tree.remove(`roles/${name}.yaml`);
  }
}

/** One process, in trouble. @returns how often */
async function trouble(world: World, run: Run): Promise<number> {
  let requests = 0;
  let suffered = 0;
  const child = world.start(['apply', 'tree', '--timeout', troubledSeconds]);
  /** Counts a request, and has it be the last. */
  const counted = async (passing: Passing, forward: Forward): Promise<Answer | undefined> => {
    requests += 1;
    if (requests !== run.killed?.at) return undefined;
    const answer = run.killed.sent ? await forward(passing) : failure(500); // nobody hears it
    child.kill('SIGKILL');
    suffered += 1;
    return answer;
  };
  for (const service of services) attach(world, service, run, counted, () => (suffered += 1));
  await endingOf(child);
  for (const proxy of Object.values(world.proxies)) {
    proxy.read = () => Promise.resolve(undefined);
    proxy.write = () => Promise.resolve(undefined);
  }
  await world.settled();
  return suffered;
}

function attach(
  { proxies }: World,
  service: ServiceName,
  { writes, reads }: Run,
  counted: (passing: Passing, forward: Forward) => Promise<Answer | undefined>,
  suffer: () => void,
): void {
  const proxy = proxies[service];
  let n = 0;
  let changes = 0;
  proxy.read = async (passing, forward) => {
    const what = reads[service][n++];
    if (what !== undefined) suffer();
    return (await counted(passing, forward)) ?? (what && (await troubledRead(what)));
  };
  let halfDone = false;
  proxy.arm((number) => {
    changes = number - 1;
    const what = writes[service][changes];
    if (what !== undefined) suffer();
    halfDone = what === 'half done'; // only of some is that said: the write decides
    return halfDone ? undefined : what;
  });
  proxy.write = async (passing, forward) => {
    const isHalf = halfDone && called(passing.method, passing.url).op === 'volume.create';
    halfDone = false;
    const answer = await counted(passing, forward);
    if (answer || !isHalf) return answer;
    await forward(passing);
    const url = passing.url.replace(/\/create\?/, '?');
    await forward({ ...passing, method: 'DELETE', url, body: Buffer.alloc(0) });
    return failure(500);
  };
}

async function troubledRead(what: ReadTrouble): Promise<Answer | undefined> {
  if (what === 'fails') return failure(500);
  if (what === 'breaks') throw new Error('the connection breaks');
  await pause(slowMs); // the slowness itself
  return undefined;
}

/** Of a volume that was registered again the scheduler does not tell its size. */
const size = /,?\\"(Requested)?Capacity(Min)?\\":\d+/g;

/** What can be compared of two runs that saw other edits on their way: not how often a job was told. */
export function comparable(end: End): End {
  const same: End = JSON.parse(JSON.stringify(end).replaceAll(size, ''));
  return { ...same, jobs: {} };
}

/** What must never have happened on the way. */
export function trespasses({ ledger }: Weathered, rounds: readonly Round[]): readonly Finding[] {
  const rotations = Object.keys(rounds[0]?.roles ?? {}).flatMap((name): Finding[] => {
    const asked = new Set(rounds.flatMap(({ roles, tokens }) => (roles[name] ? [tokens[name]] : []))).size;
    const made = effective(ledger).filter(
      ({ op, call }) => op === 'ldap.role.rotate' && call.endsWith(`/${name}`),
    ).length;
    return made > asked ? [['duplicates', `${name}: ${made} rotations for ${asked} requests`]] : [];
  });
  const mayGo = /\/(retired-of-)?(anew|left|replaced|billing|registered|edited)(\/|$)/;
  const wrong = ledger.filter((entry) => destroys(entry) && !mayGo.test(entry.call));
  return [...rotations, ...wrong.map(({ call }): Finding => ['wrong deletes', call])];
}
