// Decodes answers of the scheduler: to the neutral shape, with boxed secrets.
import { ApiError, messageOf } from '../../core/errors.ts';
import { Secret, type Json, type Sealed } from '../../core/secret.ts';
import { isMap, raise } from '../dialects.ts';
import { jsonOf } from '../http/request.ts';
import { routes, type Operations, type ReadOp } from '../routes.ts';
import type { Route } from '../route.ts';

interface Decoded<O extends ReadOp> {
  readonly reply: Operations[O]['reply'];
  /** Page token in the body of some lists; `undefined`: absent, or empty on the last page. */
  readonly nextToken: string | undefined;
}

/** Operations whose answer is a list of objects. Other answers are objects, except the leader's address. */
type ListOp = { [O in ReadOp]: Operations[O]['reply'] extends readonly unknown[] ? O : never }[ReadOp];
const lists: Readonly<Record<ListOp, true>> = {
  'volume.list': true,
  'plugin.list': true,
  'node.list': true,
  'job.list': true,
  'allocation.list': true,
};

/** @throws ApiError if the answer has the wrong type for the operation */
function sorted(op: ReadOp, answer: Sealed): Sealed {
  if (op === 'status.leader') {
    if (typeof answer === 'string') return answer;
    throw unreadable(op, 'is not text');
  }
  if (!Object.hasOwn(lists, op)) {
    if (isMap(answer)) return answer;
    throw unreadable(op, 'is not an object');
  }
  const list = answer ?? []; // Go sends an empty list as null
  if (Array.isArray(list) && list.every((one: Sealed) => isMap(one))) return list;
  throw unreadable(op, 'is not a list of objects');
}

const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`);

/**
 * The one place that types an answer. Readers treat every field as optional.
 * @param where the path, for the source of boxed secrets
 * @throws ApiError, which does not quote the answer
 */
export function decode<O extends ReadOp>(op: O, where: string, text: string): Decoded<O> {
  const { secret }: Route = routes[op];
  const answer = shaped(op, jsonOf(op, text), (it) => (secret ? boxed(raise(it), secret, where) : raise(it)));
  const token = isMap(answer) ? answer['NextToken'] : undefined;
  return {
    // oxlint-disable-next-line no-unsafe-type-assertion -- readers doubt each field: a service's answer is never proven
    reply: sorted(op, answer) as Operations[O]['reply'],
    nextToken: typeof token === 'string' && token !== '' ? token : undefined,
  };
}

const answerMax = 65_536;

/**
 * The answer of a successful call, without the values of fields named `Secrets`.
 * @throws ApiError if the answer is unreadable: the result of the call is unknown
 */
export function answerOf(op: string, text: string): Json {
  try {
    if (text.length <= answerMax) return shaped(op, jsonOf(op, text, 'Secrets'), (it) => raise(it));
    throw new Error(`${op}: the answer is longer than ${answerMax} characters`);
  } catch (cause) {
    throw new ApiError('unreadable', 'InvalidResponse', messageOf(cause), { mayHaveHadEffect: true });
  }
}

function shaped<T>(op: string, answer: Json, shape: (answer: Json) => T): T {
  try {
    return shape(answer);
  } catch {
    throw unreadable(op, 'is nested too deeply');
  }
}

/** Maps with users' keys, whose values are never secret, whatever the keys. */
const plain = new Set(['TaskStates', 'TaskResources', 'Meta']);

/** Boxes every string in fields of these names. The secrets have no version, because a job copy has none. */
export function boxed(value: Sealed, names: readonly string[], at: string): Sealed {
  if (Array.isArray(value)) return value.map((one: Sealed, i) => boxed(one, names, `${at}/${i}`));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => {
      const below = `${at}/${name}`;
      if (held === undefined || plain.has(name)) return [name, held];
      return [name, names.includes(name) ? sealed(held, below) : boxed(held, names, below)];
    }),
  );
}

function sealed(value: Sealed, at: string): Sealed {
  if (typeof value === 'string') return Secret.of(at, '', value);
  if (Array.isArray(value)) return value.map((one: Sealed, i) => sealed(one, `${at}/${i}`));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, held]) => [
      name,
      held === undefined ? held : sealed(held, `${at}/${name}`),
    ]),
  );
}
