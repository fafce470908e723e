// A process that is killed at its nth change of the disk: that one is made by half, and no later one at all, not even by
// code that cleans up.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';

class Killed extends Error {}

const whole = { ...fs };

/** What is left when the call is cut short: half a file, a folder with some of its entries. */
const byHalf: Readonly<Record<string, (path: string, text?: unknown) => void>> = {
  writeFileSync(path, text) {
    const bytes = Buffer.from(typeof text === 'string' ? text : Buffer.alloc(8));
    whole.writeFileSync(path, bytes.subarray(0, bytes.length / 2));
  },
  rmSync(path) {
    const isFolder = whole.lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    const [first] = isFolder ? whole.readdirSync(path) : [];
    if (first !== undefined) whole.rmSync(join(path, first), { recursive: true });
  },
};
const changing = ['mkdirSync', 'renameSync', 'rmSync', 'symlinkSync', 'unlinkSync', 'writeFileSync'] as const;

/** @returns whether it was killed; else it made fewer changes. */
export function killedAt(nth: number, act: () => void): boolean {
  let left = nth;
  const patched = changing.map((name) => {
    const call = (...given: readonly unknown[]): unknown => {
      if (left > 0) {
        left -= 1;
        return Reflect.apply(whole[name], whole, given);
      }
      if (left === 0) byHalf[name]?.(String(given[0]), given[1]);
      left = -1;
      throw new Killed(name);
    };
    return [name, call] as const;
  });
  Object.assign(fs, Object.fromEntries(patched));
  syncBuiltinESMExports();
  try {
    act();
  } catch (error) {
    if (left >= 0) throw error; // it failed by itself
  } finally {
    Object.assign(fs, Object.fromEntries(changing.map((name) => [name, whole[name]])));
    syncBuiltinESMExports();
  }
  return left < 0;
}
