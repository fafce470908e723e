// The plan of every object, as a reconciler would make it now, without a single write: `holdfast plan`.
import type { Change, Plan } from '../core/plan.ts';
import { suspended } from '../core/policy.ts';
import type { Ending } from '../core/outcome.ts';
import { messageOf } from '../core/errors.ts';
import { aroundOf, groundOf, type GroundPorts } from './ground.ts';
import { connectionOf } from './way.ts';

/** What would be done to one object; `error`: it can't be told. */
export type Previewed =
  | { readonly key: string; readonly plan: Plan<unknown> }
  | { readonly key: string; readonly error: string };

export interface PreviewOptions<E, Reader> {
  readonly ports: GroundPorts<E, Reader>;
  readonly nowMs: number;
  /** Objects looked at at a time. */
  readonly concurrency: number;
}

/** Connections first: what they say is needed to look at anything else. */
export async function preview<E, Reader>(
  { ports, nowMs, concurrency }: PreviewOptions<E, Reader>,
  signal: AbortSignal,
): Promise<readonly Previewed[]> {
  const keys = [...ports.source.keys()].toSorted();
  index(keys, ports);
  const isConnection = (key: string) => kindOf(key, ports)?.connectionField === undefined;
  const looked: Previewed[] = [];
  for (const wave of [keys.filter(isConnection), keys.filter((key) => !isConnection(key))]) {
    const left = [...wave];
    const worker = async () => {
      for (let key = left.shift(); key !== undefined; key = left.shift())
        looked.push(await look(key, ports, nowMs, signal));
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
  }
  return looked.toSorted((a, b) => (a.key < b.key ? -1 : 1));
}

const kindOf = <E, Reader>(key: string, { kinds, source }: GroundPorts<E, Reader>) =>
  kinds.get(source.read(key)?.object.key.kind ?? '');

function index<E, Reader>(keys: readonly string[], ports: GroundPorts<E, Reader>): void {
  for (const key of keys) {
    const entry = ports.source.read(key);
    const kind = kindOf(key, ports);
    if (!entry || !kind) continue;
    const { references } = kind.open(entry.object, {});
    const { uid, deleting: leaving } = entry.object;
    const connection = connectionOf(entry.object, ports.kinds, (at) => ports.source.read(at));
    ports.graph.set(key, { uid, leaving, references, connection });
    if (entry.memory.externalRef) ports.owners.claim(entry.memory.externalRef, key, true);
  }
}

async function look<E, Reader>(
  key: string,
  ports: GroundPorts<E, Reader>,
  nowMs: number,
  signal: AbortSignal,
): Promise<Previewed> {
  const entry = ports.source.read(key);
  if (!entry) return { key, error: 'no longer declared' };
  const { object, memory } = entry;
  if (object.problem) return { key, error: object.problem.message };
  try {
    const ground = groundOf({ key, object, memory }, ports);
    if (!('opened' in ground)) return ended(key, ground);
    const { opened } = ground;
    const around = aroundOf(key, object, memory, ground, ports.source);
    const plan = suspended(
      (await opened.look(around, signal)).plan(nowMs),
      opened.policy.suspend,
      object.deleting,
    );
    if (plan.verdict === 'in-sync') ports.connections.setHealth(key, true, '');
    else if (plan.verdict === 'blocked') ports.connections.setHealth(key, false, plan.message);
    return { key, plan };
  } catch (error) {
    return { key, error: messageOf(error) };
  }
}

function ended(key: string, ending: Ending | Exclude<Plan<never>, Change<never>>): Previewed {
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
