// Snapshots at the storage provider, which identifies them by name, as CSI demands. They become ready a while after
// they were cut, also if the process restarts meanwhile. The scheduler itself stores nothing about snapshots.
import type { Clock } from '../../clock.ts';
import { quoted } from '../../http/error-texts.ts';
import { controllerCall, rpc } from './controller-call.ts';
import type { TextMap } from '../store/job.ts';
import { pairKey, type PluginRow, type SnapshotRow, type SnapshotSpec } from '../store/model.ts';
import type { Provider } from './provider.ts';
import type { Store } from '../store/store.ts';

interface Order {
  readonly Name: string;
  /** External ID of the disk. */
  readonly SourceID: string;
  readonly Parameters: TextMap;
  readonly Secrets: TextMap;
}

export class Snapshots {
  readonly #store: Store;
  readonly #provider: Provider;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #byName = new Map<string, string>();
  readonly #cutting = new Set<string>();
  readonly #cancels = new Set<() => void>();
  /** Plugin → snapshots cut since the process started. */
  readonly #cut = new Map<string, number>();
  #started = false;

  constructor(store: Store, provider: Provider, clock: Clock, random: () => number) {
    this.#store = store;
    this.#provider = provider;
    this.#clock = clock;
    this.#random = random;
    for (const row of provider.snapshots.rows()) this.#remember(row);
  }

  get(pluginID: string, id: string): SnapshotRow | undefined {
    return this.#provider.snapshots.get(pairKey(pluginID, id));
  }

  /** Resumes the loaded snapshots. Until this call, no snapshot becomes ready by time. */
  start(): void {
    this.#started = true;
    for (const row of this.#provider.snapshots.rows()) this.#readyLater(row);
  }

  stop(): void {
    for (const cancel of this.#cancels) cancel();
  }

  /**
   * CreateSnapshot. The same name returns the same snapshot. It is cut even if the client disconnects.
   * @throws Refusal 500
   */
  async create(
    plugin: PluginRow,
    order: Order,
  ): Promise<{ readonly row: SnapshotRow; readonly made: boolean }> {
    const fail = controllerCall(plugin, 'create snapshot', 'CREATE_DELETE_SNAPSHOT', order.Secrets);
    const { Name, SourceID } = order;
    if (Name === '') fail('missing Name');
    const at = pairKey(plugin.ID, Name);
    if (this.#cutting.has(at)) {
      fail(`snapshot ${quoted(Name)} is already pending: ${rpc('Aborted', 'it is being cut')}`);
    }
    const key = this.#byName.get(at);
    const known = key === undefined ? undefined : this.#provider.snapshots.get(key);
    if (known && known.SourceID !== SourceID) {
      const why = rpc('AlreadyExists', 'it was cut from another disk');
      fail(
        `snapshot ${quoted(Name)} already exists but is incompatible with volume ID ${quoted(SourceID)}: ${why}`,
      );
    }
    if (known) return { row: known, made: false };
    const disk =
      this.#provider.disk(plugin.ID, SourceID) ?? fail(rpc('NotFound', `no disk ${quoted(SourceID)}`));
    this.#cutting.add(at);
    if (plugin.SnapshotCutMs > 0) await new Promise<void>((cut) => this.#after(plugin.SnapshotCutMs, cut));
    this.#cutting.delete(at);
    const nowMs = this.#clock.nowMs();
    const row = this.put({
      PluginID: plugin.ID,
      ID: this.#newID(plugin.ID),
      ...order,
      SizeBytes: disk.CapacityBytes,
      CreateTime: Math.floor(nowMs / 1000),
      ReadyAtMs: nowMs + plugin.SnapshotReadyMs,
      IsReady: plugin.SnapshotReadyMs === 0,
      InUse: false,
      IsCorrupt: disk.IsCorrupt || this.#isNextCorrupt(plugin),
    });
    return { row, made: true };
  }

  #isNextCorrupt({ ID, CorruptsOneIn }: PluginRow): boolean {
    const cut = (this.#cut.get(ID) ?? 0) + 1;
    this.#cut.set(ID, cut);
    return CorruptsOneIn > 0 && cut % CorruptsOneIn === 0;
  }

  /** DeleteSnapshot; succeeds for a missing one. @returns whether it existed. @throws Refusal 500 while it is in use */
  remove(plugin: PluginRow, id: string, secrets: TextMap): boolean {
    const fail = controllerCall(plugin, 'delete snapshot', 'CREATE_DELETE_SNAPSHOT', secrets);
    if (id === '') fail('missing SnapshotID');
    const row = this.get(plugin.ID, id);
    if (!row) return false;
    if (row.InUse) {
      const why = rpc('FailedPrecondition', 'a disk depends on it');
      fail(`snapshot ${quoted(id)} could not be deleted because it is in use: ${why}`);
    }
    this.lose(row);
    return true;
  }

  /** Deletes the snapshot, even if it is in use. */
  lose({ PluginID, ID, Name }: SnapshotRow): void {
    this.#store.commit(() => [this.#provider.snapshots.drop(pairKey(PluginID, ID))]);
    this.#byName.delete(pairKey(PluginID, Name));
  }

  put(spec: SnapshotSpec): SnapshotRow {
    const key = pairKey(spec.PluginID, spec.ID);
    const row = this.#store.put(this.#provider.snapshots, key, (indexes) => ({ ...spec, ...indexes }));
    this.#remember(row);
    this.#readyLater(row);
    return row;
  }

  #remember({ PluginID, ID, Name }: SnapshotRow): void {
    if (Name !== '') this.#byName.set(pairKey(PluginID, Name), pairKey(PluginID, ID));
  }

  #readyLater({ PluginID, ID, IsReady, ReadyAtMs }: SnapshotRow): void {
    if (IsReady || ReadyAtMs === 0 || !this.#started) return;
    this.#after(Math.max(0, ReadyAtMs - this.#clock.nowMs()), () => {
      const now = this.get(PluginID, ID);
      if (now && !now.IsReady && now.ReadyAtMs === ReadyAtMs) this.put({ ...now, IsReady: true });
    });
  }

  #after(delayMs: number, run: () => void): void {
    const cancel = this.#clock.after(delayMs, () => {
      this.#cancels.delete(cancel);
      run();
    });
    this.#cancels.add(cancel);
  }

  #newID(pluginID: string): string {
    for (;;) {
      const digits = Math.floor(this.#random() * 2 ** 52).toString(16);
      const id = `snap-${digits.padStart(13, '0')}`;
      if (!this.get(pluginID, id)) return id;
    }
  }
}
