// One row of the table: a journey in all its dialects and cases, several at a time.
import { availableParallelism } from 'node:os';
import { casesOf, sampled, type Case } from './cases.ts';
import { nameOf, type Journey } from '../journeys/journey.ts';
import type { Finding } from './comparison.ts';
import { learn, play, type Learned } from './play.ts';
import type { SourceName } from '../world/source-side.ts';
import type { Row } from './table.ts';
import { broken, tally } from './tally.ts';

export interface RowOptions {
  readonly seed: string;
  /** One case in so many is played. */
  readonly share: number;
  /** Cases whose name matches. */
  readonly only?: RegExp;
  /** Default: a directory. */
  readonly source?: SourceName;
  /** Called before anything is played, when it is known how it should end: from then on another program may be under test. */
  readonly known?: () => void;
}

/** A case that did not end as it should. */
export interface Failure {
  readonly where: string;
  readonly findings: readonly Finding[];
  readonly output: string;
}

export interface Rowed {
  readonly row: Row;
  readonly failures: readonly Failure[];
}

/** They wait for the disk, for each other and for what takes its time more than they compute. */
const atOnce = 3 * availableParallelism();

export async function rowOf(kind: string, journey: Journey, options: RowOptions): Promise<Rowed> {
  const { seed, share, only = /(?:)/, source = 'directory', known } = options;
  const learned = await each(journey.dialects, (dialects) => learn(journey, dialects, source, known));
  const cases = learned.flatMap((one) =>
    sampled(casesOf(journey, one.effects, seed), share, `${seed}/${kind}/${nameOf(journey)}/${one.dialects}`)
      .filter(({ name }) => only.test(name))
      .map((which) => [one, which] as const),
  );
  let tokens = 0;
  const results = await each(cases, async ([one, which]): Promise<Failure> => {
    const where = whereOf(kind, one, which);
    try {
      const { findings, output, askedAgain } = await play(one, which);
      tokens += Number(askedAgain);
      return { where, findings, output };
    } catch (error) {
      return { where, ...broken(error) };
    }
  });
  const effects = Math.max(...learned.map((one) => one.effects.length));
  const name = source === 'directory' ? nameOf(journey) : `${nameOf(journey)} (${source})`;
  const { row, failures } = tally(kind, name, effects, results);
  return { row: { ...row, tokens }, failures };
}

const whereOf = (kind: string, { journey, dialects }: Learned, { name }: Case): string =>
  `${kind}, ${nameOf(journey)}, ${dialects}: ${name}`;

/** In any order, a few at a time. */
export async function each<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = [];
  const left = items.entries();
  const work = async () => {
    for (const [i, item] of left) results[i] = await act(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
