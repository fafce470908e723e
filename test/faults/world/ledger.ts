// What reached a service and what came of it: the history that two runs are compared by.
import { routes, type Op } from '../../../src/api/routes.ts';
import type { Repeat } from '../../../src/core/effect.ts';
import { undrawnDrill } from './drills.ts';
import { signalIn, signals } from './quiesces.ts';

/** One request that may change something, as the proxy saw it. */
export interface Entry {
  readonly op: Op | 'allocation.exec' | 'unknown';
  readonly repeat: Repeat;
  /** `<op> <path>`: the same for the same call on the same thing. */
  readonly call: string;
  /** What the service said; `held`: it never got there; `half`: a disk was made and not registered. */
  readonly status: number | 'held' | 'half';
  /** Sent by the proxy of its own accord. */
  readonly injected: boolean;
  /** When it was answered, by the proxy's clock. */
  readonly atMs: number;
}

const patterns = Object.entries(routes).map(([op, { method, path, mutates }]) => ({
  // oxlint-disable-next-line no-unsafe-type-assertion -- the keys of the table
  op: op as Op,
  method: method as string,
  mutates,
  path: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
}));

/** It changes nothing, whatever its method. */
export const asks = (method: string, url: string): boolean =>
  method === 'GET' ||
  method === 'LIST' ||
  patterns.some((p) => p.mutates === false && p.method === method && p.path.test(url.split('?', 1)[0] ?? ''));

export type Called = Pick<Entry, 'op' | 'repeat' | 'call'>;

/** Which operation a request is. */
export function called(method: string, url: string): Called {
  const path = url.split('?', 1)[0] ?? '';
  const verb = method === 'POST' ? ['POST', 'PUT'] : [method];
  const found = patterns.find((p) => p.mutates !== false && verb.includes(p.method) && p.path.test(path));
  if (!found || found.mutates === false)
    return { op: 'unknown', repeat: 'at-most-once', call: `${method} ${path}` };
  return {
    op: found.op,
    repeat: found.mutates,
    call: `${found.op} ${undrawnDrill(decodeURIComponent(path))}`,
  };
}

/** A command in a task: whether it ran can't be observed. */
export const executed = (allocation: string, command: string): Called => ({
  op: 'allocation.exec',
  repeat: 'at-most-once',
  call: `allocation.exec ${allocation} ${undrawnDrill(command)}`,
});

/** Signals go by their names. What thaws is repeatable: that is asked of whoever declares it. */
export function signalled(one: Called, body: Buffer): Called {
  if (one.op !== 'allocation.signal') return one;
  const signal = signalIn(body);
  return { ...one, call: `${one.call} ${signal}`, ...(signal === signals.thaw && { repeat: 'repeatable' }) };
}

const retired = /\bholdfast-retired-[0-9a-f]{20}\b/;
const nonce = /-[0-9a-f]{20}$/;

/** What is about to be destroyed has an ID that is drawn: here it goes by the object whose disk it is. */
export class Retired {
  readonly #names = new Map<string, string>();

  named(one: Called, body: Buffer): Called {
    const [id] = retired.exec(one.call) ?? [];
    if (id === undefined) return one;
    const [, disk] = /"Name":"([^"]*)"/.exec(body.toString()) ?? [];
    if (disk !== undefined) this.#names.set(id, undrawnDrill(disk.replace(nonce, '')));
    return { ...one, call: one.call.replace(id, `retired-of-${this.#names.get(id) ?? 'nobody'}`) };
  }
}

const hadEffect = ({ status }: Entry): boolean => typeof status === 'number' && status < 300;

/** What had its effect, of all that the program asked for. */
export const effective = (ledger: readonly Entry[]): readonly Entry[] =>
  ledger.filter((entry) => hadEffect(entry) && !entry.injected);

/** How often each call had its effect, by the services' own word. */
export function effectsOf(ledger: readonly Entry[]): ReadonlyMap<string, Tally> {
  const sum = new Map<string, Tally>();
  for (const entry of effective(ledger)) {
    const before = sum.get(entry.call);
    sum.set(entry.call, { repeat: entry.repeat, op: entry.op, count: (before?.count ?? 0) + 1 });
  }
  return sum;
}

export interface Tally {
  readonly repeat: Repeat;
  readonly op: Entry['op'];
  readonly count: number;
}

const destroying: ReadonlySet<string> = new Set<Op>([
  'volume.delete',
  'volume.deregister',
  'snapshot.delete',
  'ldap.config.delete',
  'ldap.role.delete',
  'oidc.role.delete',
  'kms.provider.delete',
]);

/** Whether something is gone after it. */
export const destroys = ({ op }: Pick<Entry, 'op'>): boolean => destroying.has(op);

/** Of a session, not of an object: each process logs in for itself. */
export const ofSession = ({ op }: { readonly op: string }): boolean => /^(login|token)\./.test(op);

/** Logins that nobody ended. They end by their TTL, which is all that can be promised of a process that was killed. */
export const leftOpen = (ledger: readonly Entry[]): number =>
  ledger
    .filter(hadEffect)
    .reduce((n, { op }) => n + Number(op.startsWith('login.')) - Number(op === 'token.revoke'), 0);
