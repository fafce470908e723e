// A table in Markdown: a column for each result, a row for each figure, what is aimed at on the right.

export interface Row<Result> {
  readonly name: string;
  readonly target?: string;
  readonly of: (result: Result) => string;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

export function tableOf<Result>(
  results: readonly Result[],
  head: (result: Result) => string,
  rows: readonly Row<Result>[],
): string {
  const heads = results.map(head);
  const body = rows.map(({ name, of, target = '' }) => line([name, ...results.map(of), target]));
  return [line(['', ...heads, 'target']), line(['---', ...heads.map(() => '---'), '---']), ...body].join(
    '\n',
  );
}
