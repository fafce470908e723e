// The one table that a run prints: sums over every case, by kind and journey.
import { columns, type Column } from './comparison.ts';

export interface Row {
  readonly kind: string;
  readonly journey: string;
  readonly effects: number;
  readonly cases: number;
  readonly passed: number;
  /** New tokens that at-most-once steps needed which were reported as Unknown. */
  readonly tokens: number;
  readonly found: Readonly<Record<Column, number>>;
}

const head = ['kind', 'journey', 'effects', 'cases', 'passed', ...columns, 'new tokens'];

export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map((r) => [
    r.kind,
    r.journey,
    ...[r.effects, r.cases, r.passed, ...columns.map((c) => r.found[c]), r.tokens].map(String),
  ]);
  const sum = (of: (row: Row) => number) => String(rows.reduce((n, row) => n + of(row), 0));
  const total = [
    'all',
    `${rows.length}`,
    sum((r) => r.effects),
    sum((r) => r.cases),
    sum((r) => r.passed),
    ...columns.map((c) => sum((r) => r.found[c])),
    sum((r) => r.tokens),
  ];
  const all = [head, head.map(() => '---'), ...cells, total];
  const widths = head.map((_, i) => Math.max(...all.map((row) => row[i]?.length ?? 0)));
  return all
    .map(
      (row) =>
        `| ${row.map((cell, i) => (cell === '---' ? '-'.repeat(widths[i] ?? 3) : cell.padEnd(widths[i] ?? 0))).join(' | ')} |`,
    )
    .join('\n');
}
