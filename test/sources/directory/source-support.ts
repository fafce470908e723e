// A directory source on a real state, over a tree that the test scripts and a clock that it turns.
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../../src/core/time/clock.ts';
import { keyText, type DeclaredObject, type Key } from '../../../src/core/resource.ts';
import type { Handle } from '../../../src/core/source/source.ts';
import type { ScanReport } from '../../../src/sources/directory/scan-report.ts';
import type { Declared, Scan } from '../../../src/sources/directory/tree/scan.ts';
import type { Problem } from '../../../src/core/text/problem.ts';
import type { DeclaredSecret } from '../../../src/sources/directory/secrets/document.ts';
import { declare, type Row } from '../../../src/sources/directory/state/row.ts';
import { DirectorySource } from '../../../src/sources/directory/source.ts';
import type { State } from '../../../src/sources/directory/state/state.ts';
import { connection, declared } from './state/data.ts';
import { openState, tempFolder, TestGate } from './state/support.ts';

export class TestClock implements Clock {
  readonly #timers = new Set<{ readonly atMs: number; readonly fire: () => void }>();
  #nowMs = 1_000_000;

  nowMs(): number {
    return this.#nowMs;
  }

  setTimer(ms: number, fire: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, fire };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass; what comes due meanwhile is called at the end of it. */
  advance(ms: number): void {
    this.#nowMs += ms;
    for (const timer of this.#timers) {
      if (timer.atMs <= this.#nowMs && this.#timers.delete(timer)) timer.fire();
    }
  }

  get waiting(): number {
    return this.#timers.size;
  }
}

interface Scripted {
  installation: string | undefined;
  objects: readonly Declared[];
  secrets: readonly DeclaredSecret[];
  problems: readonly Problem[];
  hollow: Scan['hollow'];
}

/** What stands in the tree, as the test says. */
class ScriptedTree implements Scripted {
  installation: string | undefined = 'test';
  objects: readonly Declared[] = [];
  secrets: readonly DeclaredSecret[] = [];
  problems: readonly Problem[] = [];
  hollow: Scan['hollow'] = new Map();
  reads = 0;
  watched = false;
  /** Called at the start of each reading; may wait or throw. */
  beforeRead: () => Promise<void> = async () => {};
  #onChange: () => void = () => {};

  read = async (): Promise<Scan> => {
    this.reads += 1;
    await this.beforeRead();
    const { installation, objects, secrets, problems, hollow } = this;
    return {
      installation,
      problems,
      hollow,
      files: objects.length,
      objects: new Map(objects.map((object) => [keyText(object.key), object])),
      secrets: new Map(secrets.map((secret) => [keyText({ ...secret, kind: 'Secret' }), secret])),
    };
  };

  watch = (onChange: () => void): { close(): void } => {
    this.#onChange = onChange;
    this.watched = true;
    return { close: () => void (this.watched = false) };
  };

  /** Tells the source that something changed. */
  changed(): void {
    this.#onChange();
  }
}

export const secret = (name: string, entries: Readonly<Record<string, string>>): DeclaredSecret => ({
  namespace: 'shop',
  name,
  origin: 'secrets.yaml',
  entries: new Map(Object.entries(entries)),
});

/** A pass reports right before it ends: the next one may begin a turn of the event loop later. */
async function ended(report: Promise<ScanReport>): Promise<ScanReport> {
  await report;
  await setImmediate();
  return await report;
}

/** A source on its bench: real state, scripted tree, a clock turned by hand. */
export class Bench {
  readonly tree: ScriptedTree;
  readonly clock: TestClock;
  readonly gate: TestGate;
  readonly state: State;
  readonly source: DirectorySource;
  readonly #newUid: () => string;
  readonly #told: string[] = [];
  #reported = Promise.withResolvers<ScanReport>();

  private constructor(
    state: State,
    gate: TestGate,
    tree: ScriptedTree,
    clock: TestClock,
    newUid: () => string,
  ) {
    this.#newUid = newUid;
    this.tree = tree;
    this.clock = clock;
    this.gate = gate;
    this.state = state;
    this.source = new DirectorySource({
      state,
      clock,
      newUid,
      reader: tree,
      watch: tree.watch,
      connectionOf: ({ kind }) => (kind === connection.kind ? undefined : keyText(connection)),
      onScan: (report) => {
        this.#reported.resolve(report);
        this.#reported = Promise.withResolvers();
      },
    });
  }

  /** @param objects what stands in the tree. */
  static async set(...objects: readonly Declared[]): Promise<Bench> {
    const tree = new ScriptedTree();
    tree.objects = objects;
    return await Bench.#on(join(tempFolder(), 'state.sqlite'), tree, new TestClock(), randomUUID);
  }

  /** The same with UIDs as `newUid` draws them, before anything is declared. */
  static async drawing(newUid: () => string): Promise<Bench> {
    return await Bench.#on(join(tempFolder(), 'state.sqlite'), new ScriptedTree(), new TestClock(), newUid);
  }

  static async #on(file: string, tree: ScriptedTree, clock: TestClock, newUid: () => string): Promise<Bench> {
    const gate = new TestGate();
    const state = await openState(file, { gate, nowMs: () => clock.nowMs() });
    const bench = new Bench(state, gate, tree, clock, newUid);
    onTestFinished(() => bench.source.stop());
    return bench;
  }

  /** The same after a restart, not started yet. */
  async restarted(): Promise<Bench> {
    await this.source.stop();
    await this.state.close();
    return await this.again();
  }

  /** One more process on the same state, which nobody holds; not started yet. */
  async again(): Promise<Bench> {
    return await Bench.#on(this.state.file, this.tree, this.clock, this.#newUid);
  }

  async start(): Promise<this> {
    await this.source.start((key, cause) => this.#told.push(`${key} ${cause}`));
    return this;
  }

  /** What the source told since this was last asked. */
  told(): readonly string[] {
    return this.#told.splice(0).toSorted();
  }

  /** The next pass's report. */
  report(): Promise<ScanReport> {
    return this.#reported.promise;
  }

  /** Changes the tree. Resolves after the pass that sees it. */
  async change(tree: Partial<Scripted>): Promise<ScanReport> {
    Object.assign(this.tree, tree);
    const report = this.report();
    this.tree.changed();
    return await ended(report);
  }

  /** Lets so much time pass that a timer comes due. Resolves after the pass that it starts. */
  async wait(ms: number): Promise<ScanReport> {
    const report = this.report();
    this.clock.advance(ms);
    return await ended(report);
  }

  /** Lets time pass. @returns whether that started a pass. */
  advance(ms: number): boolean {
    const { reads } = this.tree;
    this.clock.advance(ms);
    return this.tree.reads > reads;
  }

  /** A handle of an object, for one visit. */
  open(key: string): Handle {
    const handle = this.source.open(key);
    if (handle === undefined) throw new Error(`${key} can't be visited`);
    return handle;
  }

  /** A handle that was opened when the object was like this; `undefined`: before it was gone. */
  async opened(key: Key, was: Partial<DeclaredObject> | undefined): Promise<Handle> {
    const at = keyText(key);
    const now = this.state.rows.get(at);
    const row = now ?? declare(undefined, declared(key), () => 'gone');
    await this.state.write(at, () => ({ row: { ...row, object: { ...row.object, ...was } } }));
    const handle = this.open(at);
    await this.state.write(at, () => ({ row: was && now }));
    return handle;
  }

  /** The row of an object. */
  row(key: Key): Row {
    const row = this.state.rows.get(keyText(key));
    if (row === undefined) throw new Error(`${keyText(key)} is not there`);
    return row;
  }
}
