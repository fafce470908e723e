// Finding 5: an object got another name, or another namespace, and answered for the same volume: its old self took the
// disk along.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { eventually } from '../support/poll.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost, registered } from './disks.ts';
import { gap, Gaps } from './gaps.ts';
import { Operated } from './operated.ts';

const named = (namespace: string, name: string, spec: Spec): Spec => ({
  ...volume(name, { deletionPolicy: 'Delete', ...spec }),
  metadata: { namespace, name },
});

interface Case {
  readonly what: string;
  readonly to: readonly [namespace: string, name: string];
  readonly externalName?: string;
}

const moves: readonly Case[] = [
  { what: 'renamed', to: ['shop', 'invoices'], externalName: 'ledger' },
  { what: 'moved to another namespace', to: ['billing', 'orders'], externalName: 'ledger' },
  { what: 'moved to another namespace, unnamed', to: ['billing', 'orders'] },
];

test.each(moves.flatMap((move) => ['Fail', 'Adopt'].map((adoptionPolicy) => ({ ...move, adoptionPolicy }))))(
  'an object was $what (adoptionPolicy: $adoptionPolicy), and its disk was destroyed',
  async ({ to: [namespace, name], externalName, adoptionPolicy }) => {
    const service = await serve();
    const operated = await Operated.on(service);
    const spec = externalName === undefined ? {} : { externalName };
    const id = externalName ?? 'orders';
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('orders.yaml', named('shop', 'orders', spec));
    await operated.converge();
    const disk = await diskOf(service, id);

    const moved = { ...spec, adoptionPolicy };
    operated.tree.put('orders.yaml', named(namespace, name, moved));
    const { code, stdout } = await operated.apply();
    expect(await lost(service, [disk]), stdout).toEqual([]);
    expect(await diskOf(service, id)).toBe(disk);
    expect(code, stdout).toBe(0);

    // The new one answers for it now.
    operated.tree.put('orders.yaml', named(namespace, name, { ...moved, mountOptions: { fsType: 'xfs' } }));
    await operated.converge();
    expect((await service.volume(id)).MountOptions.FSType).toBe('xfs');
    expect(await diskOf(service, id)).toBe(disk);
  },
);

/** More than there are calls about a volume in its deletion. */
const gapsMax = 20;
const gaps = Array.from({ length: gapsMax }, (_, i) => gap(i + 1));
/** The tree is read once more, then the volume is looked at once more, and then the call is sent that destroys. */
const afterTheLastLookMax = 4;
const patience = { timeout: 180_000 };

test(
  'a volume got another name between two calls of its deletion, and its disk was destroyed',
  patience,
  async () => {
    const service = await serve();
    const between = await Gaps.before(service);
    const operated = await Operated.on({ url: between.url, dialect: service.dialect });
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('volumes.yaml', ...gaps.map((name) => named('shop', name, {})));
    await operated.converge();
    const before = await registered(service);
    const renamed: string[] = [];
    const late = new Set<string>();
    between.act = (name) => {
      renamed.push(name);
      if (between.destroying.has(name)) late.add(name);
      operated.tree.put(`${name}.yaml`, named('shop', `heir-of-${name}`, { externalName: name }));
      return Promise.resolve();
    };
    await between.begin();
    operated.tree.remove('volumes.yaml');
    operated.run();
    const atRest = async () =>
      Object.keys(await registered(service))
        .toSorted()
        .join();
    await eventually(
      'what was renamed is there, and all else is gone',
      async () => {
        return renamed.length > 0 && (await atRest()) === [...renamed, 'other'].toSorted().join();
      },
      { withinMs: 150_000 },
    );

    const now = await registered(service);
    const gone = renamed.filter((name) => now[name] !== before[name] && !late.has(name));
    expect(renamed.length, 'calls of a deletion').toBeGreaterThan(12);
    expect(gone.length, `${gone.join()} of ${renamed.join()}`).toBeLessThanOrEqual(afterTheLastLookMax);
    expect(
      await lost(
        service,
        renamed.filter((name) => !late.has(name)).map((name) => before[name] ?? ''),
      ),
    ).toHaveLength(gone.length);
  },
);

/** Longer than it takes to look at what is new, and to take over. */
const heldMs = 3_000;

test.each([
  { what: 'deregistered', method: 'DELETE', path: /^\/v1\/volume\/csi\/[^/]+\?/ },
  { what: 'registered under an ID that nobody knows', method: 'PUT', path: /^\/v1\/volume\/csi\/holdfast-/ },
])(
  'volumes got other names while each was being $what, and registrations were left over',
  patience,
  async ({ method, path }) => {
    const service = await serve();
    const between = await Gaps.before(service);
    const operated = await Operated.on({ url: between.url, dialect: service.dialect });
    operated.tree.put('other.yaml', volume('other'));
    // Several: the last to be looked at wakes the rest, whose calls are sent by a visit that nobody else waits for.
    const names = ['a', 'b', 'c', 'd'].map((name) => `ledger-${name}`);
    operated.tree.put('ledgers.yaml', ...names.map((name) => named('shop', name, {})));
    await operated.converge();
    const before = await registered(service);
    const isReady = async (name: string) =>
      (await operated.objects()).get(`CSIVolume/shop/heir-of-${name}`)?.status === 'True';
    const held = new Set<string>();
    between.each = async (name, { method: sent, url }) => {
      if (held.has(name) || sent !== method || !path.test(url)) return;
      held.add(name);
      operated.tree.put(`${name}.yaml`, named('shop', `heir-of-${name}`, { externalName: name }));
      const until = performance.now() + heldMs;
      await eventually(
        'the new one has taken over, or had the time to',
        async () => performance.now() > until || isReady(name),
      );
    };
    await between.begin();
    operated.tree.remove('ledgers.yaml');
    operated.run();
    await eventually('all have moved, and nothing is left over', async () => {
      const ready = await Promise.all(names.map(isReady));
      const now = Object.keys(await registered(service)).toSorted();
      return held.size === names.length && ready.every(Boolean) && now.join() === [...names, 'other'].join();
    });
    expect(await registered(service)).toEqual(before);
  },
);
