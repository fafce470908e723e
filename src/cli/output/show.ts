// Objects as text, for `get`, `dev` and `apply`.
import type { Status } from '../../core/status/status.ts';
import { conditionOf, isBecause } from '../../core/status/condition.ts';
import { explanationOf, type Reason } from '../../core/status/reasons.ts';
import type { Key } from '../../core/resource.ts';
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
  const ready = conditionOf(status.conditions, 'Ready');
  const synced = conditionOf(status.conditions, 'Synced');
  // A ready object may not be as declared: held back, drifted or suspended. `Synced` then says why.
  const isAside = isBecause(ready, 'InSync') && synced?.status === 'False';
  const condition = isAside ? synced : ready;
  const reason = condition?.reason ?? ('Pending' satisfies Reason);
  return {
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    done,
    ready: ready?.status ?? 'Unknown',
    reason: deleting && isBecause(condition, 'InSync') ? ('Deleting' satisfies Reason) : reason,
    message: condition?.message ?? '',
  };
}

/** What was done, and the message of the condition unless that says it already. */
export const lastOf = ({ done, message }: Pick<Listed, 'done' | 'message'>): string =>
  (done.at(-1)?.endsWith(message) ? done : [...done, message]).join('; ');

export const nameText = ({ namespace, name }: Pick<Listed, 'namespace' | 'name'>): string =>
  namespace === '' ? name : `${namespace}/${name}`;

export const readyText = (terminal: Terminal, { ready }: Listed): string =>
  terminal.style(ready === 'True' ? 'green' : ready === 'False' ? 'red' : 'yellow', ready);

export function showTable(terminal: Terminal, rows: readonly Listed[]): string {
  const header = ['KIND', 'NAME', 'READY', 'REASON', 'DONE'].map((t) => terminal.style('bold', t));
  const cells = rows.map((row) => [
    row.kind,
    nameText(row),
    readyText(terminal, row),
    plain(row.reason),
    plain(lastOf(row)),
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
