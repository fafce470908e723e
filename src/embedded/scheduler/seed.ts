// What a fresh cluster starts with. A state that was loaded from a file is never seeded.
import { UsageError } from '../../core/errors.ts';
import { Refusal } from '../http.ts';
import { additions } from './additions.ts';
import { controllerFlags } from './model.ts';
import type { State } from './state.ts';

/**
 * Lists of what POST /setup/<list> takes one of; names in any case. Volumes have the shape of the API's bodies, in the
 * dialect that is served.
 */
export type Seed = Readonly<Partial<Record<keyof typeof additions, readonly unknown[]>>>;

const all = Object.keys(controllerFlags);

const server = { jobID: 'shop', taskGroup: 'web', tasks: [{ name: 'server' }] };

/**
 * Two zones; disks of every sort, and one that is there already, to be registered; a job whose tasks take signals. `hostpath`
 * deletes a disk from under its user, as the driver of that name does; `ebs` does not.
 */
export const defaultSeed: Seed = {
  nodes: [
    { id: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01', name: 'node-a', topology: { zone: 'a' } },
    { id: '7d1c9e44-82b6-4f35-a6d2-1e0f3b5a9c02', name: 'node-b', topology: { zone: 'b' } },
  ],
  plugins: [
    { id: 'hostpath', provider: 'hostpath.csi.example', capabilities: all, deletesInUse: true },
    { id: 'ebs', provider: 'ebs.csi.example', capabilities: all, requiresTopologies: true },
    { id: 'nfs', provider: 'nfs.csi.example' },
  ],
  disks: [
    {
      pluginID: 'ebs',
      externalID: 'vol-0a1b2c3d4e5f6',
      capacityBytes: 10 * 1024 ** 3,
      topologies: [{ zone: 'a' }],
    },
  ],
  snapshots: [{ pluginID: 'ebs', id: 'snap-0a1b2c3d4e5f6', sizeBytes: 1024 ** 3 }],
  jobs: [{ id: 'shop' }],
  allocations: [
    { id: '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01', node: 'node-a', index: 0, ...server },
    { id: 'c64a0d95-1e7f-4b38-9d2c-70b5f8e31a02', node: 'node-b', index: 1, ...server },
  ],
};

/** From parsed YAML or JSON. @throws UsageError */
export function parseSeed(value: unknown): Seed {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new UsageError(`seed: expected a map of lists: ${Object.keys(additions).join(', ')}`);
  }
  for (const [list, items] of Object.entries(value)) {
    if (!Object.hasOwn(additions, list)) {
      throw new UsageError(`seed.${list}: unknown; known: ${Object.keys(additions).join(', ')}`);
    }
    if (!Array.isArray(items)) throw new UsageError(`seed.${list}: expected a list`);
  }
  return value;
}

/** Adds what the seed lists, each list after those it needs. @throws UsageError that says which item and why */
export function plant(state: State, seed: Seed): void {
  state.store.atomically(() => {
    additions.namespaces(state, { name: 'default' }, 'namespace');
    const lists = new Map<string, readonly unknown[]>(Object.entries(seed));
    for (const [list, add] of Object.entries(additions)) {
      const items = lists.get(list) ?? [];
      items.forEach((item, i) =>
        plantOne(() => add(state, item, `seed.${list}[${i}]`), `seed.${list}[${i}]`),
      );
    }
  });
  state.resetEffects();
}

function plantOne(add: () => unknown, at: string): void {
  try {
    add();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { message } = error;
    throw new UsageError(message.startsWith(at) ? message : `${at}: ${message}`, { cause: error });
  }
}
