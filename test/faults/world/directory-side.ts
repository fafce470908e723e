// What is declared in a directory: the tree as it stands, and the state beside it.
import { readdirSync, readFileSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openStateReadOnly } from '../../../src/sources/directory/state/snapshot.ts';
import type { Ended } from '../../support/cli.ts';
import { applyInside, approveInside } from './in-process.ts';
import type { Remembered, SourceSide } from './source-side.ts';

export class DirectorySide implements SourceSide {
  readonly #cwd: string;
  readonly #seconds: number;
  readonly args = ['apply', 'tree'];

  constructor(cwd: string, seconds: number) {
    this.#cwd = cwd;
    this.#seconds = seconds;
  }

  async declare(): Promise<boolean> {
    return false;
  }

  pass(fault: string): Promise<Ended> {
    return applyInside(this.#cwd, this.#seconds, fault);
  }

  approve(digest: string): Promise<Ended> {
    return approveInside(this.#cwd, digest);
  }

  async remember(key: string, field: string, value: string): Promise<void> {
    const state = new DatabaseSync(join(this.#cwd, '.holdfast/state.sqlite'));
    state
      .prepare('UPDATE objects SET status = json_set(status, ?, ?) WHERE key = ?')
      .run(`$.own.${field}`, value, key);
    state.close();
  }

  async rows(): Promise<ReadonlyMap<string, Remembered>> {
    const snapshot = await openStateReadOnly(join(this.#cwd, '.holdfast/state.sqlite'));
    return new Map(
      [...(snapshot?.rows ?? [])].map(([key, { object, status }]) => [
        key,
        { held: object.held, deleting: object.deleting, status },
      ]),
    );
  }

  /** Every file; nothing of Holdfast's own layout but what should not have stayed. */
  async outputs(): Promise<Readonly<Record<string, string>>> {
    const directory = join(this.#cwd, '.holdfast/outputs');
    const found: Record<string, string> = {};
    const visit = (path: string) => {
      for (const name of readdirSync(join(directory, path))) {
        const at = join(path, name);
        const place = join(directory, at);
        if (['..data', '..one', '..two', '..holdfast'].includes(name)) continue;
        if (lstatSync(place).isDirectory()) visit(at);
        else found[at] = readFileSync(place, 'utf8');
        if (name.startsWith('..')) found[at] = 'left over';
      }
    };
    try {
      visit('');
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
    return found;
  }

  async close(): Promise<void> {}
}
