// Label selectors, as lists and watches carry them.
import { badRequest } from './answers.ts';

export type Labels = Readonly<Record<string, string>>;
export type Selects = (labels: Labels) => boolean;

const setBased = /^(\S+)\s+(in|notin)\s*\(([^)]*)\)$/;
const equality = /^([^=!\s]+)\s*(==|=|!=)\s*([^=!\s]*)$/;
const existence = /^(!?)\s*([^=!\s()]+)$/;

/** @throws Refused where it can't be read */
export function selectorOf(text: string): Selects {
  const wanted = text
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .map(requirementOf);
  return (labels) => wanted.every((holds) => holds(labels));
}

function requirementOf(text: string): Selects {
  const [, key, operator, list] = setBased.exec(text) ?? [];
  if (key !== undefined && list !== undefined) {
    const values = new Set(list.split(',').map((value) => value.trim()));
    const has = (labels: Labels) => Object.hasOwn(labels, key) && values.has(labels[key] ?? '');
    return operator === 'in' ? has : (labels) => !has(labels);
  }
  const [, name, sign, value] = equality.exec(text) ?? [];
  if (name !== undefined) {
    const is = (labels: Labels) => Object.hasOwn(labels, name) && labels[name] === value;
    return sign === '!=' ? (labels) => !is(labels) : is;
  }
  const [, not, label] = existence.exec(text) ?? [];
  if (label === undefined) throw badRequest(`unable to parse requirement: ${text}`);
  return (labels) => Object.hasOwn(labels, label) === (not === '');
}
