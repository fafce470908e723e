// Finding 5: an object got another name, or another namespace, and answered for the same volume: its old self took the
// disk along.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskOf, lost } from './disks.ts';
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
