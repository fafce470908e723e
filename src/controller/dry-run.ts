// The plan of every object, as a reconciler would make it now, without a single write: `holdfast plan`.
import type { Clock, WallClock } from '../core/clock.ts';
import type { Blocked, Change, Plan } from '../core/planning/plan.ts';
import { suspended } from '../core/planning/policy.ts';
import type { Ending } from '../core/outcome.ts';
import { messageOf } from '../core/errors.ts';
import { objection } from './reconcile/destruction.ts';
import { observationInputOf, preconditionsOf, type PreconditionPorts } from './reconcile/preconditions.ts';
import { enter } from './index/indexing.ts';
import { isSuspended } from './reconcile/requests.ts';
import { Sinces } from './reconcile/sinces.ts';

/** What would be done to one object; `error`: it can't be told. `held`: what keeps its first step from being made. */
export type Forecast =
  | { readonly key: string; readonly plan: Plan<unknown>; readonly held?: Blocked }
  | { readonly key: string; readonly error: string };

export interface DryRunOptions<E, Reader> {
  readonly ports: PreconditionPorts<E, Reader>;
  readonly clock: Pick<Clock, 'nowMs'> & WallClock;
  /** Objects looked at at a time. */
  readonly concurrency: number;
}

/**
 * Connections first: what they say is needed to look at anything else. What leaves last: the others may take it over, and
 * what they replace counts with it.
 */
export async function dryRun<E, Reader>(
  { ports, clock, concurrency }: DryRunOptions<E, Reader>,
  signal: AbortSignal,
): Promise<readonly Forecast[]> {
  const keys = [...ports.source.keys()].toSorted();
  for (const key of keys) enter(key, ports);
  const looked: Looked[] = [];
  for (const wave of wavesOf(keys, ports)) {
    const left = [...wave];
    const worker = async () => {
      for (let key = left.shift(); key !== undefined; key = left.shift())
        looked.push(await look(key, ports, clock, signal));
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    for (const { act } of looked) if (act) objection(act, ports); // what is replaced is known to all that follow
  }
  return looked
    .map(({ act, shown }) => {
      const held = act && objection(act, ports);
      return held ? { ...shown, held } : shown;
    })
    .toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

/** The step that would be made first, and for whom. */
type Act = Parameters<typeof objection>[0];

interface Looked {
  readonly shown: Forecast;
  readonly act?: Act;
}

function wavesOf<E, Reader>(
  keys: readonly string[],
  ports: PreconditionPorts<E, Reader>,
): readonly (readonly string[])[] {
  const isConnection = (key: string) => kindOf(key, ports)?.connectionField === undefined;
  const others = keys.filter((key) => !isConnection(key));
  const isLeaving = (key: string) => ports.source.read(key)?.object.deleting === true;
  return [keys.filter(isConnection), others.filter((key) => !isLeaving(key)), others.filter(isLeaving)];
}

const kindOf = <E, Reader>(key: string, { kinds, source }: PreconditionPorts<E, Reader>) =>
  kinds.get(source.read(key)?.object.key.kind ?? '');

async function look<E, Reader>(
  key: string,
  ports: PreconditionPorts<E, Reader>,
  clock: DryRunOptions<E, Reader>['clock'],
  signal: AbortSignal,
): Promise<Looked> {
  const entry = ports.source.read(key);
  if (!entry) return { shown: { key, error: 'no longer declared' } };
  const { object, memory } = entry;
  if (object.problem) return { shown: { key, error: object.problem.message } };
  try {
    const ground = preconditionsOf({ key, object, memory }, ports);
    if (!('opened' in ground)) return { shown: ended(key, ground) };
    const { opened, inherits, connection } = ground;
    const taken = inherits
      ? { object: { ...object, held: true }, memory: inherits.memory }
      : { object, memory };
    const around = observationInputOf(key, taken.object, taken.memory, ground, ports);
    const plan = suspended(
      new Sinces().plan(key, await opened.look(around, signal), clock),
      isSuspended(object, opened.policy),
      object.deleting,
    );
    if (plan.verdict === 'in-sync') ports.connections.setHealth(key, true, '');
    else if (plan.verdict === 'blocked') ports.connections.setHealth(key, false, plan.message);
    return {
      shown: { key, plan: inherits ? takingOver(plan, inherits.from) : plan },
      ...(plan.verdict === 'change' && {
        act: { key, ...taken, connection, step: plan.steps[0] },
      }),
    };
  } catch (error) {
    return { shown: { key, error: messageOf(error) } };
  }
}

function takingOver(plan: Plan<unknown>, from: string): Plan<unknown> {
  const adopt = { verb: 'adopt', summary: `take over from ${from}`, changes: [] } as const;
  return { verdict: 'change', steps: [adopt, ...(plan.verdict === 'change' ? plan.steps : [])] };
}

function ended(key: string, ending: Ending | Exclude<Plan<never>, Change<never>>): Forecast {
  if (!('is' in ending)) return { key, plan: ending };
  switch (ending.is) {
    case 'rest':
    case 'blocked':
      return { key, plan: ending.plan };
    case 'parked':
      return { key, error: ending.message };
    case 'failed':
      return { key, error: messageOf(ending.error) };
  }
}
