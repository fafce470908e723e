// Draws what happens to roles of the directory.
import type { Weights } from './draw-action.ts';

const minute = 60_000;
export const roleSlots = ['r1', 'r2'] as const;
export const accounts = ['shop', 'billing', 'reports'] as const;

/** Where there are roles. */
export const onRoles: Weights = [
  [
    10,
    (r) => ({ on: 'tree', do: 'rotate', op: 'A', slot: r.pick(roleSlots), token: `t${r.below(1_000_000)}` }),
  ],
  [2, (r) => ({ on: 'tree', do: 'remove', op: 'A', slots: [r.pick(roleSlots)] })],
  [
    4,
    (r) => {
      const slot = r.pick(roleSlots);
      const username = slot === 'r1' ? accounts[0] : accounts[1];
      const adoption = r.chance(0.2) ? { adoption: 'Adopt' as const } : {};
      const deletion = r.pick(['Delete', 'Retain'] as const);
      return { on: 'tree', do: 'declare role', op: 'A', slot, wish: { username, deletion, ...adoption } };
    },
  ],
  [
    4,
    (r) => ({
      on: 'machine',
      do: 'outputs',
      op: 'A',
      trouble: r.pick(['ENOSPC', 'EROFS']),
      forMs: (20 + r.below(60)) * minute,
    }),
  ],
  [2, (r) => ({ on: 'cluster', do: 'role made anew', slot: r.pick(roleSlots), username: accounts[2] })],
  [
    1,
    (r) => ({
      on: 'machine',
      do: 'state',
      op: 'A',
      what: 'restored',
      of: r.next(),
      whole: r.chance(0.4),
      downMs: r.below(minute),
    }),
  ],
];
