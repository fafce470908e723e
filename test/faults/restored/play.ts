// Plays a restored state: put back to each commit of a journey after that had ended, with what became of the object since.
// Whatever the state believes, nothing is destroyed and no password is changed on its word; and once a person says to go on
// from it, no more goes than is declared to go.
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import { sampled, type Case } from '../table/cases.ts';
import { destroyedIn, holdingsOf, lostOf, rotatedOf, type Holdings } from '../world/holdings.ts';
import { nameOf, type Journey } from '../journeys/journey.ts';
import type { Finding } from '../table/comparison.ts';
import { commitsIn, statesOf } from './commits.ts';
import { logged, restBefore, said } from '../table/play.ts';
import { each, type Failure, type Rowed, type RowOptions } from '../table/row.ts';
import { handedOn, isOwn } from './handover.ts';
import { broken, tally } from '../table/tally.ts';
import { objectFile, World } from '../world/world.ts';

/** What became of the object since the state was written. */
const changes = ['as it was', 'deleted', 'edited', 'handed on', 'handed on, and deleted'] as const;
type Since = (typeof changes)[number];

interface Past {
  readonly kind: string;
  readonly journey: Journey;
  readonly dialects: DialectsName;
  /** The world at rest before the journey, and after it. */
  readonly from: string;
  readonly ended: string;
  /** Files of the state at each commit, but those at which it was left. */
  readonly states: readonly string[];
}

interface Restored extends Pick<Case, 'name'> {
  readonly past: Past;
  readonly state: string;
  readonly since: Since;
}

async function pastOf(kind: string, journey: Journey, dialects: DialectsName): Promise<Past> {
  const from = await restBefore(journey, dialects);
  const effects = await logged(journey, dialects, from);
  const { world, states } = await killedAtItsEnd(journey, dialects, from, effects.length);
  await world.settled();
  const last = await world.reconcile();
  if (last.code !== 0 && last.code !== 3) throw new Error(`the journey can't be made: ${said(last)}`);
  await world.close(true);
  const left = commitsIn(join(world.cwd, '.holdfast/state.sqlite'));
  const ended = world.cwd;
  return { kind, journey, dialects, from, ended, states: states.filter((file) => commitsIn(file) < left) };
}

/** A process that comes to its end folds its log away, so it is killed right after its last effect. */
async function killedAtItsEnd(journey: Journey, dialects: DialectsName, from: string, effects: number) {
  for (let n = effects; n > 0; n--) {
    const world = await World.open(dialects, from);
    journey.act(world);
    const state = join(world.cwd, '.holdfast/state.sqlite');
    const begun = join(world.cwd, 'begun.sqlite');
    cpSync(state, begun);
    const { code } = await world.apply(`kill:after:${n}`);
    const states = code === 'SIGKILL' ? statesOf(begun, `${state}-wal`, join(world.cwd, 'past')) : [];
    if (states.length > 1) return { world, states }; // the first is as it began
    await world.close(); // it had fewer effects this time, or no log is left
  }
  throw new Error('the journey has no effect');
}

function casesOf(past: Past): readonly Restored[] {
  const { kind, journey, states } = past;
  const played = changes.filter((since) => {
    if (since === 'edited') return journey.edit !== undefined;
    return since.startsWith('handed on') ? handedOn[kind] !== undefined : true;
  });
  return states.flatMap((state, n) =>
    played.map((since) => ({ past, state, since, name: `commit ${n} of ${states.length}, ${since}` })),
  );
}

/** Every commit of the journey, in all its dialects. @returns as effects: commits to which it was put back */
export async function restoredRow(kind: string, journey: Journey, options: RowOptions): Promise<Rowed> {
  const { seed, share, only = /(?:)/, known } = options;
  const pasts = await each(journey.dialects, (dialects) => pastOf(kind, journey, dialects));
  known?.();
  const name = `restored: ${nameOf(journey)}`;
  const cases = pasts.flatMap((past) =>
    sampled(casesOf(past), share, `${seed}/${kind}/${name}/${past.dialects}`).filter((one) =>
      only.test(one.name),
    ),
  );
  const results = await each(cases, async (one): Promise<Failure> => {
    const where = `${kind}, ${name}, ${one.past.dialects}: ${one.name}`;
    return { where, ...(await play(one).catch(broken)) };
  });
  return tally(kind, name, Math.max(...pasts.map(({ states }) => states.length)), results);
}

async function play({ past, state, since }: Restored): Promise<Omit<Failure, 'where'>> {
  const { kind, journey, dialects, ended } = past;
  const world = await World.open(dialects, ended);
  journey.act(world);
  world.restore(state);
  const before = await holdingsOf(world);
  if (since.startsWith('handed on')) await handedOn[kind]?.(world);
  if (since.endsWith('deleted')) world.undeclare();
  if (since === 'edited') journey.edit?.(world);
  const now = await holdingsOf(world);
  world.forget();

  const first = await world.reconcile();
  const findings = [...untrusted(now, await holdingsOf(world)), ...asked(world)];
  const [, digest] =
    /approve this state: holdfast approve (\w+)/.exec(`${first.stdout}${first.stderr}`) ?? [];
  if (digest === undefined) findings.push(['other', 'that it is a state of before was not noticed']);

  const approved = await world.approve(digest ?? '');
  if (approved.code !== 0) findings.push(['manual steps', `it can't be approved: ${said(approved)}`]);
  const second = await world.reconcile();
  const after = await holdingsOf(world);
  const lost = lostOf(now, after).filter((name) => !mayGo(world, past, since, name, before, after));
  findings.push(
    ...lost.map((name): Finding => ['wrong deletes', `${name} is gone, or another, after the approval`]),
    ...rotatedOf(now, after),
  );
  await world.close();
  const output = [first, approved, second].map(said).join('\n');
  return { findings, output };
}

/** Before a person said to go on from it. */
const untrusted = (before: Holdings, now: Holdings): Finding[] =>
  lostOf(before, now).map((name) => ['wrong deletes', `${name} is gone, or another, and nobody approved`]);

const asked = (world: World): readonly Finding[] =>
  destroyedIn(world).map((call) => ['wrong deletes', `${call}, and nobody approved`]);

/** Whatever stands there was to be made as declared: another registration, while its disk stays. */
const takesOver = ({ tree }: World): boolean => {
  const declared = readFileSync(join(tree.path, objectFile), 'utf8');
  return /adoptionPolicy: Adopt$/m.test(declared) && /replacePolicy: WhenUnused/.test(declared);
};

/** After that: what was the object's own and nobody else's since, as far as it was declared to go. */
function mayGo(
  world: World,
  { kind, journey, from, ended }: Past,
  since: Since,
  name: string,
  before: Holdings,
  after: Holdings,
): boolean {
  const isThere = existsSync(join(world.tree.path, objectFile));
  // Nothing tells whose a configuration is: that of somebody else is kept as declared, and never deleted.
  if (isThere && name === 'config ldap' && after.things.has(name)) return true;
  if (isThere && name.startsWith('volume ') && after.things.has(name) && takesOver(world)) return true;
  if (since.startsWith('handed on') || !isOwn(kind, name, before)) return false;
  if (isThere) {
    const isReplaced = since === 'edited' && (journey.part === 'create' || journey.part === 'replace');
    return isReplaced && (name.startsWith('disk ') || after.things.has(name));
  }
  const declared = [ended, from]
    .map((cwd) => join(cwd, 'tree', objectFile))
    .filter((file) => existsSync(file))
    .map((file) => readFileSync(file, 'utf8'));
  if (/deletionPolicy: Delete/.test(declared[0] ?? '')) return true;
  return /deletionPolicy: Deregister/.test(declared[0] ?? '') && name.startsWith('volume ');
}
