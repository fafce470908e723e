// An object whose plans are given, for visits to it.
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import type { ObservationInput } from '../../../src/core/kind/opened.ts';
import type { Ports } from '../../../src/controller/reconcile/ports.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { reconcile } from '../../../src/controller/reconcile/reconciler.ts';
import { ApiError, type Outcome } from '../../../src/core/errors.ts';
import { type Report } from '../../../src/core/kind/kind.ts';
import type { Since } from '../../../src/core/planning/situation.ts';
import type { Plan, Step } from '../../../src/core/planning/plan.ts';
import { type Key, type DeclaredObject, type Reference } from '../../../src/core/resource.ts';
import { World } from '../bench.ts';
import { conn, connKey, quiet } from '../chain.ts';

const key: Key = { kind: 'Toy', namespace: 'shop', name: 'x' };
export const name = 'Toy/shop/x';
export const error = new ApiError('refused', 'Rejected', 'no luck');
export const refused: Outcome = { is: 'rejected', error };
export const rest: Plan<string> = { verdict: 'in-sync', drift: [] };
export const change = (step: Partial<Step<string>>): Plan<string> => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary: 'act', changes: [], ...step }],
});

interface Given {
  /** One after the other; the last of them for ever. */
  readonly plans: readonly Plan<string>[];
  readonly perform?: (effect: string, at: World) => Outcome;
  readonly report?: Partial<Report>;
  readonly object?: Partial<DeclaredObject>;
  readonly memory?: Partial<Status>;
  readonly kind?: { readonly references?: readonly Reference[]; readonly output?: string };
  readonly onPlan?: (since: Since) => void;
  readonly onObserve?: (input: Pick<ObservationInput<string>, 'tryRestart'>) => void;
}

/** An object that is held and looked well at the last visit, unless it is said otherwise. */
export async function toy({
  plans,
  perform,
  report,
  object,
  memory,
  kind: own = {},
  onPlan,
  onObserve,
}: Given) {
  let nth = 0;
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    name: 'Toy',
    connectionField: '/conn',
    references: () => [
      { to: 'object', field: '/conn', target: connKey('first'), holds: true },
      ...(own.references ?? []),
    ],
    output: () => own.output,
    locate: (_, { name: id }, { backend }) => ({ backend, id }),
    observe: async (_, input) => {
      onObserve?.(input);
      return { state: 'present', live: null };
    },
    plan: ({ since }) => {
      onPlan?.(since);
      return plans[Math.min(nth++, plans.length - 1)] ?? rest;
    },
    record: () => undefined,
    learn: (_, __, reply) => (typeof reply === 'string' ? reply : undefined),
    report: () => ({ observed: {}, conditions: [], ...report }),
    outputs: () => ({}),
  });
  const at: World = new World([conn, kind], (_, effect) => perform?.(effect, at) ?? { is: 'done' });
  at.source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  at.source.declare({ key, spec: {}, held: true, ...object });
  const entry = at.source.read(name);
  if (entry) at.source.entries.set(name, { ...entry, status: { ...noStatus, ...memory } });
  at.source.log.length = 0;
  const sent = () => at.source.log.filter((line) => line.startsWith('first: ')).map((line) => line.slice(7));
  const visit = (more: Partial<Ports<string, string>> = {}, failures = 0) =>
    reconcile(name, failures, { ...at.ports, ...more }, new AbortController().signal);
  return { at, visit, sent, remembered: () => at.source.read(name)?.status };
}
