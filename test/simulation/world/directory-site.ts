// An operator over a directory: its tree, and a disk with its state.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { declarations, keep } from '../../../src/runtime/kinds/lookup.ts';
import { openOperator, type Operator } from '../../../src/runtime/directory-operator.ts';
import { keyText } from '../../../src/core/resource.ts';
import type { Told, What } from '../oracle/record.ts';
import { Disk } from '../machine/disk.ts';
import { Line } from '../machine/line.ts';
import { nowMs, type Life } from '../machine/time.ts';
import { Tree } from '../machine/tree.ts';
import type { Passing } from './network.ts';
import { publishedAt, type ManifestFile, type Repository } from './manifests.ts';
import { snapshotOf } from './snapshot.ts';
import { Site, type SiteOptions, type Upset } from './site.ts';

const commit: Passing = { is: 'commit' };

export class DirectorySite extends Site<Operator> {
  readonly memory: Disk;
  readonly #tree = new Tree();

  constructor(options: SiteOptions) {
    super(options);
    this.memory = new Disk(options.name);
    mkdirSync(join(options.folder, 'tree'), { recursive: true });
    this.commit(options.repository, 0);
  }

  protected put(files: ReadonlyMap<string, ManifestFile>, { connected }: Repository): void {
    const { hooks, name } = this.options;
    hooks.snapshot(snapshotOf(nowMs(), name, files, connected));
    this.#tree.set(new Map([...files].map(([file, { text }]) => [file, text])));
  }

  protected open(life: Life): Promise<Operator> {
    const { folder, hooks, watch, name } = this.options;
    const { before, after } = hooks;
    return openOperator({
      directory: join(folder, 'tree'),
      stateDir: folder,
      outputDir: join(folder, 'outputs'),
      embedded: () => undefined,
      watch,
      gate: {},
      machine: {
        storage: this.memory.storage(life, {
          before: () => before(life, commit),
          after: () => after(life, commit),
        }),
        boot: { id: `boot of ${name}`, sinceMs: nowMs },
        reader: this.#tree.reader(life, declarations),
        watch: this.#tree.watch(life),
        dispatcherOf: (origin) => new Line(life, origin, hooks.carry),
      },
      onBug: (key, error) => this.bug(`${name} ${key}`, error),
    });
  }

  protected approveDigest(digest: string, meant: What): void {
    const { operator, life } = this.running ?? {};
    if (!operator || !life) return;
    const { fact } = this.options.hooks;
    void this.say(life, meant, async () => {
      if (await operator.source.trust(digest, keep)) return fact({ is: 'accepted' });
      const keys = (await operator.approve(digest)).map(({ key }) => key);
      const { saidAt = nowMs(), unread = false } = meant.is === 'approved' ? meant : {};
      fact({ is: 'approved', keys, digest, saidAt, unread });
    });
  }

  ask(key: string, name: string, token: string | undefined): void {
    const { operator, life } = this.running ?? {};
    const entry = operator?.source.read(key);
    if (!operator || !life || !entry) return;
    if (name === 'force-orphan' && !entry.object.deleting) return;
    const asked = { is: 'asked', key, name, token } as const;
    void this.say(life, { ...asked, unanswered: true }, async () => {
      await operator.source.overlay(key, name, token);
      this.options.hooks.fact(asked);
    });
  }

  told(): readonly Told[] {
    const { source } = this.running?.operator ?? {};
    const entries = [...(source?.keys() ?? [])].flatMap((key) => source?.read(key) ?? []);
    return entries.map(({ object: { key, deleting }, status: memory }) => ({
      operator: this.name,
      key: keyText(key),
      leaving: deleting,
      conditions: memory.conditions.map(({ type, status, reason, message }) => ({
        type,
        status,
        reason,
        message,
      })),
    }));
  }

  published(slot: string): string | undefined {
    try {
      return readFileSync(join(this.options.folder, 'outputs', publishedAt(slot)), 'utf8');
    } catch {
      return undefined;
    }
  }

  slow(slowestMs: number, deaf: boolean): void {
    this.#tree.slowestMs = slowestMs;
    this.#tree.deaf = deaf;
  }

  /** Whoever writes to a directory edits it. */
  meddle(): void {}

  hear(): void {
    this.#tree.deaf = false;
  }

  upset({ what, of, whole }: Upset, first: Site): boolean {
    const { memory } = this;
    const kept = Math.floor(memory.commits * of);
    const isForgotten = what === 'lost' && whole && memory.isKnown;
    const hasState = first instanceof DirectorySite && first.memory.commits > 0; // else there is nothing to copy
    const other = first !== this && hasState ? first : undefined;
    const changes = what === 'copied' ? other !== undefined : kept < memory.commits || isForgotten;
    if (what === 'lost') memory.lose(whole);
    if (what === 'restored') memory.restore(kept, whole);
    if (what === 'copied' && other) memory.copyFrom(other.memory, whole);
    return changes;
  }
}
