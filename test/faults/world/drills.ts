// Watches over restore drills: what they made and left, how often their command ran, and whether what is said of them is true.
// By the services' own word, whatever the program says.
import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../../src/core/json.ts';
import { isTrue } from '../../../src/core/status/condition.ts';
import type { Finding } from '../table/comparison.ts';
import type { World } from './world.ts';

const drawn = /-drill-[0-9a-f]{20}/g;

/** What a drill makes has a name that is drawn: two runs are compared without it. */
export const undrawnDrill = (text: string): string => text.replaceAll(drawn, '-drill-drawn');

const isClone = (name: string): boolean => name.search(drawn) >= 0;

const schedule = 'CSISnapshotSchedule/shop/object';

interface Cut {
  readonly name: string;
  readonly isCorrupt?: boolean;
}

/** A command was begun, and nothing is recorded of its end: nobody knows whether it ran. */
export async function isCommandOpen({ source }: World): Promise<boolean> {
  const actions = [...(await source.rows())].filter(([key]) => key.startsWith('AllocationAction/'));
  return actions.some(([, { status }]) => {
    const results: unknown = isRecord(status.own) ? status.own['results'] : undefined;
    return [results ?? []]
      .flat()
      .some((one: unknown) => isRecord(one) && one['phase'] === 'Started' && one['answered'] !== true);
  });
}

export async function drillsJudged(world: World): Promise<readonly Finding[]> {
  const row = (await world.source.rows()).get(schedule);
  return [...(await leftOver(world)), ...ranTooOften(world), ...(row ? await untrue(world, row.status) : [])];
}

async function leftOver({ scheduler, source }: World): Promise<readonly Finding[]> {
  const left = [
    ...(await scheduler.disks()).map(({ name }) => `disk ${name}`),
    ...(await scheduler.volumes()).map(({ ID, Name }) => `volume ${ID} ${Name}`),
    ...(await source.rows()).keys(),
  ];
  return left.filter(isClone).map((what): Finding => ['orphans', `of a drill there stays ${what}`]);
}

/** Each command has the name of its drill in it. */
function ranTooOften(world: World): readonly Finding[] {
  const all = world.tallies().executed.map(({ allocation, words }) => `${allocation}: ${words.join(' ')}`);
  const twice = new Set(all.filter((one, i) => isClone(one) && all.indexOf(one) < i));
  return [...twice].map((one): Finding => ['duplicates', `it was verified more than once: ${one}`]);
}

async function untrue(
  world: World,
  {
    own,
    observed,
    conditions,
  }: {
    readonly own?: unknown;
    readonly observed?: unknown;
    readonly conditions: Parameters<typeof isTrue>[0];
  },
): Promise<readonly Finding[]> {
  const { verified, failed } = isRecord(own) ? own : {};
  const shown = isRecord(observed) ? observed['lastVerifiedRestore'] : undefined;
  const found: string[] = [];
  if (!isDeepStrictEqual(shown, verified))
    found.push(
      `lastVerifiedRestore is ${JSON.stringify(shown)}, and recorded is ${JSON.stringify(verified)}`,
    );
  const says = isTrue(conditions, 'RestoreVerified');
  if (says && (verified === undefined || failed !== undefined))
    found.push('RestoreVerified is True, and no drill succeeded last');
  if (isRecord(verified) && verified['check'] === 'Exec') {
    const of = `${String(verified['snapshot'])}-`;
    const all = await world.scheduler.call<readonly Cut[]>('GET', '/setup/snapshots');
    const isCorrupt = all.some((one) => one.name.startsWith(of) && one.isCorrupt === true);
    if (isCorrupt) found.push(`${of} is corrupt, and called verified by a command`);
    const ran = world.tallies().executed.some(({ words }) => isClone(words.join(' ')));
    if (!ran) found.push('it is called verified by a command, and none ran');
  }
  return found.map((what): Finding => ['other', what]);
}
