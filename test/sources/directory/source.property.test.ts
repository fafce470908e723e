import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConflictError } from '../../../src/core/errors.ts';
import { keyText } from '../../../src/core/resource.ts';
import { declared, volume } from './state/data.ts';
import { Bench } from './source-support.ts';

const quietMs = 2_000;
const name = fc.constantFrom('a', 'b', 'c');
const size = fc.integer({ min: 1, max: 2 });
const ms = fc.constantFrom(500, 1_000, quietMs - 1, quietMs);

/** Whether the watcher tells of it; otherwise the next pass finds it. */
const told = fc.boolean();

const command = fc.oneof(
  fc.record({ do: fc.constant('declare' as const), name, size, told }),
  fc.record({ do: fc.constant('take away' as const), name, told }),
  fc.record({ do: fc.constantFrom('break' as const, 'mend' as const, 'mend' as const), told }),
  fc.record({ do: fc.constant('wait' as const), ms }),
  fc.record({ do: fc.constant('wait' as const), ms }),
  fc.record({ do: fc.constant('release' as const), name, removed: fc.boolean() }),
  fc.record({ do: fc.constant('restart' as const) }),
);

interface Remembered {
  readonly spec: { readonly size: number };
  readonly generation: number;
  readonly leaving: boolean;
  readonly uid: string;
}

/** The rules at their simplest: no files, no transactions, no event loop. */
class Model {
  readonly tree = new Map<string, number>();
  readonly rows = new Map<string, Remembered>();
  #drawn = 0;
  broken = false;
  nowMs = 0;
  #seen = '';
  #quietSinceMs = 0;
  #timerMs: number | undefined;

  pass(disturbed: boolean): void {
    const seen = JSON.stringify([this.broken, ['a', 'b', 'c'].map((key) => this.tree.get(key))]);
    if (disturbed || this.broken || seen !== this.#seen) this.#quietSinceMs = this.nowMs;
    this.#seen = seen;
    for (const [key, wanted] of this.tree) this.#declare(key, wanted);
    const missing = [...this.rows].filter(([key, row]) => !row.leaving && !this.tree.has(key));
    const quiet = this.nowMs - this.#quietSinceMs >= quietMs;
    if (quiet) {
      for (const [key, row] of missing) {
        this.rows.set(key, { ...row, leaving: true, generation: row.generation + 1 });
      }
    }
    this.#timerMs = quiet || this.broken || missing.length === 0 ? undefined : this.#quietSinceMs + quietMs;
  }

  #declare(key: string, wanted: number): void {
    const row = this.rows.get(key);
    const uid = row?.uid ?? `uid-${++this.#drawn}`;
    const changed = row && (row.leaving || row.spec.size !== wanted);
    const generation = (row?.generation ?? 1) + (changed ? 1 : 0);
    this.rows.set(key, { uid, spec: { size: wanted }, generation, leaving: false });
  }

  /** @returns whether a pass was due. */
  wait(forMs: number): boolean {
    this.nowMs += forMs;
    if (this.#timerMs === undefined || this.#timerMs > this.nowMs) return false;
    this.pass(false);
    return true;
  }

  /** @returns whether it went, and whether it was declared. */
  release(key: string, removed: boolean): 'gone' | 'made anew' | 'refused' {
    const row = this.rows.get(key);
    if (row === undefined || (!row.leaving && !removed)) return 'refused';
    this.rows.delete(key);
    if (row.leaving) return 'gone';
    this.pass(false);
    return 'made anew';
  }
}

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

/** Does the same to both. @returns the bench to go on with. */
async function perform(c: Command, model: Model, bench: Bench): Promise<Bench> {
  switch (c.do) {
    case 'declare':
      model.tree.set(c.name, c.size);
      break;
    case 'take away':
      model.tree.delete(c.name);
      break;
    case 'break':
    case 'mend':
      model.broken = c.do === 'break';
      break;
    case 'wait':
      if (model.wait(c.ms)) await bench.wait(c.ms);
      else bench.clock.advance(c.ms);
      return bench;
    case 'release':
      await release(c.name, c.removed, model, bench);
      return bench;
    case 'restart':
      model.pass(true);
      return await (await bench.restarted()).start();
  }
  model.pass(c.told);
  Object.assign(bench.tree, {
    objects: [...model.tree].map(([key, wanted]) => declared(volume(key), { spec: { size: wanted } })),
    problems: model.broken ? [{ message: 'is not YAML', origin: 'broken.yaml' }] : [],
  });
  const report = bench.report();
  if (c.told) bench.tree.changed();
  else await expect((await bench.opened(volume('none'), undefined)).confirm()).rejects.toThrow(ConflictError);
  await report;
  return bench;
}

async function release(key: string, removed: boolean, model: Model, bench: Bench): Promise<void> {
  const isThere = model.rows.has(key);
  const handle = isThere
    ? bench.source.open(keyText(volume(key)))
    : await bench.opened(volume(key), undefined);
  if (!handle) return; // it is not decided whether it leaves: nobody visits it
  const report = bench.report();
  const released = handle.release({ removed });
  const expected = model.release(key, removed);
  if (expected === 'refused') await expect(released).rejects.toThrow(ConflictError);
  else await released;
  if (expected === 'made anew') await report;
}

/** UIDs that both can foretell: what was drawn is counted. */
function drawing(): () => string {
  let drawn = 0;
  return () => `uid-${++drawn}`;
}

const shown = (bench: Bench) =>
  new Map(
    [...bench.state.rows.values()].map(({ object }) => {
      const { uid, generation, deleting: leaving, spec } = object;
      return [object.key.name, { uid, generation, leaving, spec }];
    }),
  );

test(
  'whatever comes, goes, breaks, waits and restarts: the state says what the rules say',
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 25 }), async (commands) => {
        const model = new Model();
        let bench = await (await Bench.drawing(drawing())).start();
        model.pass(true);
        for (const c of commands) {
          bench = await perform(c, model, bench);
          expect(shown(bench)).toEqual(model.rows);
        }
        await bench.source.stop();
        await bench.state.close();
      }),
      { numRuns: 30 },
    );
  },
);
