// What the documents mean by the kinds of fields.
import { Secret } from '../../src/core/secret.ts';
import type { Kind, Replied } from './item.ts';
import type { Replies } from './scenario.ts';

const isInt = (value: unknown): value is number => Number.isSafeInteger(value) || isNanoseconds(value);
const isText = (value: unknown): value is string | Secret =>
  typeof value === 'string' || value instanceof Secret;
/** A number holds them to within a microsecond. */
const isNanoseconds = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && value > 1e18 && value < 1e19;
const matches = (value: unknown, pattern: RegExp): boolean =>
  typeof value === 'string' && pattern.test(value);

const is: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  string: isText,
  uuid: (value) => value === '' || matches(value, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  time: (value) => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/),
  digits: (value) => matches(value, /^\d+$/),
  int: isInt,
  ns: isNanoseconds,
  s: (value) => isInt(value) && value > 1e9 && value < 1e11,
  float: (value) => typeof value === 'number',
  bool: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: (value) => isMap(value) && !Array.isArray(value),
  any: () => true,
};

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !(value instanceof Secret);

/** @returns what is wrong: nothing but null and empty IDs was seen, or something of another kind. */
export function problemOf(replies: Replies, { key, path, field, kind }: Replied): string | undefined {
  const holders = (replies.get(key) ?? []).flatMap((reply) => below(reply, path));
  const values = holders.flatMap((one) => (isMap(one) && field in one ? [one[field]] : []));
  const at = `${key} ${path} ${field}`;
  if (values.length === 0) return `${at}: not seen`;
  if (kind === 'any') return undefined;
  const said = values.filter((value) => value !== null && !(kind === 'uuid' && value === ''));
  if (said.length === 0) return `${at}: nothing but null`;
  return said.every(is[kind]) ? undefined : `${at}: not every one is ${kind}`;
}

function below(value: unknown, path: string): readonly unknown[] {
  if (path === '') return [value];
  const [name = '', ...rest] = path.split('.');
  if (!isMap(value)) return [];
  const held = name === '*' ? Object.values(value) : [value[name]];
  return held.flatMap((one) => below(one, rest.join('.')));
}
