// What people change in a repository.
import { patchedAtMount, isMountedSlot, type MountedSlot, type MountedWish } from '../history/mounted.ts';
import type { Patch, RoleWish, ScheduleWish, TreeAction, Wish } from '../history/events.ts';
import type { Site } from './site.ts';
import type { Storage } from './storage-manifests.ts';

const plainWish: Wish = {
  plugin: 'plain',
  parameters: 'a',
  deletion: 'Retain',
  replace: 'Never',
  suspended: false,
  observed: false,
  writers: 'single',
};

const plainSchedule: ScheduleWish = { everyMinutes: 0, count: 1, minReady: 1, suspended: false };

/** Nothing where it can't be done. */
export function commit(site: Site, action: TreeAction): void {
  switch (action.do) {
    case 'declare':
      return edit(site, (volumes) =>
        volumes.set(action.slot, patched(volumes.get(action.slot) ?? plainWish, action.patch)),
      );
    case 'remove':
      return edit(site, (volumes, roles) =>
        action.slots.forEach((slot) => volumes.delete(slot) || roles.delete(slot)),
      );
    case 'declare role':
      return edit(site, (_, roles) => {
        const rotate = roles.get(action.slot)?.rotate;
        roles.set(action.slot, { ...action.wish, ...(rotate !== undefined && { rotate }) });
      });
    case 'rotate':
      return edit(site, (_, roles) => {
        const wish = roles.get(action.slot);
        if (wish) roles.set(action.slot, { ...wish, rotate: action.token });
      });
    case 'declare at mount':
      return mount(site, (mounted) => mounted.set(action.slot, action.wish));
    case 'edit at mount':
      return mount(site, (mounted) => {
        const wish = mounted.get(action.slot);
        if (wish) mounted.set(action.slot, patchedAtMount(wish, action.patch));
      });
    case 'undeclare at mount':
      return mount(site, (mounted) => action.slots.forEach((slot) => mounted.delete(slot)));
    case 'declare snapshot':
      return store(site, (storage) => ({
        ...storage,
        snapshots: new Map(storage.snapshots).set(action.slot, action.wish),
      }));
    case 'declare action':
      return store(site, (storage) => ({
        ...storage,
        actions: new Map(storage.actions).set(action.slot, action.wish),
      }));
    case 'declare schedule':
      return store(site, (storage) => ({ ...storage, schedule: action.wish }));
    case 'let go':
      return store(site, (storage) => ({
        ...storage,
        snapshots: without(storage.snapshots, action.slot),
        actions: without(storage.actions, action.slot),
      }));
    case 'rename':
      return edit(site, (volumes) => {
        const wish = volumes.get(action.slot);
        if (!wish || volumes.has(action.to)) return;
        volumes.delete(action.slot);
        volumes.set(action.to, { externalName: action.slot, ...wish });
      });
    case 'edit all':
      return edit(site, (volumes) => {
        for (const [slot, wish] of volumes) volumes.set(slot, patched(wish, action.patch));
      });
    case 'empty':
    case 'break': {
      const { volumes, mounted, spoilt } = site.repository;
      const isThere = isMountedSlot(action.slot) ? mounted?.has(action.slot) : volumes.has(action.slot);
      if (isThere !== true) return;
      const how = action.do === 'empty' ? 'empty' : 'broken';
      return site.commit({ ...site.repository, spoilt: new Map(spoilt).set(action.slot, how) }, 0);
    }
    case 'switch':
      return site.commit({ ...site.past(action.back), connected: site.repository.connected }, action.overMs);
    case 'limits': {
      const { perHour, percent, remove } = action;
      const limits = { perHour, percent: site.repository.storage ? 100 : percent };
      const connected = { ...site.repository.connected, limits };
      return edit(site, (volumes) => remove.forEach((slot) => volumes.delete(slot)), connected);
    }
    case 'address': {
      const { connected } = site.repository;
      return edit(site, () => {}, { ...connected, address: connected.address + 1 });
    }
  }
}

function edit(
  site: Site,
  change: (volumes: Map<string, Wish>, roles: Map<string, RoleWish>) => void,
  connected = site.repository.connected,
): void {
  const before = site.repository;
  const volumes = new Map(before.volumes);
  const roles = new Map(before.roles);
  change(volumes, roles);
  const spoilt = new Map(
    [...before.spoilt].filter(([slot]) => volumes.get(slot) === before.volumes.get(slot)),
  );
  site.commit({ ...before, connected, volumes, roles, spoilt }, 0);
}

/** Nothing where there is none. Who writes a file that was spoilt mends it. */
function mount(site: Site, change: (mounted: Map<MountedSlot, MountedWish>) => void): void {
  const before = site.repository;
  if (!before.mounted) return;
  const mounted = new Map(before.mounted);
  change(mounted);
  const isKept = (slot: string) => !isMountedSlot(slot) || mounted.get(slot) === before.mounted?.get(slot);
  const spoilt = new Map([...before.spoilt].filter(([slot]) => isKept(slot)));
  site.commit({ ...before, mounted, spoilt }, 0);
}

/** Nothing where there is none. */
function store(site: Site, change: (storage: Storage) => Storage): void {
  const { storage } = site.repository;
  if (storage) site.commit({ ...site.repository, storage: change(storage) }, 0);
}

/** No more snapshots are taken by the clock. */
export const rest = (site: Site): void =>
  store(site, (storage) => {
    const { schedule } = storage;
    return schedule ? { ...storage, schedule: { ...schedule, everyMinutes: 0 } } : storage;
  });

/**
 * While a file can't be read, or an edit can't be made, a schedule that left goes on as it was last declared, so it is declared
 * again.
 */
export function takeBack(site: Site): void {
  const goesOn = site.told().some(({ key, leaving }) => key.startsWith('CSISnapshotSchedule/') && !leaving);
  if (goesOn) store(site, (storage) => ({ ...storage, schedule: storage.schedule ?? plainSchedule }));
}

const without = <T>(all: ReadonlyMap<string, T>, slot: string): ReadonlyMap<string, T> =>
  new Map([...all].filter(([one]) => one !== slot));

function patched(wish: Wish, patch: Patch): Wish {
  const merged = Object.entries({ ...wish, ...patch }).filter(([, value]) => value !== undefined);
  return { ...plainWish, ...Object.fromEntries(merged) };
}
