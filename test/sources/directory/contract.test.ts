// A directory as a source: real files in a tree and in the outputs, a real state and its lock. Only the time for which a
// removal waits is turned by hand.
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import type { ScanReport } from '../../../src/sources/directory/scan-report.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { DirectorySource } from '../../../src/sources/directory/source.ts';
import type { SourceBench } from '../bench.ts';
import { sourceContract } from '../contract.ts';
import { TestClock } from './source-support.ts';
import type { Lock } from '../../../src/sources/directory/state/lock.ts';
import { onDisk } from '../../../src/sources/directory/state/storage.ts';
import { openState, tempFolder } from './state/support.ts';
import { diskText, treeOf, type Tree } from './tree/support.ts';

const quietMs = 2_000;
const secretText = (value: string): string =>
  `apiVersion: v1\nkind: Secret\nmetadata: {name: login, namespace: shop}\nstringData: {password: ${value}}\n`;

const nothing = (): void => {};

/** A test may take it away before the state gives it back. */
function releasedOnce(lock: Lock): Lock {
  let released = false;
  return {
    isHeld: lock.isHeld,
    release() {
      if (!released) lock.release();
      released = true;
    },
  };
}

async function benchOn(tree: Tree, folder: string): Promise<SourceBench> {
  const clock = new TestClock();
  let fence = nothing; // the state is opened first
  const gate = new EffectGate({ nowMs: () => clock.nowMs(), fence: () => fence() });
  const file = join(folder, 'state.sqlite');
  const disk = onDisk(file);
  const lock = releasedOnce(disk.lock());
  const state = await openState(file, { gate, storage: { ...disk, lock: () => lock } });
  const told: string[] = [];
  let onChange = nothing;
  let report = Promise.withResolvers<ScanReport>();
  const outputDir = join(folder, 'outputs');
  mkdirSync(outputDir, { recursive: true });
  const source = new DirectorySource({
    state,
    clock,
    newUid: randomUUID,
    reader: tree.reader({ previous: (key) => state.rows.get(key)?.object.spec }),
    watch: (changed) => {
      onChange = changed;
      return { close: () => {} };
    },
    connectionOf: () => undefined,
    outputs: new Outputs({ directory: outputDir, gate, versionOf: state.versionOf }),
    onScan: (pass) => {
      report.resolve(pass);
      report = Promise.withResolvers();
    },
  });
  fence = () => source.fence();
  onTestFinished(() => source.stop());
  /** Resolves once the tree is taken over as it is now, removals included. */
  const taken = async (): Promise<void> => {
    onChange();
    const { waiting } = await report.promise;
    if (waiting === 0) return;
    clock.advance(quietMs);
    await source.waitForSync();
  };
  return {
    source,
    revives: true,
    told: () => told.splice(0),
    start: () => source.start((key, cause) => told.push(`${key} ${cause}`)),
    async declare(name, size) {
      tree.write(`${name}.yaml`, diskText(name, `{size: ${size}}`));
      await taken();
    },
    declareUnheard: async (name, size) => tree.write(`${name}.yaml`, diskText(name, `{size: ${size}}`)),
    ask: (name, request, token) => source.overlay(`Disk/shop/${name}`, request, token),
    async remove(name) {
      rmSync(join(tree.root, `${name}.yaml`));
      await taken();
    },
    async setPassword(value) {
      if (value === undefined) rmSync(join(tree.root, 'secret.yaml'));
      else tree.write('secret.yaml', secretText(value));
      await taken();
    },
    async readOutput(name) {
      const place = join(outputDir, 'shop', name);
      if (!existsSync(place)) return undefined;
      const entries = readdirSync(place).filter((entry) => !entry.startsWith('.'));
      return Object.fromEntries(entries.map((entry) => [entry, readFileSync(join(place, entry), 'utf8')]));
    },
    async putForeign(name) {
      mkdirSync(join(outputDir, 'shop', name), { recursive: true });
      writeFileSync(join(outputDir, 'shop', name, 'password'), 'theirs');
    },
    async restarted() {
      await source.stop();
      await state.close();
      return await benchOn(tree, folder);
    },
    loseLock: async () => lock.release(),
  };
}

sourceContract('a directory', () => benchOn(treeOf({ 'data.yaml': diskText('data') }), tempFolder()));
