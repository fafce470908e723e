// Changed fields as lines of text.
import type { Json } from '../../core/secret.ts';
import type { Step } from '../../core/planning/plan.ts';
import type { FieldChange } from '../../core/status/status.ts';
import { valueText as textOf } from '../../core/text/value.ts';
import { plain } from './terminal.ts';

const textMax = 200;

/** A value as one line of limited length. @param path path of the field */
export function valueText(value: Json | undefined, path: string, max = textMax): string {
  const text = value === undefined ? '(none)' : textOf(value, path);
  const line = plain(text);
  return line.length > max ? `${line.slice(0, max)}…` : line;
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
