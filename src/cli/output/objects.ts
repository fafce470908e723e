// The table of `get`: one row per object. If one kind is requested, the table has the kind's own columns, too.
import { declarationOf } from '../../runtime/kinds/lookup.ts';
import { retentionHold } from '../../core/effect.ts';
import type { Entry } from '../../core/source/source.ts';
import { suspensionOf } from '../../core/suspension.ts';
import { conditionOf } from '../../core/status/condition.ts';
import { sizeText } from '../../core/text/value.ts';
import { age } from './age.ts';
import { manifestOf, valueAt } from './manifest.ts';
import { lastOf, listed, nameText, readyText, type Listed } from './show.ts';
import { plain, type Terminal } from './terminal.ts';

export interface TableOptions {
  /** The only kind in the table; its own columns are shown. `undefined`: several kinds. */
  readonly kind: string | undefined;
  readonly wide: boolean;
  readonly wallMs: number;
}

type Columns = readonly {
  readonly title: string;
  readonly of: (row: Entry, shown: Listed) => string;
}[];

export const shownOf = ({ object, status }: Entry): Listed =>
  listed({
    key: object.key,
    status,
    deleting: object.deleting,
    done: status.history.slice(-1).map(({ what }) => what),
  });

/** @returns the title row, and a function that makes the other rows */
export function tableOf(
  terminal: Terminal,
  { kind, wide, wallMs }: TableOptions,
): { readonly titles: readonly string[]; readonly cells: (row: Entry) => readonly string[] } {
  const columns: Columns = [
    { title: 'KIND', of: ({ object }) => object.key.kind },
    { title: 'NAME', of: (_, shown) => nameText(shown) },
    { title: 'READY', of: (_, shown) => readyText(terminal, shown) },
    { title: 'REASON', of: (_, { reason }) => reason },
    ...(wide ? wideColumns : []),
    { title: 'SUSPENDED', of: (row) => suspendedBy(row) },
    ...ownColumns(kind, wide, wallMs),
    { title: 'AGE', of: ({ object }) => age(object.createdAt, wallMs) || '<unknown>' },
    ...(wide ? [{ title: 'DECLARED-IN', of: ({ object }: Entry) => object.origin ?? '<cluster>' }] : []),
    { title: 'LAST', of: (_, shown) => lastOf(shown) },
  ];
  return {
    titles: columns.map(({ title }) => terminal.style('bold', title)),
    cells: (row) => {
      const shown = shownOf(row);
      return columns.map(({ title, of }) => (title === 'READY' ? of(row, shown) : plain(of(row, shown))));
    },
  };
}

const suspendedBy = ({ object }: Entry): string => {
  const suspension = suspensionOf(object);
  return suspension ? `by ${suspension.by}` : 'False';
};

const wideColumns: Columns = [
  { title: 'SYNCED', of: ({ status }) => conditionOf(status.conditions, 'Synced')?.status ?? 'Unknown' },
  { title: 'DRIFT', of: ({ status }) => status.drift?.summary ?? '' },
  { title: 'HELD', of: ({ object }) => object.requests[retentionHold] ?? '' },
];

/** Printer columns as `kubectl get` shows them: those with a priority only if the table is wide. */
const ownColumns = (kind: string | undefined, wide: boolean, wallMs: number): Columns =>
  (declarationOf.get(kind ?? '')?.columns ?? [])
    .filter(({ priority }) => wide || priority === undefined)
    .map(({ name, type, jsonPath }) => ({
      title: name.toUpperCase(),
      of(row) {
        const value = valueAt(manifestOf(row), jsonPath);
        if (typeof value === 'string') return type === 'date' ? age(value, wallMs) : value;
        if (typeof value === 'number' && jsonPath.endsWith('Bytes')) return sizeText(value);
        return value === undefined || value === null ? '' : JSON.stringify(value);
      },
    }));
