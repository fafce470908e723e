// Values and changes of fields for people: sizes with units, lists as lists, secrets by their source.
import type { Json } from '../../core/secret.ts';
import { isJsonMap } from '../../core/json.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { FieldChange } from '../../core/status/status.ts';
import { plain } from './terminal.ts';

const textMax = 200;
const suffixes = ['', 'K', 'M', 'G', 'T', 'P'] as const;

/** A number of bytes with the shortest exact unit: `10Gi`, `500G`. */
export function sizeText(bytes: number): string {
  const [binary, decimal] = [suffixed(bytes, 1024, 'i'), suffixed(bytes, 1000, '')];
  return decimal.length < binary.length ? decimal : binary;
}

function suffixed(bytes: number, step: number, ending: string): string {
  let [value, at] = [bytes, 0];
  while (value > 0 && value % step === 0 && at < suffixes.length - 1) [value, at] = [value / step, at + 1];
  const suffix = at === 1 && ending === '' ? 'k' : suffixes[at];
  return at === 0 ? String(value) : `${value}${suffix}${ending}`;
}

/** Whether the field holds a size in bytes. */
const isSize = (path: string): boolean => path.includes('/capacity/');

/** A value as one line of limited length. @param path path of the field */
export function valueText(value: Json | undefined, path: string, max = textMax): string {
  const text = value === undefined ? '(none)' : shown(value, path);
  const line = plain(text);
  return line.length > max ? `${line.slice(0, max)}…` : line;
}

function shown(value: Json, path: string): string {
  if (typeof value === 'number') return isSize(path) ? sizeText(value) : String(value);
  if (typeof value === 'string') return value === '' ? '""' : value;
  if (Array.isArray(value)) return `[${value.map((item) => shown(item, path)).join(', ')}]`;
  if (!isJsonMap(value)) return JSON.stringify(value);
  const { $secret: source, version } = value;
  // Long versions are keyed hashes; a prefix distinguishes two versions.
  if (typeof source === 'string')
    return `secret ${source}${typeof version === 'string' && version !== '' ? ` (version ${version.slice(0, 8)})` : ''}`;
  const entries = Object.entries(value).map(([name, held]) => `${name}: ${shown(held, path)}`);
  return `{${entries.join(', ')}}`;
}

/** A changed field as a diff: the observed value, then the declared one. Of lists, only the items that differ. */
export function changeLines({ path, desired, live, cause }: FieldChange): readonly string[] {
  const head = `${plain(path)}${cause === 'drift' ? ' (changed outside)' : ''}`;
  const [there, wanted] = [itemsOf(live, path), itemsOf(desired, path)];
  const [gone, added] = [
    there.filter((one) => !wanted.includes(one)),
    wanted.filter((one) => !there.includes(one)),
  ];
  // Only their order differs.
  const lists =
    gone.length + added.length === 0
      ? { gone: [valueText(live, path)], added: [valueText(desired, path)] }
      : { gone, added };
  return [head, ...lists.gone.map((one) => `  - ${one}`), ...lists.added.map((one) => `  + ${one}`)];
}

const itemsOf = (value: Json | undefined, path: string): readonly string[] => {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((item: Json) => valueText(item, path)) : [valueText(value, path)];
};

/** A changed field as one line: the observed value, if there is one, and the declared value. */
export function changeText({ path, desired, live, cause }: FieldChange): string {
  const from = live === undefined ? '' : `${valueText(live, path)} → `;
  return `${plain(path)}: ${from}${valueText(desired, path)}${cause === 'drift' ? ' (changed outside)' : ''}`;
}

/** As `changeText`, but as `changeLines` if a value is a list of several items. */
export function changeBlock(change: FieldChange): readonly string[] {
  const { live, desired } = change;
  const isLong = [live, desired].some((value) => Array.isArray(value) && value.length > 1);
  return isLong ? changeLines(change) : [changeText(change)];
}

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
