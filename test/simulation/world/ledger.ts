// Writes down what the services did, by comparing them before and after each request that may change something.
import { claimants, type VolumeRow } from '../../../src/embedded/scheduler/store/model.ts';
import type { Reply } from '../../../src/embedded/http/server.ts';
import type { State } from '../../../src/embedded/scheduler/state.ts';
import type { State as SecretsState } from '../../../src/embedded/secrets/state.ts';
import {
  isRetired,
  placeText,
  type Actor,
  type DiskShape,
  type Entry,
  type Place,
} from '../oracle/record.ts';
import { nowMs } from '../machine/time.ts';

interface Seen {
  readonly disks: ReadonlySet<string>;
  /** Scheduler, namespace and ID → where, and which disk. */
  readonly volumes: ReadonlyMap<
    string,
    { readonly place: Place; readonly disk: string; readonly claims: readonly string[] }
  >;
}

/** Who asks, and for what. */
export interface Asking {
  readonly by: Actor;
  readonly sentAt: number;
  /** Of a volume. */
  readonly place?: Place;
  /** It is a create: answered with a disk that was there, it found one. */
  readonly creates?: boolean;
}

const diskOf = (plugin: string, externalID: string): string => `${plugin}:${externalID}`;

export class Ledger {
  readonly entries: Entry[] = [];
  readonly #schedulers: ReadonlyMap<string, State>;
  readonly #secrets: SecretsState;

  constructor(schedulers: ReadonlyMap<string, State>, secrets: SecretsState) {
    this.#schedulers = schedulers;
    this.#secrets = secrets;
  }

  /** As `during`, for a request about a role of the directory; what is done is done when it is answered. */
  async role(asking: Asking, method: string, path: string, act: () => Promise<Reply>): Promise<Reply> {
    const [, what, name = ''] = /^\/v1\/ldap\/(static-role|rotate-role)\/([^/?]+)/.exec(path) ?? [];
    const before = this.#account(name);
    const reply = await act();
    const after = this.#account(name);
    const is =
      what === 'rotate-role'
        ? 'role rotated'
        : method === 'DELETE'
          ? 'role removed'
          : before === undefined
            ? 'role made'
            : undefined;
    const account = is === 'role removed' ? before : after;
    if (what === undefined || !is || account === undefined || reply.status >= 300) return reply;
    const place = { scheduler: 'secrets', namespace: 'ldap', id: name };
    this.entries.push({ ...asking, at: nowMs(), is, disk: account, place });
    return reply;
  }

  #account(role: string): string | undefined {
    return this.#secrets.roles.rows().find(([, row]) => row.name === role)?.[1].username;
  }

  /** Does it, and writes down what came of it. Whatever it does it does at once. */
  during<T>(asking: Asking, act: () => T): T {
    const before = this.#seen();
    const result = act();
    this.#compare(before, this.#seen(), asking);
    return result;
  }

  disks(): ReadonlyMap<string, DiskShape> {
    return new Map(
      this.#provider().map(({ PluginID, ExternalID, Parameters }) => [
        diskOf(PluginID, ExternalID),
        { plugin: PluginID, parameters: Parameters },
      ]),
    );
  }

  /** Where others know it: what is about to be destroyed is registered under an ID that nobody was told of. */
  known(place: Place): Place {
    if (!isRetired(place)) return place;
    const registered = this.entries.filter((entry) => entry.is === 'registered').toReversed();
    const disk = registered.find((entry) => placeText(entry.place) === placeText(place))?.disk;
    return registered.find((entry) => entry.disk === disk && !isRetired(entry.place))?.place ?? place;
  }

  registrations(): readonly { readonly place: Place; readonly disk: string }[] {
    return [...this.#seen().volumes.values()].map(({ place, disk }) => ({ place, disk }));
  }

  #provider() {
    const [first] = this.#schedulers.values();
    return first ? [...first.provider.disks.rows()] : [];
  }

  #seen(): Seen {
    const volumes = new Map<string, { place: Place; disk: string; claims: readonly string[] }>();
    for (const [scheduler, state] of this.#schedulers) {
      for (const row of state.volumes.rows()) {
        const place = { scheduler, namespace: row.Namespace, id: row.ID };
        const disk = diskOf(row.PluginID, row.ExternalID);
        volumes.set(`${scheduler}/${row.Namespace}/${row.ID}`, { place, disk, claims: running(state, row) });
      }
    }
    const disks = new Set(this.#provider().map((disk) => diskOf(disk.PluginID, disk.ExternalID)));
    return { disks, volumes };
  }

  #compare(before: Seen, after: Seen, { by, sentAt, place, creates }: Asking): void {
    const common = { at: nowMs(), by, sentAt };
    const of = (disk: string) => [...before.volumes.values()].filter((volume) => volume.disk === disk);
    const shapes = this.disks();
    for (const disk of after.disks) {
      const shape = shapes.get(disk);
      if (before.disks.has(disk) || !shape) continue;
      const where = place ?? { scheduler: '', namespace: '', id: disk };
      this.entries.push({ ...common, is: 'made', disk, shape, place: where });
    }
    for (const [at, { place: where, disk }] of after.volumes) {
      if (before.volumes.get(at)?.disk === disk) continue;
      if (creates === true && before.disks.has(disk)) {
        this.entries.push({ ...common, is: 'found', disk, place: where });
      }
      this.entries.push({ ...common, is: 'registered', disk, place: where });
    }
    for (const [at, { place: where, disk, claims }] of before.volumes) {
      if (after.volumes.get(at)?.disk !== disk) {
        this.entries.push({ ...common, is: 'deregistered', disk, place: where, claims });
      }
    }
    for (const disk of before.disks) {
      if (after.disks.has(disk)) continue;
      const registered = of(disk);
      this.entries.push({
        ...common,
        is: 'destroyed',
        disk,
        place,
        // The operator is connected to one scheduler: who claims the disk through another's registration is not to be known.
        claims: registered.flatMap((one) =>
          !place || one.place.scheduler === place.scheduler
            ? one.claims.map((allocation) => ({ allocation, place: one.place }))
            : [],
        ),
        registrations: registered.map((volume) => volume.place),
      });
    }
  }
}

/** Claimants whose tasks still run. */
const running = (state: State, volume: VolumeRow): readonly string[] =>
  claimants(volume).filter((id) => {
    const allocation = state.allocations.get(id);
    return allocation !== undefined && ['running', 'pending'].includes(allocation.ClientStatus);
  });
