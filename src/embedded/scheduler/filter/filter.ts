// Applies the filters of lists to stored rows (services.md#filters). Fields have the dialect's names; joined fields and
// secrets can't be selected.
import type { SchedulerDialect } from '../../../api/dialects.ts';
import { Refusal } from '../../http/server.ts';
import { parseBoolean } from '../../http/query.ts';
import { parseFilter, type Filter, type Operator, type Path } from './parse.ts';

export type RowFilter = (row: object) => boolean;

/** @throws Refusal 400 for bad syntax; the filter throws Refusal 400 for a missing field or one of the wrong type */
export function rowFilter(text: string, dialect: SchedulerDialect): RowFilter {
  const test = compile(parseFilter(text), dialect);
  return (row) => {
    try {
      return test(row);
    } catch (error) {
      if (!(error instanceof Mismatch)) throw error;
      throw new Refusal(400, `failed to read result page: ${error.message}`);
    }
  };
}

class Mismatch extends Error {}

function compile(filter: Filter, dialect: SchedulerDialect): RowFilter {
  if (filter.is === 'not') {
    const inner = compile(filter.of, dialect);
    return (row) => !inner(row);
  }
  if (filter.is === 'match') {
    const { operator, value } = filter;
    const path = storedPath(filter.path, dialect);
    const test = operator === 'matches' ? matching(value) : (found: unknown) => holds(found, operator, value);
    return (row) => {
      const found = at(row, path);
      return found !== missing && test(found);
    };
  }
  const left = compile(filter.left, dialect);
  const right = compile(filter.right, dialect);
  return filter.is === 'or' ? (row) => left(row) || right(row) : (row) => left(row) && right(row);
}

const topologyLists = new Set(['Topologies', 'Required', 'Preferred']);
/** Maps with keys that users choose: a missing key does not match, and is no error. */
const maps = new Set(['Parameters', 'Context', 'ReadAllocs', 'WriteAllocs', 'Topology']);
const hidden = new Set(['Secrets', 'SecretsStoreToken', 'Payload', 'Env']);

/** Translates the dialect's field names to those of the rows. */
function storedPath(path: Path, dialect: SchedulerDialect): Path {
  const stored = new Map(Object.entries(dialect.fields).map(([row, wire]) => [wire, row]));
  return path
    .filter((part, i) => !(part === 'Segments' && topologyLists.has(path[i - 2] ?? '')))
    .map((part) => stored.get(part) ?? part);
}

const missing = Symbol('missing');

function at(row: object, path: Path): unknown {
  let value: unknown = row;
  for (const [i, part] of path.entries()) {
    if (value === null) return missing;
    if (isObject(value) && Object.hasOwn(value, part) && !hidden.has(part)) {
      value = value[part];
      continue;
    }
    if (maps.has(path[i - 1] ?? '') || topologyLists.has(path[i - 2] ?? '')) return missing;
    throw new Mismatch(
      `error finding value in datum: ${path.join('.')}: at part ${i}: couldn't find "${part}"`,
    );
  }
  return value;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function holds(found: unknown, operator: Exclude<Operator, 'matches'>, value: string): boolean {
  if (operator === '==') return equals(found, value);
  const size = sizeOf(found);
  if (size === undefined) throw new Mismatch(`can't tell whether a ${typeof found} is empty or has ${value}`);
  return operator === 'empty' ? size === 0 : contains(found, value);
}

function equals(found: unknown, value: string): boolean {
  if (typeof found === 'string') return found === value;
  if (typeof found === 'number') {
    if (!/^-?\d+(\.\d+)?$/.test(value)) throw new Mismatch(`parsing "${value}": invalid syntax`);
    return found === Number(value);
  }
  if (typeof found === 'boolean') {
    const flag = parseBoolean(value);
    if (flag === undefined) throw new Mismatch(`parsing "${value}": invalid syntax`);
    return found === flag;
  }
  if (found === null) return false;
  throw new Mismatch(`can't compare a ${Array.isArray(found) ? 'list' : 'map'} with a value`);
}

function sizeOf(found: unknown): number | undefined {
  if (found === null) return 0;
  if (typeof found === 'string' || Array.isArray(found)) return found.length;
  return isObject(found) ? Object.keys(found).length : undefined;
}

function contains(found: unknown, value: string): boolean {
  if (typeof found === 'string') return found.includes(value);
  if (Array.isArray(found)) return found.some((one: unknown) => equals(one, value));
  return isObject(found) && Object.hasOwn(found, value);
}

const patternLengthMax = 256;

const badPattern = (why: string): Refusal =>
  new Refusal(400, `failed to create result paginator: failed to read filter expression: ${why}`);

/** RE2 has neither look-around nor back-references, so they are refused here too. */
function matching(pattern: string): (found: unknown) => boolean {
  if (pattern.length > patternLengthMax) throw badPattern(`pattern over ${patternLengthMax} characters`);
  if (/\(\?[=!<]|\\[1-9k]/.test(pattern)) throw badPattern('invalid or unsupported Perl syntax in pattern');
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, 'u');
  } catch {
    throw badPattern('error parsing pattern');
  }
  return (found) => {
    if (typeof found !== 'string') throw new Mismatch(`can't match a ${typeof found}`);
    return expression.test(found);
  };
}
