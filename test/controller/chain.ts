// A chain for visits: a leaf that is reached through a part, which is reached through a connection, and a second
// connection beside it.
import { defineKind } from '../../src/core/kind/sealed-kind.ts';
import type { Connection } from '../../src/core/connection.ts';
import { managed } from '../../src/core/planning/planner.ts';
import type { Outcome } from '../../src/core/errors.ts';
import type { Output } from '../../src/core/source/output.ts';
import { blocked, type Plan, type Step } from '../../src/core/planning/plan.ts';
import type { Key, Reference } from '../../src/core/resource.ts';
import { connectionNamed, policy, World, type Perform } from './bench.ts';

const object = (field: string, target: Key, more: object = {}): Reference => ({
  to: 'object',
  field,
  target,
  holds: true,
  ...more,
});
export const connKey = (name: string): Key => ({ kind: 'Conn', namespace: '', name });
export const part: Key = { kind: 'Part', namespace: 'shop', name: 'part' };
export const leaf: Key = { kind: 'Leaf', namespace: 'shop', name: 'leaf' };

/** What exists outside: `<connection>/<name>`. */
let outside = new Set<string>();

export const quiet = {
  owns: 'scheduler/thing' as const,
  parse: (spec: unknown) => spec,
  parseOwn: (own: unknown) => (typeof own === 'string' ? own : undefined),
  policy: () => ({}),
  defaults: policy,
  externalName: (_: unknown, key: Key) => key.name,
  report: () => ({ observed: {}, conditions: [] }),
};

/** Of a kind whose objects are all on the first connection. */
export const onFirst = {
  connectionField: '/conn',
  references: () => [object('/conn', connKey('first'))],
  locate: (_: unknown, { name: id }: Key, { backend }: Connection) => ({ backend, id }),
};

/** Of a kind whose objects use another one besides. */
export const onFirstUsing = (field: string, target: Key) => ({
  ...onFirst,
  references: () => [...onFirst.references(), object(field, target, { holds: false })],
});

/** What a connection says whose service can't be used. */
export const sealed = { sealed: true };

/** What a part says that is made of data that is there already. */
export const madeOf = (...disks: readonly string[]) => ({ disks });

const disksOf = (spec: unknown): readonly string[] =>
  typeof spec === 'object' && spec !== null && 'disks' in spec && Array.isArray(spec.disks) ? spec.disks : [];

/** What a connection says that gives nobody access. */
export const closed = { access: [] };

export const conn = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Conn',
  references: () => [],
  locate: (_, key) => ({ backend: key.name }),
  observe: () => Promise.resolve({ state: 'present', live: null }),
  plan: ({ spec }) =>
    spec === sealed
      ? blocked('Sealed', 'the service is sealed', { on: 'time', atMs: 0 })
      : { verdict: 'in-sync', drift: [] },
  record: () => undefined,
  outputs: () => ({ of: 'connection', from: 'connection' }),
  connect: (spec, __, key) => {
    if (spec === closed) return connectionNamed(key.name, closed);
    return connectionNamed(key.name, key.name === 'second' ? { access: [{ actions: ['Signal'] }] } : {});
  },
});

const lifecycleOf = (act?: (s: { resolved: unknown }) => Plan<string>) => ({
  fields: {},
  want: () => ({}),
  have: () => ({}),
  // There is one of each name only; nobody else makes any.
  identity: () => 'the one',
  isOurs: (s: { readonly held: boolean }) => s.held,
  inUse: () => undefined,
  create: () => ({ summary: 'make it', effect: 'make' }),
  revive: () => ({ summary: 'make it again', effect: 'make' }),
  update: () => ({ summary: 'write', effect: 'write' }),
  remove: () => ({ summary: 'delete it', effect: 'delete' }),
  ...(act && { act }),
});

const partKind = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Part',
  connectionField: '/conn',
  reaches: disksOf,
  references: () => [object('/conn', connKey('first'))],
  locate: (_, __, { backend }) => ({ backend, mount: 'm' }),
  observe: (read) => Promise.resolve(seen(`${read}/part`)),
  plan: managed(lifecycleOf()),
  record: () => 'part',
  outputs: () => ({ mount: 'm', from: 'part' }),
});

const seen = (name: string) =>
  outside.has(name) ? ({ state: 'present', live: null } as const) : ({ state: 'absent' } as const);

const act = (step: Partial<Step<string>>): Plan<string> => ({
  verdict: 'change',
  steps: [{ verb: 'act', summary: 'act', changes: [], ...step }],
});

const writing = (output: Output) => ({ port: 'source', op: 'output.write', output }) as const;

/** Asked to turn: turns once, publishes the turn, tells the second connection. */
const leafKind = defineKind<unknown, null, string, string, string>({
  ...quiet,
  name: 'Leaf',
  connectionField: '/part',
  output: () => 'login',
  references: () => [
    object('/part', part),
    object('/second', connKey('second'), {
      holds: false,
      optional: true,
      use: { externalName: 'job', action: 'Signal' },
    }),
  ],
  locate: (_, key, { backend }, resolved) => {
    const found = resolved.get('/part');
    return { backend, mount: found?.state === 'ready' ? (found.outputs['mount'] ?? '') : '', name: key.name };
  },
  observe: (read) => Promise.resolve(seen(`${read}/leaf`)),
  plan: (s) =>
    managed<unknown, null, string, never, string>({
      ...lifecycleOf(),
      act(_, __, ___, rest) {
        const token = s.requests['turn'];
        const { own, pending } = s.status;
        if (token !== undefined && s.status.handledRequests['turn'] !== token) {
          if (pending?.op === 'turn' && outside.has(`turned ${token}`))
            return act({ own: token, handledRequests: { turn: token } });
          return act({
            effect: `turn ${token}`,
            intent: { op: 'turn', token, evidence: { before: 'x' } },
            trial: 'login',
            own: token,
            handledRequests: { turn: token },
          });
        }
        if (own !== undefined && !(s.published?.is === 'ours' && s.published.revision === own))
          return act({ own, effect: writing({ name: 'login', revision: own, entries: { turn: [own] } }) });
        if (own !== undefined && !outside.has(`told ${own}`) && s.resolved.get('/second')?.state === 'ready')
          return act({ own, via: '/second', effect: `tell ${own}` });
        return rest;
      },
    })(s),
  record: (s) => s.status.own,
  report: ({ resolved }) => {
    const through = resolved.get('/part');
    return { observed: through?.state === 'ready' ? { ...through.outputs } : {}, conditions: [] };
  },
  outputs: () => ({}),
});

const done: Outcome = { is: 'done' };
export const works: Perform = (connection, effect) => {
  const [what = '', more = ''] = effect.split(' ');
  if (what === 'make') outside.add(`${connection}/${outside.has('first/part') ? 'leaf' : 'part'}`);
  if (what === 'delete') outside.delete(`${connection}/${more || 'leaf'}`);
  if (what === 'turn') outside.add(`turned ${more}`);
  if (what === 'tell') outside.add(`told ${more}`);
  return done;
};

/** @param clock stands still where none is given */
export async function chain(
  perform: Perform = works,
  requests: Readonly<Record<string, string>> = {},
  clock?: ConstructorParameters<typeof World>[2],
) {
  outside = new Set();
  const made = new World([conn, partKind, leafKind], perform, clock);
  for (const key of [connKey('first'), connKey('second'), part]) made.source.declare({ key, spec: {} });
  made.source.declare({ key: leaf, spec: {}, requests });
  for (const key of ['Conn/first', 'Conn/second', 'Part/shop/part']) await made.visit(key);
  return made;
}
