// Every operation of both route tables, to be called in turn: for what has to hold for each of them.
import type { Route } from '../../src/api/route.ts';
import { routes, type ReadOp, type Reader } from '../../src/api/routes.ts';
import { schedulerRoutes } from '../../src/api/scheduler/routes.ts';
import type { Outcome } from '../../src/core/errors.ts';
import { never } from './servers.ts';

export interface Operation {
  readonly op: string;
  readonly service: 'scheduler' | 'secrets';
  readonly route: Route;
  /** Names of the parameters that its path has. */
  readonly slots: readonly string[];
}

const table: Readonly<Record<string, Route>> = routes;

export const operations: readonly Operation[] = Object.entries(table).map(([op, route]) => ({
  op,
  service: Object.hasOwn(schedulerRoutes, op) ? 'scheduler' : 'secrets',
  route,
  slots: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
}));

export interface Sender {
  readonly read: Reader['read'];
  perform(effect: never, key: string, signal: AbortSignal): Promise<Outcome>;
}

/** What a call came to. */
export type Came = { readonly answer: unknown } | { readonly outcome: Outcome } | { readonly error: unknown };

/** @param params instead of `x` for each that the path has; the body is empty. */
export async function call(
  sender: Sender,
  { op, route, slots }: Operation,
  params: Readonly<Record<string, string>> = Object.fromEntries(slots.map((name) => [name, 'x'])),
  signal: AbortSignal = never,
): Promise<Came> {
  try {
    // oxlint-disable no-unsafe-type-assertion -- each operation in turn: that it has these parameters only the table knows
    if (route.mutates === false) return { answer: await sender.read(op as ReadOp, params, signal) };
    return { outcome: await sender.perform({ op, params, body: {} } as never, 'LDAPConfig/shop/x', signal) };
    // oxlint-enable no-unsafe-type-assertion
  } catch (error) {
    return { error };
  }
}
