// Between a plan and the call that destroys, a declaration may change. Whoever changed it must find what it was about.
import { expect, test } from 'vitest';
import { defineKind } from '../../../src/core/kind/sealed-kind.ts';
import { managed } from '../../../src/core/planning/planner.ts';
import type { Key, DeclaredObject } from '../../../src/core/resource.ts';
import { policy, World } from '../bench.ts';
import { conn, connKey, quiet } from '../chain.ts';

interface Spec {
  readonly disk: string;
}

const disk: Key = { kind: 'Disk', namespace: 'shop', name: 'disk' };
const name = 'Disk/shop/disk';

/** A world with one disk that is there, as it was declared before `now`; during the first look at it, it is `later`. */
async function world(now: Partial<DeclaredObject>, later?: Partial<DeclaredObject>) {
  let outside: string | undefined = 'ssd';
  let meanwhile: (() => void) | undefined;
  const kind = defineKind<Spec, Spec, string, string, string>({
    ...quiet,
    defaults: { ...policy, replace: 'WhenUnused' },
    name: 'Disk',
    // oxlint-disable-next-line no-unsafe-type-assertion -- all that is declared here
    parse: (spec) => spec as Spec,
    connectionField: '/conn',
    references: () => [{ to: 'object', field: '/conn', target: connKey('first'), holds: true }],
    locate: (_, key, { backend }) => ({ backend, name: key.name }),
    async observe() {
      meanwhile?.();
      meanwhile = undefined;
      return outside === undefined ? { state: 'absent' } : { state: 'present', live: { disk: outside } };
    },
    plan: managed<Spec, Spec, string, '/disk', string>({
      fields: { '/disk': { change: 'replace' } },
      want: (spec) => ({ '/disk': spec.disk }),
      have: (live) => ({ '/disk': live.disk }),
      identity: (live) => live.disk,
      isOurs: (s) => s.held,
      inUse: () => undefined,
      create: (s) => ({ summary: 'make it', effect: `make ${s.spec.disk}` }),
      revive: () => undefined,
      update: () => ({ path: '/disk', why: 'never' }),
      remove: (_, __, how) => ({ summary: `${how} it`, effect: 'destroy', destroys: 'data' }),
    }),
    record: () => undefined,
    outputs: () => ({}),
  });
  const at = new World([conn, kind], (_, effect) => {
    outside = effect === 'destroy' ? undefined : effect.replace('make ', '');
    return { is: 'done' };
  });
  const { source } = at;
  source.declare({ key: connKey('first'), spec: {} });
  await at.visit('Conn/first');
  outside = undefined;
  source.declare({ key: disk, spec: { disk: 'ssd' } });
  await at.visit(name);
  source.declare({ key: disk, spec: { disk: 'ssd' }, ...now });
  if (later) meanwhile = () => source.declare({ key: disk, spec: { disk: 'ssd' }, ...later });
  source.log.length = 0;
  const visit = await at.visit(name);
  return { visit, destroyed: source.log.includes('first: destroy') };
}

const leaving = { deleting: true };
const edited = { spec: { disk: 'nvme' }, generation: 2 };

test.for([
  { what: 'deleted', now: leaving },
  { what: 'replaced', now: edited },
])('what is to be $what is, where its declaration stays as it is', async ({ now }) => {
  const { visit, destroyed } = await world(now);
  expect([destroyed, visit?.ending.is]).toEqual([true, now === leaving ? 'gone' : 'rest']);
});

test.for([
  { why: 'deleted, is declared again', now: leaving, later: { deleting: false } },
  { why: 'deleted, is another object by now', now: leaving, later: { deleting: true, uid: 'another' } },
  { why: 'replaced, is declared as it was', now: edited, later: { generation: 3 } },
  { why: 'replaced, is deleted', now: edited, later: { ...edited, deleting: true } },
  {
    why: 'deleted, is released',
    now: leaving,
    later: { deleting: true, requests: { 'force-orphan': 'mine' } },
  },
  { why: 'replaced, is suspended', now: edited, later: { ...edited, requests: { suspend: 'true' } } },
  { why: 'replaced, is another object by now', now: edited, later: { ...edited, uid: 'another' } },
])('nothing is destroyed where what was to be $why, after the plan was made', async ({ now, later }) => {
  const { visit, destroyed } = await world(now, later);
  expect(destroyed).toBe(false);
  expect(visit?.ending.is).toBe('conflict');
});
