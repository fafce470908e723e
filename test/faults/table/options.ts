// What a run plays, by the environment, and where its rows are gathered for the one table at its end.
import { appendFileSync } from 'node:fs';
import { chance } from '../../support/chance.ts';
import type { Failure, RowOptions } from './row.ts';
import type { Row } from './table.ts';

const { FAULTS_SHARE, FAULTS_SEED, FAULTS_ONLY = '', FAULTS_CASE = '', FAULTS_ROWS } = process.env;

export const options: RowOptions & { readonly matches: (journey: string) => boolean } = {
  seed: FAULTS_SEED ?? 'holdfast',
  share: Number(FAULTS_SHARE ?? 1),
  only: new RegExp(FAULTS_CASE),
  matches: (journey) => journey.includes(FAULTS_ONLY),
};

/** Of one test, in milliseconds. Where not all is played, what hangs is named before the whole step is stopped. */
export const timeout = options.share === 1 ? 7_200_000 : 600_000;

/** For what is beside the crashes: where not all is played, still less of it. */
export const aside = { ...options, share: options.share === 1 ? 1 : options.share * 3 };

/**
 * Where not all is played, one in `share` of what is learnt anew each time, and one at least: learning takes longer than
 * playing then.
 */
export function thinned<T extends { readonly name: string }>(
  all: readonly T[],
  what: string,
  share = 3,
): readonly T[] {
  if (options.share === 1) return all;
  const some = all.filter(({ name }) => chance(options.seed, `${what} ${name}`) < 1 / share);
  return some.length > 0 ? some : all.slice(0, 1);
}

const failuresShown = 5;

/** For the table, and what to look at. */
export function note(row: Row, failures: readonly Failure[]): void {
  if (FAULTS_ROWS !== undefined) appendFileSync(FAULTS_ROWS, `${JSON.stringify(row)}\n`);
  for (const { where, findings, output } of failures.slice(0, failuresShown)) {
    const lines = findings.map(([column, what]) => `  ${column}: ${what}`);
    process.stdout.write(
      `\n${where}\n${lines.join('\n')}\n${process.env['FAULTS_OUTPUT'] === undefined ? '' : output}\n`,
    );
  }
}
