// From what each case found to a row of the table.
import { NeverEnded } from '../world/hang.ts';
import { columns, type Column, type Finding } from './comparison.ts';
import type { Failure } from './row.ts';
import type { Row } from './table.ts';

/** @param results of all cases: those that found nothing passed */
export function tally(
  kind: string,
  journey: string,
  effects: number,
  results: readonly Failure[],
): { readonly row: Row; readonly failures: readonly Failure[] } {
  const failures = results.filter(({ findings }) => findings.length > 0);
  const count = (column: Column) =>
    failures.filter(({ findings }) => findings.some(([name]) => name === column)).length;
  // oxlint-disable-next-line no-unsafe-type-assertion -- all columns
  const found = Object.fromEntries(columns.map((column) => [column, count(column)])) as Record<
    Column,
    number
  >;
  const passed = results.length - failures.length;
  return { row: { kind, journey, effects, cases: results.length, passed, found, tokens: 0 }, failures };
}

/** The program never ended, the harness itself failed, or it waited in vain: that is no pass. */
export function broken(error: unknown): {
  readonly findings: readonly Finding[];
  readonly output: string;
} {
  if (error instanceof NeverEnded)
    return { findings: [['manual steps', error.message]], output: error.output };
  return {
    findings: [['other', String(error)]],
    output: error instanceof Error ? (error.stack ?? '') : '',
  };
}
