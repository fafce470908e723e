// Objects, steps and plans as text, for `get`, `dev`, `apply` and `plan`.
import type { Status, FieldChange } from '../../core/status/status.ts';
import { conditionOf, isBecause } from '../../core/status/condition.ts';
import type { Plan, Step } from '../../core/planning/plan.ts';
import { explanationOf, type Reason } from '../../core/status/reasons.ts';
import type { Key } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import type { Source } from '../../core/source/source.ts';
import { plain, table, type Terminal } from './terminal.ts';

export interface Row {
  readonly key: Key;
  readonly status: Status;
  readonly deleting: boolean;
  readonly done: readonly string[];
}

export const rowsOf = (
  source: Pick<Source, 'keys' | 'read'>,
  done: (key: string) => readonly string[],
): readonly Row[] =>
  [...source.keys()].toSorted().flatMap((key): Row[] => {
    const entry = source.read(key);
    if (!entry) return [];
    const { object, status } = entry;
    return [{ key: object.key, status, deleting: object.deleting, done: done(key) }];
  });

export interface Listed {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  readonly done: readonly string[];
}

export function listed({ key, status, deleting, done }: Row): Listed {
  const condition = conditionOf(status.conditions, 'Ready');
  const reason = condition?.reason ?? ('Pending' satisfies Reason);
  return {
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    done,
    ready: condition?.status ?? 'Unknown',
    reason: deleting && isBecause(condition, 'InSync') ? ('Deleting' satisfies Reason) : reason,
    message: condition?.message ?? '',
  };
}

export function showTable(terminal: Terminal, rows: readonly Listed[], doneTitle: string): string {
  const header = ['KIND', 'NAME', 'READY', 'REASON', doneTitle].map((t) => terminal.style('bold', t));
  const cells = rows.map((row) => [
    row.kind,
    row.namespace === '' ? row.name : `${row.namespace}/${row.name}`,
    terminal.style(row.ready === 'True' ? 'green' : row.ready === 'False' ? 'red' : 'yellow', row.ready),
    plain(row.reason),
    plain([...row.done, row.message].filter((t) => t !== '').join('; ')),
  ]);
  return table([header, ...cells]);
}

export function remedyLines(rows: readonly Listed[]): readonly string[] {
  const wrong = new Set(rows.filter(({ ready }) => ready !== 'True').map(({ reason }) => reason));
  const lines = [...wrong].toSorted().flatMap((reason) => {
    const known = explanationOf(reason);
    return known ? [`  ${reason}: ${known.cause} ${known.remedy}`] : [];
  });
  return lines.length === 0 ? [] : ['', 'Reasons (docs/reference/reasons.md explains them all):', ...lines];
}

const valueText = (value: Json | undefined): string =>
  value === undefined ? '(none)' : plain(JSON.stringify(value)).slice(0, 200);

export const changeText = ({ path, desired, live, cause }: FieldChange): string =>
  `${path}: ${valueText(live)} → ${valueText(desired)}${cause === 'drift' ? ' (drift)' : ''}`;

export const signs = {
  create: '+',
  revive: '+',
  adopt: '>',
  update: '~',
  replace: '!',
  detach: '~',
  delete: '-',
  destroy: '-',
  act: '*',
} as const satisfies Record<Step<unknown>['verb'], string>;

export function planLines(plan: Plan<unknown>): readonly string[] {
  switch (plan.verdict) {
    case 'in-sync':
      return [
        ...plan.drift.map((c) => `  ? ${changeText(c)}`),
        ...(plan.coming ?? []).map((line) => `  . ${plain(line)}`),
      ];
    case 'blocked':
      return [
        `  x ${plan.reason}: ${plain(plan.message)}`,
        ...plan.changes.map((c) => `    ${changeText(c)}`),
      ];
    case 'gone':
      return [`  - ${plan.because}`];
    case 'change':
      return plan.steps.flatMap((s) => [
        `  ${signs[s.verb]} ${plain(s.summary)}${s.destroys ? ` (destroys ${s.destroys})` : ''}`,
        ...s.changes.map((c) => `    ${changeText(c)}`),
      ]);
  }
}
