// Power cuts on real files: all that the program did to its folder is recorded, and for every moment the folder is made as
// it would be had all been lost that nobody had waited for. Then the program starts on it.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { EffectGate } from '../../src/api/effect.ts';
import { keyText } from '../../src/core/resource.ts';
import type { VersionOf } from '../../src/sources/directory/identity.ts';
import { Outputs } from '../../src/sources/directory/outputs.ts';
import { State } from '../../src/sources/directory/state/state.ts';
import { volume } from '../sources/directory/state/data.ts';
import { tempFolder } from '../sources/directory/state/support.ts';
import { compiled, hasCompiler } from './compiled.ts';
import { foundAfterPowerCuts, type Found } from './record.ts';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);
const gate = new EffectGate({ nowMs: () => 0 });
const publisher = { key: volume('publisher'), uid: 'uid' };
/** In each of two lives. */
const turns = 8;

/** @param program folder of the sources. @returns every folder that could be found. */
async function recorded(program: string): Promise<Iterable<Found>> {
  const [folder, beside] = [tempFolder(), tempFolder()];
  const inode = String(statSync(folder).ino);
  const record = join(beside, 'record');
  const env = { ...process.env, LD_PRELOAD: compiled(beside), DISK_FOLDER: folder, DISK_RECORD: record };
  const child = join(program, 'test/durability/child.ts');
  await run(process.execPath, [child, folder, String(turns)], { env });
  return foundAfterPowerCuts(record, folder, inode);
}

/** What is wrong with what the program makes of it; empty: nothing. */
async function wrong(folder: string, acknowledged: readonly string[]): Promise<readonly string[]> {
  const state = await State.open({
    file: join(folder, 'state.sqlite'),
    gate,
    randomBytes,
    onceRequests: new Set(),
  });
  const { rows, versionOf, distrusted } = state;
  await state.close();
  const lines: string[] = [];
  // All files were made anew for the test: that they are copies is the only thing to be noticed.
  if (distrusted && !distrusted.message.includes('is a copy of the file')) lines.push(distrusted.message);
  let published = -1;
  for (const line of acknowledged) {
    const [what = '', turn = ''] = line.split(' ');
    const [a, b] = ['a', 'b'].map((name) => rows.get(keyText(volume(`${name}${turn}`)))?.object);
    if (!a || !b) lines.push(`${line}: it is lost`);
    if (what === 'held' && a?.held !== true) lines.push(`${line}: it is not held`);
    if (what === 'published') published = Number(turn);
  }
  if (rows.size % 2 !== 0) lines.push('one of the two that were one transaction is there');
  return [...lines, ...wrongOutput(join(folder, 'outputs'), versionOf, published)];
}

/**
 * What is read is of one turn, or absent; and one that was acknowledged is there, and not older than that. A set that was
 * being written may be left beside it: then it is not whole, and written anew by the next visit.
 */
function wrongOutput(directory: string, versionOf: VersionOf, published: number): readonly string[] {
  const is = new Outputs({ directory, gate, versionOf }).published(publisher, 'login');
  if (is.is === 'absent') return published === -1 ? [] : [`published ${published}: it is absent`];
  if (is.is !== 'ours') return [`the output is ${JSON.stringify(is)}`];
  const read = (name: string) => readFileSync(join(directory, 'shop/login', name), 'utf8');
  if (read('password') !== `canary-${is.revision}` || read('turn') !== is.revision)
    return ['the output is of two turns'];
  return Number(is.revision) < published ? [`published ${published}: it is ${is.revision}`] : [];
}

/** A folder where waiting for the disk takes no time: what is judged was written already. */
function inMemory(): string {
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

interface Judged {
  readonly folders: number;
  readonly failures: readonly string[];
}

async function judged(founds: Iterable<Found>, failuresMax: number): Promise<Judged> {
  const failures: string[] = [];
  const folder = join(inMemory(), 'found');
  let folders = 0;
  for (const found of founds) {
    folders += 1;
    mkdirSync(folder);
    found.write(folder);
    const lines = await wrong(folder, found.acknowledged).catch((error: unknown) => [String(error)]);
    for (const line of lines) failures.push(`${found.loss} lost after sync ${found.moment}: ${line}`);
    rmSync(folder, { recursive: true });
    if (failures.length >= failuresMax) break;
  }
  return { folders, failures };
}

describe.skipIf(!hasCompiler)('power cuts (needs Linux and a C compiler)', () => {
  test('lose nothing that was acknowledged, and leave nothing half done', { timeout: 300_000 }, async () => {
    const { folders, failures } = await judged(await recorded(root), 20);
    expect(failures).toEqual([]);
    expect(folders).toBeGreaterThan(200);
  });

  test.for([
    {
      bug: 'commits are not waited for',
      file: 'state/database.ts',
      find: 'PRAGMA synchronous = FULL',
      put: 'PRAGMA synchronous = OFF',
      says: /it is lost|is damaged|holds/,
    },
    {
      bug: 'what is published is not waited for',
      file: 'place.ts',
      find: ", flush: true, flag: 'wx'",
      put: ", flag: 'wx'",
      says: /the output is/,
    },
  ])('are seen to lose it where $bug', { timeout: 300_000 }, async ({ file, find, put, says }) => {
    const copy = tempFolder();
    for (const name of ['src', 'test/durability', 'test/sources/directory/state/data.ts', 'package.json'])
      await cp(join(root, name), join(copy, name), { recursive: true });
    await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
    const path = join(copy, 'src/sources/directory', file);
    const parts = (await readFile(path, 'utf8')).split(find);
    expect(parts, find).toHaveLength(2);
    await writeFile(path, parts.join(put));
    const { failures } = await judged(await recorded(copy), 1);
    expect(failures[0]).toMatch(says);
  });
});
