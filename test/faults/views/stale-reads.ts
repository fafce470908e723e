// Journeys whose reads lie now and then: learnt with true answers, played with an old one in each place where there was one.
import type { DialectsName } from '../../../src/runtime/embedded/running.ts';
import { sampled } from '../table/cases.ts';
import { nameOf, type Journey } from '../journeys/journey.ts';
import { judge, type Finding, type Ran } from '../table/comparison.ts';
import { rest } from '../table/play.ts';
import { each, type Failure, type RowOptions } from '../table/row.ts';
import { Views, type Decision, type Stale } from './stale.ts';
import { broken, tally } from '../table/tally.ts';
import type { Row } from '../table/table.ts';
import { World } from '../world/world.ts';

interface Learned {
  readonly journey: Journey;
  readonly dialects: DialectsName;
  readonly from: string;
  /** What was shown on the way to where the journey begins. */
  readonly views: Views;
  readonly cases: readonly Looking[];
  readonly end: Ran;
}

/** A case. */
interface Looking {
  readonly name: string;
  readonly stale: Stale;
}

/** How often a call that destroys was decided on. */
export interface Decided {
  readonly all: number;
  /** Of those: after an old answer about that very object. */
  readonly onOld: number;
  /** Of those: such as nobody decides on who sees the truth. */
  readonly wrong: number;
  /** Cases in which a read of one object lied, and which ended otherwise than the truth would have. */
  readonly otherwise: number;
}

async function learn(journey: Journey, dialects: DialectsName): Promise<Learned> {
  const world = await World.open(dialects);
  const views = new Views();
  views.attach(world);
  await journey.start(world);
  const first = await world.reconcile();
  if (first.code !== 0)
    throw new Error(`the journey does not start from rest: ${first.stdout}${first.stderr}`);
  await journey.meanwhile?.(world);
  await world.close(true);
  const one = await World.open(dialects, world.cwd);
  const seen = new Views(views);
  seen.attach(one);
  journey.act(one);
  const ended = await one.reconcile();
  seen.detach(one);
  const { ran } = await rest(one, journey, ended);
  await one.close();
  const stales: readonly Stale[] = [
    ...seen.possible,
    ...[1, 2, 3].map((reads) => ({ is: 'own writes late', reads }) as const),
  ];
  return {
    journey,
    dialects,
    from: world.cwd,
    views,
    cases: stales.map((stale) => ({ name: said(stale), stale })),
    end: ran,
  };
}

const said = (stale: Stale): string =>
  stale.is === 'one read'
    ? `as it was ${stale.from === 'first' ? 'at first' : 'before'}: ${stale.read}`
    : `own writes seen late: ${stale.reads} looks`;

async function play({ journey, dialects, from, views, end }: Learned, { stale }: Looking) {
  const world = await World.open(dialects, from);
  journey.act(world);
  const lying = new Views(views);
  lying.attach(world, stale);
  const { stdout, stderr, code } = await world.apply();
  lying.detach(world);
  const { ran, output } = await rest(world, journey, undefined);
  const excused = (call: string): boolean => !isPromised(stale) && letsGo.test(call);
  const wrong = lying.decisions.filter(({ call }) => !end.effects.has(call) && !excused(call));
  // What was seen too late can't be told from what was never done: what can be found may be asked for once more.
  const judged = judge(ran, [end], true);
  const findings: readonly Finding[] = [
    ...judged.filter(([column]) => isPromised(stale) || column === 'duplicates'),
    ...wrong.map(({ call }): Finding => ['wrong deletes', `decided on: ${call}`]),
  ];
  await world.close();
  const log = `lied to ${lying.served} times: exit ${code}\n${stdout}${stderr}\n${output}`;
  return {
    findings,
    output: log,
    decisions: lying.decisions,
    wrong: wrong.length,
    otherwise: judged.length > 0,
  };
}

/**
 * Of a registration that Holdfast made under a name of its own. Told by a read of the volume that its disk is there again,
 * it keeps the disk and drops that registration: no data goes.
 */
const letsGo = /^volume\.deregister .*\/retired-of-/;

/**
 * A read of one object, at default consistency, is taken for the truth: where it shows what was so before the last own
 * write, nothing is destroyed or made twice for it, but the object may have to be looked after. Lists, and own writes that
 * are seen late, are nobody's business.
 */
const isPromised = (stale: Stale): boolean =>
  stale.is === 'own writes late' ||
  /^GET \/v1\/(volumes|allocations|jobs|plugins|nodes)\b|list=true/.test(stale.read);

/** One row of the table, of a journey in all its dialects. */
export async function looked(
  kind: string,
  journey: Journey,
  { seed, share, only = /(?:)/, known = () => {} }: RowOptions,
): Promise<{ readonly row: Row; readonly failures: readonly Failure[]; readonly decided: Decided }> {
  const learned = await each(journey.dialects, (dialects) => learn(journey, dialects));
  known();
  const name = `${nameOf(journey)}, old answers`;
  const cases = learned.flatMap((one) =>
    sampled(one.cases, share, `${seed}/${kind}/${name}/${one.dialects}`)
      .filter((which) => only.test(which.name))
      .map((which) => [one, which] as const),
  );
  const decisions: Decision[] = [];
  let wrong = 0;
  let otherwise = 0;
  const results = await each(cases, async ([one, which]) => {
    const played = await play(one, which).catch((error: unknown) => ({
      ...broken(error),
      decisions: [],
      wrong: 0,
      otherwise: false,
    }));
    decisions.push(...played.decisions);
    wrong += played.wrong;
    otherwise += Number(played.otherwise && played.findings.length === 0);
    return { where: `${kind}, ${name}, ${one.dialects}: ${which.name}`, ...played };
  });
  const places = Math.max(...learned.map(({ cases: all }) => all.length));
  const onOld = decisions.filter((decision) => decision.onOld).length;
  return {
    ...tally(kind, name, places, results),
    decided: { all: decisions.length, onOld, wrong, otherwise },
  };
}
