// Answers of the scheduler: raised into the documents' shape, what they hold of secrets in boxes.
import { ApiError, messageOf } from '../../core/errors.ts';
import { Secret, type Json, type Sealed } from '../../core/secret.ts';
import { isMap, raise } from '../dialects.ts';
import { jsonOf } from '../request.ts';
import { routes, type Operations, type ReadOp } from '../routes.ts';
import type { Route } from '../route.ts';

interface Decoded<O extends ReadOp> {
  readonly reply: Operations[O]['reply'];
  /** Some lists tell the next page in their body; on the last one it is empty there. */
  readonly nextToken: string | undefined;
}

/** Lists, of which each entry is an object; other answers that have a type are objects themselves. */
type ListOp = { [O in ReadOp]: Operations[O]['reply'] extends readonly unknown[] ? O : never }[ReadOp];
const lists: Readonly<Record<ListOp, true>> = {
  'volume.list': true,
  'plugin.list': true,
  'node.list': true,
  'job.list': true,
  'allocation.list': true,
};

/** @throws ApiError where it is of another sort than what was asked for */
function sorted(op: ReadOp, answer: Sealed): Sealed {
  if (op === 'status.leader') {
    if (typeof answer === 'string') return answer;
    throw unreadable(op, 'is no text');
  }
  if (!Object.hasOwn(lists, op)) {
    if (isMap(answer)) return answer;
    throw unreadable(op, 'is no object');
  }
  const list = answer ?? []; // as services in Go write a list that is empty
  if (Array.isArray(list) && list.every((one: Sealed) => isMap(one))) return list;
  throw unreadable(op, 'is no list of objects');
}

const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`);

/**
 * The one place where an answer gets its type, which every reader treats as partial.
 * @param where what was asked for, for the source of boxed secrets.
 * @throws ApiError, which does not quote the answer.
 */
export function decode<O extends ReadOp>(op: O, where: string, text: string): Decoded<O> {
  const { secret }: Route = routes[op];
  const answer = shaped(op, jsonOf(op, text), (it) => (secret ? boxed(raise(it), secret, where) : raise(it)));
  const token = isMap(answer) ? answer['NextToken'] : undefined;
  return {
    // oxlint-disable-next-line no-unsafe-type-assertion -- what a service says can't be proven, only doubted by its readers
    reply: sorted(op, answer) as Operations[O]['reply'],
    nextToken: typeof token === 'string' && token !== '' ? token : undefined,
  };
}

/** Nothing that is handed back and kept is larger. */
const answerMax = 65_536;

/**
 * What a call that was done says of it: where that can't be read, what it made is not known. Secrets that were sent don't
 * come back in it.
 * @throws ApiError
 */
export function answerOf(op: string, text: string): Json {
  try {
    if (text.length <= answerMax) return shaped(op, jsonOf(op, text, 'Secrets'), (it) => raise(it));
    throw new Error(`${op}: the answer is longer than ${answerMax} characters`);
  } catch (cause) {
    throw new ApiError('unreadable', 'InvalidResponse', messageOf(cause), { mayHaveHadEffect: true });
  }
}

/** @throws ApiError */
function shaped<T>(op: string, answer: Json, shape: (answer: Json) => T): T {
  try {
    return shape(answer);
  } catch {
    throw unreadable(op, 'is nested too deeply');
  }
}

/** Maps whose keys are users' and whose values are no secrets, whatever they are called. */
const plain = new Set(['TaskStates', 'TaskResources', 'Meta']);

/** With every text below these names in a box. Of a job's copy no version is known that a value could have. */
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
