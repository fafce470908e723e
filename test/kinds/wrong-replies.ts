// Answers as the clients give them, with something wrong in them.
import fc from 'fast-check';
import { pathOf } from '../../src/api/http/request.ts';
import { routes, type Reader, type ReadOp } from '../../src/api/routes.ts';
import { decode as decodeScheduler } from '../../src/api/scheduler/decode.ts';
import { decode as decodeSecrets, type AnsweringOp } from '../../src/api/secrets/decode.ts';
import { secretsRoutes } from '../../src/api/secrets/routes.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { Json } from '../../src/core/secret.ts';
import type { Sample } from './samples.ts';

/** In place of what is there: of another type, or one at which JavaScript itself stumbles. */
const wrong: fc.Arbitrary<Json | undefined> = fc.oneof(
  fc.constantFrom<Json | undefined>(
    undefined,
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'x',
    '2026-13-45',
    [],
    {},
    [null],
    [[]],
    [{}],
    ['x'],
  ),
  fc.constantFrom<Json>(
    { toString: 1, valueOf: 1 },
    [{ toString: null }],
    { length: 5 },
    { Events: 7 },
    { x: null },
    { x: 7 },
  ),
);
interface Edit {
  /** Of the answer of this operation. */
  readonly op: string;
  /** The way down to the place: of each map or list the place among its entries; 0: here. */
  readonly way: readonly number[];
  /** What stands there then; `undefined`: nothing. */
  readonly put: Json | undefined;
}

export const editsOf = (ops: readonly string[]): fc.Arbitrary<readonly Edit[]> =>
  fc.array(
    fc.record({
      op: fc.constantFrom(...ops),
      way: fc.array(fc.nat(40), { minLength: 1, maxLength: 5 }),
      put: wrong,
    }),
    { minLength: 1, maxLength: 3 },
  );

function edited(
  value: Json,
  [first = 0, ...rest]: readonly number[],
  put: Json | undefined,
): Json | undefined {
  if (value === null || typeof value !== 'object') return put;
  const keys = Object.keys(value);
  if (first === 0 || keys.length === 0) return put;
  const chosen = keys[(first - 1) % keys.length] ?? '';
  const isLast = rest.length === 0;
  const entries = Object.entries(value).flatMap(([name, held]): [string, Json][] => {
    const now = name !== chosen ? held : isLast ? put : edited(held, rest, put);
    return now === undefined ? [] : [[name, now]];
  });
  return Array.isArray(value) ? entries.map(([, held]) => held) : Object.fromEntries(entries);
}

const isOfSecrets = (op: ReadOp): op is Extract<ReadOp, AnsweringOp> => Object.hasOwn(secretsRoutes, op);

function answerOf(op: ReadOp, said: string): unknown {
  return isOfSecrets(op) ? decodeSecrets(op, 'x', said) : decodeScheduler(op, 'x', said).reply;
}

/** As the clients answer, without the wire. */
export function reading(replies: Sample['replies'], edits: readonly Edit[]): Reader {
  const text = (op: string): string | undefined => {
    const reply = Object.entries(replies).find(([name]) => name === op)?.[1];
    if (reply === undefined) throw new ApiError('refused', 'PermissionDenied', op);
    const now = edits
      .filter((edit) => edit.op === op)
      .reduce<Json | undefined>(
        (held, { way, put }) => (held === undefined ? held : edited(held, way, put)),
        reply,
      );
    return now === undefined ? undefined : JSON.stringify(now);
  };
  return {
    read: (op, params) =>
      new Promise((resolve) => {
        pathOf(routes[op], params);
        const said = text(op);
        // oxlint-disable-next-line no-unsafe-type-assertion -- both tables' operations through one reader
        resolve(said === undefined ? undefined : (answerOf(op, said) as never));
      }),
    page: (op, params) =>
      new Promise((resolve) => {
        pathOf(routes[op], params);
        const said = text(op);
        if (said === undefined) return resolve(undefined);
        const { reply, nextToken } = decodeScheduler(op, 'x', said);
        resolve({ reply, index: 1, nextToken });
      }),
    listening: () => 'live',
  };
}
