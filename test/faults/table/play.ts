// Plays journeys: once to learn what they do, undisturbed to know where they end, and then case by case.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import type { EffectInfo } from '../../../src/core/effect.ts';
import type { Ended } from '../../support/cli.ts';
import { chance } from '../../support/chance.ts';
import { callOf, type Case, type Crash, type Found } from './cases.ts';
import { endOf } from '../world/final-state.ts';
import type { Journey } from '../journeys/journey.ts';
import { judge, type Finding, type Ran } from './comparison.ts';
import { drillsJudged, isCommandOpen } from '../world/drills.ts';
import { effectsOf, leftOpen, ofSession } from '../world/ledger.ts';
import { leftFrozen } from '../world/quiesces.ts';
import type { SourceName } from '../world/source-side.ts';
import { World } from '../world/world.ts';

/** What is known of a journey before anything is disturbed. */
export interface Learned {
  readonly journey: Journey;
  readonly dialects: DialectsName;
  readonly source: SourceName;
  /** The world at rest before it. */
  readonly from: string;
  readonly effects: readonly EffectInfo[];
  /** Where it may end. Learnt when it is first asked for: few cases are played of most journeys. */
  readonly ends: Ends;
  /** Where it may end as well if a command was cut off. */
  readonly failedEnds: Ends;
}

type Ends = (found: Found) => Promise<readonly Ran[]>;

export interface Played {
  /** Not every crash point was reached: a run can be shorter than the one that was learnt from. */
  readonly reached: boolean;
  readonly findings: readonly Finding[];
  readonly askedAgain: boolean;
  readonly output: string;
}

const restartsShare = 4;

export const said = ({ code, stdout, stderr }: Ended): string => `exit ${code}\n${stdout}${stderr}`;

type Change = (world: World) => unknown;

const remove: Change = (world) => world.undeclare();
const both =
  (one: Change, other: Change): Change =>
  async (world) => {
    await one(world);
    other(world);
  };

/** @returns a world that was closed: what the journey begins with */
export async function restBefore(
  journey: Journey,
  dialects: DialectsName,
  source: SourceName = 'directory',
): Promise<string> {
  await using world = await World.open(dialects, undefined, source);
  await journey.start(world);
  const first = await world.reconcile();
  if (first.code !== 0) throw new Error(`the journey does not start from rest: ${said(first)}`);
  await journey.meanwhile?.(world);
  await world.close(true);
  return world.cwd;
}

/** @param known called when it is known where the journey ends, and not yet what is done on the way */
export async function learn(
  journey: Journey,
  dialects: DialectsName,
  source: SourceName,
  known?: () => void,
): Promise<Learned> {
  const from = await restBefore(journey, dialects, source);
  const ends = endsOf(journey, dialects, source, from);
  const { fails } = journey;
  const failedEnds: Ends = fails
    ? endsOf({ ...journey, act: fails }, dialects, source, from)
    : () => Promise.resolve([]);
  if (known) {
    for (const found of ['as it was', 'deleted', 'edited'] as const)
      await Promise.all([ends(found), failedEnds(found)]);
    known();
  }
  const effects = await logged(journey, dialects, from, source);
  return { journey, dialects, source, from, effects, ends, failedEnds };
}

function endsOf(journey: Journey, dialects: DialectsName, source: SourceName, from: string): Ends {
  const undisturbed = async (changes: readonly Change[]): Promise<Ran> => {
    await using one = await World.open(dialects, from, source);
    let last: Ended | undefined;
    for (const change of changes) {
      await change(one);
      last = await one.reconcile();
      if (last.code !== 0 && last.code !== 3) throw new Error(`the journey can't be made: ${said(last)}`);
    }
    return (await rest(one, journey, last)).ran;
  };
  const { act, edit, halfway } = journey;
  const edited = edit ? [[act, edit], [edit], ...(halfway ? [[both(halfway, edit)]] : [])] : [];
  const ways: Readonly<Record<Found, readonly (readonly Change[])[]>> = {
    'as it was': [[act]],
    deleted: [[act, remove], [remove]],
    edited,
  };
  const learnt = new Map<Found, Promise<readonly Ran[]>>();
  return (found) => {
    const ends = learnt.get(found) ?? Promise.all(ways[found].map(undisturbed));
    learnt.set(found, ends);
    return ends;
  };
}

export async function logged(
  { act }: Journey,
  dialects: DialectsName,
  from: string,
  source: SourceName = 'directory',
): Promise<readonly EffectInfo[]> {
  await using world = await World.open(dialects, from, source);
  const log = join(world.cwd, 'effects.log');
  act(world);
  await world.reconcile(`log:${log}`);
  const text = await readFile(log, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): EffectInfo => JSON.parse(line));
}

export async function play(learned: Learned, one: Case): Promise<Played> {
  const { journey, dialects, source, from, effects } = learned;
  await using world = await World.open(dialects, from, source);
  journey.act(world);
  const { disturbance, found } = one;
  let reached = true;
  let isCutOff = disturbance.is === 'trouble' && effects[disturbance.at - 1]?.op === 'allocation.exec';
  if (disturbance.is === 'killed') {
    for (const at of disturbance.at) {
      const { code } = await crash(world, effects, at);
      if (code !== 'SIGKILL') reached = false;
      isCutOff ||= journey.fails !== undefined && (await isCommandOpen(world));
    }
  }
  if (found === 'deleted') world.undeclare();
  if (found === 'edited') journey.edit?.(world);
  if (disturbance.is === 'trouble') {
    const call = callOf(effects, disturbance.at);
    if (call) world.proxies[call.service].arm((n) => (n === call.n ? disturbance.trouble : undefined));
  }
  const late = disturbance.is === 'trouble' && disturbance.trouble === 'late';
  const { ran, output } = await rest(world, journey, await again(world, one, late));
  await world.close(); // to learn an end takes a cluster too
  const ends = [...(await learned.ends(found)), ...(isCutOff ? await learned.failedEnds(found) : [])];
  const findings = [...judge(ran, ends, late), ...sessionsLeft(ran, disturbance, effects)];
  return { reached, findings, askedAgain: ran.askedAgain, output };
}

/** The run after the disturbance. Most are as fast as can be; one in so many is a process of its own again. */
async function again(world: World, { name, disturbance }: Case, late: boolean): Promise<Ended> {
  const isProcess = disturbance.is === 'killed' && chance('restart', name) < 1 / restartsShare;
  const ended = isProcess ? await world.apply() : await world.reconcile();
  if (!late) return ended;
  await world.settled(); // what came late is seen by the next look
  return world.reconcile();
}

/** A process that was killed, or not understood, leaves one login at most; any other ends its own. */
function sessionsLeft(
  { sessions }: Ran,
  disturbance: Case['disturbance'],
  effects: readonly EffectInfo[],
): readonly Finding[] {
  const struck = (n: number) => Number(ofSession(effects[n - 1] ?? { op: '' }));
  const most = disturbance.is === 'killed' ? disturbance.at.length : struck(disturbance.at);
  return sessions > most ? [['orphans', `${sessions} sessions are left open instead of ${most}`]] : [];
}

async function crash(world: World, effects: readonly EffectInfo[], { n, when }: Crash): Promise<Ended> {
  const call = callOf(effects, n);
  if ((when !== 'reply' && when !== 'half') || !call) return world.apply(`kill:${when}:${n}`);
  const kill = when === 'half' ? 'killed half way' : 'killed before the reply';
  world.proxies[call.service].arm((seen) => (seen === call.n ? kill : undefined));
  const ended = await world.apply();
  world.calm();
  return ended;
}

/** Runs to rest, and once more, which must write nothing. @param last how the last run ended, if there was one */
export async function rest(
  world: World,
  journey: Journey,
  last: Ended | undefined,
): Promise<{ readonly ran: Ran; readonly output: string }> {
  let ended = last ?? (await world.reconcile());
  await world.settled();
  let end = await endOf(world);
  const unknown = Object.values(end.rows).some((row) => / Unknown \w*Unknown"/.test(JSON.stringify(row)));
  const askedAgain = unknown && journey.askAgain !== undefined;
  if (askedAgain) {
    journey.askAgain?.(world);
    ended = await world.reconcile();
    end = await endOf(world);
  }
  const effects = effectsOf(world.ledger);
  const open = leftOpen(world.ledger);
  const watched = [...leftFrozen(world.ledger), ...(await drillsJudged(world))];
  world.forget();
  const more = await world.reconcile();
  const sessions = open + leftOpen(world.ledger);
  const restless = world.ledger.filter((entry) => !ofSession(entry)).length;
  const output = `${said(ended)}\nonce more: ${said(more)}`;
  return { ran: { end, effects, watched, code: ended.code, restless, sessions, askedAgain }, output };
}
