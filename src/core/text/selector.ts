// Label selectors with the syntax of Kubernetes: `team=shop,tier!=test`, `team in (shop,blog)`, `team`, `!team`. PURE.
import { UsageError } from '../errors.ts';

export type Selector = (labels: Readonly<Record<string, string>>) => boolean;

const key = String.raw`(?<key>(?:[A-Za-z0-9.-]+/)?[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)`;
const value = String.raw`(?:[A-Za-z0-9](?:[-._A-Za-z0-9]*[A-Za-z0-9])?)?`;
const forms = {
  set: new RegExp(String.raw`^${key}\s+(?<op>in|notin)\s*\(\s*(?<values>${value}(?:\s*,\s*${value})*)\s*\)$`),
  equal: new RegExp(String.raw`^${key}\s*(?<op>==|=|!=)\s*(?<values>${value})$`),
  present: new RegExp(String.raw`^(?<op>!?)\s*${key}$`),
};

/** Matches the commas between requirements, not those in parentheses. */
const between = /,(?![^()]*\))/;

/** @throws UsageError */
export function parseSelector(text: string): Selector {
  const all = text.split(between).map((part) => requirement(part.trim(), text));
  return (labels) => all.every((holds) => holds(labels));
}

function requirement(part: string, whole: string): Selector {
  const set = (forms.set.exec(part) ?? forms.equal.exec(part))?.groups;
  if (set) {
    const { key: name = '', op = '', values = '' } = set;
    const wanted = new Set(values.split(',').map((one) => one.trim()));
    const isWanted = (labels: Readonly<Record<string, string>>): boolean =>
      Object.hasOwn(labels, name) && wanted.has(labels[name] ?? '');
    return op === 'notin' || op === '!=' ? (labels) => !isWanted(labels) : isWanted;
  }
  const { key: name, op } = forms.present.exec(part)?.groups ?? {};
  if (name !== undefined) return (labels) => Object.hasOwn(labels, name) === (op === '');
  throw new UsageError(
    `--selector ${whole}: expected labels such as team=shop, team!=shop, team in (shop,blog), team or !team, ` +
      'joined by commas',
  );
}
