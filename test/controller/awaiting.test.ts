// A create that its service refuses for now, because what it needs there is not up: it is tried again when the service reports
// that, and not only once the wait is over.
import { expect, test } from 'vitest';
import { ApiError } from '../../src/core/errors.ts';
import { defineKind } from '../../src/core/kind/sealed-kind.ts';
import type { Prerequisite } from '../../src/core/kind/kind.ts';
import type { ExternalObject } from '../../src/core/resource.ts';
import { World } from './bench.ts';
import { conn, connKey, onFirst, quiet } from './chain.ts';
import { idle, running } from './running.ts';

const plugin = (id: string, backend = 'first'): ExternalObject => ({ type: 'scheduler/plugin', backend, id });

const ebs: Prerequisite<string> = {
  name: 'plugin ebs',
  external: { type: 'scheduler/plugin', id: 'ebs' },
  missing: () => Promise.reject(new Error('only plans ask')),
};

/** One object that needs this, and a service that refuses it for that reason. */
async function refused(why: ApiError, needed: Prerequisite<string> | undefined) {
  const sent: string[] = [];
  const kind = defineKind<unknown, null, string, string, string>({
    ...quiet,
    ...onFirst,
    name: 'Toy',
    prerequisite: () => needed,
    observe: async () => ({ state: 'absent' }),
    plan: () => ({
      verdict: 'change',
      drift: [],
      steps: [{ verb: 'create', summary: 'create it', effect: 'create', changes: [] }],
    }),
    record: () => undefined,
    report: () => ({ observed: {}, conditions: [] }),
    outputs: () => ({}),
  });
  const at = new World([conn, kind], (_, effect) => {
    sent.push(effect);
    return { is: 'rejected', error: why };
  });
  at.source.declare({ key: connKey('first'), spec: {} });
  at.source.declare({ key: { kind: 'Toy', namespace: 'shop', name: 'a' }, spec: {}, generation: 1 });
  const watch = await running(at, () => undefined);
  watch.complete();
  await idle();
  const before = sent.length;
  /** How often it was tried after that. The clock stands still: no wait is over. */
  return async (changed: ExternalObject): Promise<number> => {
    watch.changed(changed);
    await idle();
    return sent.length - before;
  };
}

const notUp = new ApiError('waiting', 'PluginUnhealthy', 'no healthy controllers');

test.for<{ what: string; why: ApiError; changed: ExternalObject; tried: number }>([
  { what: 'its plugin', why: notUp, changed: plugin('ebs'), tried: 1 },
  { what: 'another plugin', why: notUp, changed: plugin('nfs'), tried: 0 },
  { what: 'a plugin of that name elsewhere', why: notUp, changed: plugin('ebs', 'second'), tried: 0 },
  {
    what: 'its plugin, which has nothing to do with why it was refused',
    why: new ApiError('refused', 'PermissionDenied', 'denied'),
    changed: plugin('ebs'),
    tried: 0,
  },
])(
  'when $what is reported, a refused create is tried again $tried times',
  async ({ why, changed, tried }) => {
    const triedOn = await refused(why, ebs);
    expect(await triedOn(changed)).toBe(tried);
  },
);

test('what needs nothing waits as before', async () => {
  const triedOn = await refused(notUp, undefined);
  expect(await triedOn(plugin('ebs'))).toBe(0);
});
