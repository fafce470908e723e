// With what the state kept of earlier scans and without, a tree comes to the same: objects, Secrets, problems with their
// places, and fingerprints. Over random trees and edits, restarts, upgrades, restored states and damaged records.
import { hash } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { comeBack, declare, leave, refuse, type Row } from '../../../../src/sources/directory/state/row.ts';
import type { TreeReader } from '../../../../src/sources/directory/tree/reader.ts';
import type { StoredReading } from '../../../../src/sources/directory/tree/stored-reading.ts';
import type { Scan } from '../../../../src/sources/directory/tree/scan.ts';
import { diskText, treeOf, type Tree } from './support.ts';

const disk = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    spec: fc.constantFrom(
      '{size: 1}',
      '{size: 2}',
      '{owner: ann, size: 2}',
      '{size: 2, owner: bob}',
      '{size: 3, tags: {constructor: x, "0": y}}',
    ),
    meta: fc.constantFrom('', ', labels: {team: red}', ', annotations: {holdfast.dev/reconcile: now}'),
  })
  .map(({ name, spec, meta }) => diskText(name, spec, meta));
const secretText =
  'apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: shop}\nstringData: {key: canary}\n';
const other = fc.constantFrom(
  secretText,
  diskText('a', '{size: big}'),
  diskText('b', '{size: 13}'),
  diskText('c', '{size: ['),
  'just: text\n',
  '# nothing\n',
  'apiVersion: holdfast.dev/v1alpha1\nkind: Site\nmetadata: {name: s}\nspec: {city: Ulm}\n',
);
const text = fc
  .array(fc.oneof({ weight: 6, arbitrary: disk }, { weight: 1, arbitrary: other }), {
    minLength: 1,
    maxLength: 3,
  })
  .map((documents) => documents.join('---\n'));
const file = fc.constantFrom('a.yaml', 'b.yaml', 'shop/c.yaml', 'shop/d.yml');

const damage = fc.constantFrom<(reading: StoredReading) => StoredReading>(
  (reading) => ({ ...reading, objects: '[]' }),
  (reading) => ({ ...reading, objects: reading.objects.slice(1) }),
  (reading) => ({ ...reading, objects: reading.objects.replace(/,\["[^\]]*\]/, '') }),
  (reading) => ({ ...reading, objects: reading.objects.replaceAll('Disk/shop/a', 'Disk/shop/b') }),
  (reading) => ({ ...reading, digest: `${reading.digest}=` }),
  (reading) => ({ ...reading, sum: '' }),
);

const command = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('write' as const), file, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), file }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('upgrade' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('save' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('restore' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('lose rows' as const), name: fc.integer() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('damage' as const), file, damage }) },
);

/** As the state has it on disk. */
const stored = <T>(held: ReadonlyMap<string, T>): Map<string, T> =>
  new Map(JSON.parse(JSON.stringify([...held])));

/** A state and a process on it, of which one keeps readings and the other does not. */
class Process {
  rows = new Map<string, Row>();
  readings = new Map<string, StoredReading>();
  program = 'first';
  reader: TreeReader;
  readonly #tree: Tree;
  readonly #keeps: boolean;

  constructor(tree: Tree, keeps: boolean) {
    this.#tree = tree;
    this.#keeps = keeps;
    this.reader = this.#started();
  }

  restart(): void {
    this.rows = stored(this.rows);
    this.readings = stored(this.readings);
    this.reader = this.#started();
  }

  #started(): TreeReader {
    const { rows, program } = this;
    const ours = [...this.readings].filter(([, reading]) => reading.program === program);
    const previous = (key: string): unknown => rows.get(key)?.object.spec;
    return this.#tree.reader({
      previous,
      ...(this.#keeps && { readings: { program, rows, stored: new Map(ours) } }),
    });
  }

  async scan(): Promise<Scan> {
    const scan = await this.reader.read();
    for (const { key } of scan.problems) this.#put(key, refuse(comeBack(this.rows.get(key ?? ''))));
    for (const [key, declared] of scan.objects)
      this.#put(
        key,
        declare(this.rows.get(key), declared, () => `uid of ${key}`),
      );
    for (const [key, row] of this.rows)
      if (scan.problems.length === 0 && !scan.objects.has(key)) this.#put(key, leave(row));
    for (const [origin, reading] of scan.readings?.learnt ?? []) this.readings.set(origin, reading);
    for (const origin of scan.readings?.dropped ?? []) this.readings.delete(origin);
    return scan;
  }

  #put(key: string | undefined, row: Row | undefined): void {
    if (key !== undefined && row) this.rows.set(key, row);
  }
}

const digestOf = (path: string): string => hash('sha256', readFileSync(path), 'base64');

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never;

function carryOut(
  what: Command,
  tree: Tree,
  both: readonly Process[],
  saved: readonly Process['rows'][],
): void {
  switch (what.do) {
    case 'write':
      return tree.write(what.file, what.text);
    case 'remove':
      return rmSync(join(tree.root, what.file), { force: true });
    case 'upgrade':
      return both.forEach((process) => {
        process.program += '+';
        process.restart();
      });
    case 'restore':
      return both.forEach((process, i) => {
        process.rows = stored(saved[i] ?? new Map());
        process.restart();
      });
    case 'lose rows':
      return both.forEach((process) => {
        const keys = [...process.rows.keys()];
        process.rows.delete(keys[Math.abs(what.name) % Math.max(1, keys.length)] ?? '');
        process.restart();
      });
    case 'damage':
      return both.forEach((process) => {
        const held = process.readings.get(what.file);
        if (held) process.readings.set(what.file, what.damage(held));
        process.restart();
      });
    case 'save':
    case 'restart':
      return both.forEach((process) => process.restart());
  }
}

test('with what the state kept, a scan comes to the same as without', { timeout: 60_000 }, async () => {
  const recalled = { times: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(command, { minLength: 2, maxLength: 14 }), async (commands) => {
      const tree = treeOf();
      const [keeping, plain] = [new Process(tree, true), new Process(tree, false)];
      let saved: readonly Process['rows'][] = [];
      for (const what of commands) {
        const both = [keeping, plain];
        carryOut(what, tree, both, saved);
        if (what.do === 'save') saved = both.map(({ rows }) => stored(rows));
        const before = keeping.rows;
        const known = new Map([...before].map(([key, { object }]) => [key, object.spec]));
        const { readings: _, ...scan } = await keeping.scan();
        const { readings: none, ...expected } = await plain.scan();
        expect(none).toBeUndefined();
        expect(scan).toStrictEqual(expected);
        expect(stored(keeping.rows)).toStrictEqual(stored(plain.rows));
        // An earlier program may have kept what the file was before.
        for (const { origin } of scan.secrets.values())
          expect(keeping.readings.get(origin)?.digest).not.toBe(digestOf(join(tree.root, origin)));
        for (const [key, { spec }] of scan.objects) if (spec === known.get(key)) recalled.times += 1;
      }
    }),
    { numRuns: 150 },
  );
  expect(recalled.times).toBeGreaterThan(200);
});
