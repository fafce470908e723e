// How a bug is planted: in a copy of the program, and with the journey that is to show it.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { cp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { folder } from '../../support/cli.ts';
import type { Journey } from '../journeys/journey.ts';
import { lives } from '../journeys/all.ts';
import type { Column } from '../table/comparison.ts';
import { objectFile } from '../world/world.ts';

/** What is changed in a copy of the program. */
export interface Edit {
  /** Stands exactly once in all of the source, wherever that is. */
  readonly find: string;
  readonly put: string;
}

/** Where a bug shows. */
export interface Shown {
  readonly kind: string;
  /** Of its life; or damage to what is remembered of it, see damage/play.ts; or what befalls it, see views/recreated.ts. */
  readonly part: Journey['part'] | 'bookkeeping' | 'made anew';
  readonly variant?: string;
  /** Its Secret leaves with it, so that it can't be made before it is seen to leave. */
  readonly secretLeaves?: true;
  /** Nothing happens to its effects: its reads show the past, see views/stale-reads.ts. */
  readonly oldAnswers?: true;
  /** Its state is put back to a commit of before, see restored.ts. */
  readonly restored?: true;
  /** Names of the cases: few, since each takes its time. */
  readonly cases: RegExp;
  readonly column: Column;
  /** What is found there: the bug, and not that the harness itself failed. */
  readonly says: RegExp;
}

export interface Planted {
  readonly name: string;
  readonly edits: readonly Edit[];
  readonly shown: Shown;
}

/** Where the engine sends a step. */
export const perform = `const outcome = await shownWhile(
      () => send(step, preconditions, this.#handle, this.#key, this.#signal),
      () => this.#showProgress(step),
      ports,
    );`;

const root = fileURLToPath(new URL('../../../', import.meta.url));

const run = promisify(execFile);

/** Makes these changes in a copy of the source. */
export async function change(source: string, edits: readonly Edit[]): Promise<void> {
  const files = await readdir(source, { recursive: true });
  for (const { find, put } of edits) {
    const places: string[] = [];
    for (const path of files.filter((file) => file.endsWith('.ts')).map((file) => join(source, file))) {
      const parts = (await readFile(path, 'utf8')).split(find);
      places.push(...parts.slice(1).map(() => path));
      if (parts.length === 2) await writeFile(path, parts.join(put));
    }
    expect(places, `where there is: ${find}`).toHaveLength(1);
  }
}

/** The program with these changes, bundled in a folder that goes with the test. @returns its main file */
export async function plant(edits: readonly Edit[]): Promise<string> {
  const copy = await folder();
  for (const name of ['src', 'build.ts', 'package.json', 'package-lock.json', 'LICENSE'])
    await cp(join(root, name), join(copy, name), { recursive: true });
  await symlink(join(root, 'node_modules'), join(copy, 'node_modules'));
  await change(join(copy, 'src'), edits);
  await run(process.execPath, [join(copy, 'build.ts')]);
  return join(copy, 'dist/holdfast.mjs');
}

/** The journey on one pair of services: a bug need not show twice. */
export function journeyOf({ kind, part, variant, cases, secretLeaves }: Shown): Journey {
  const all = lives.find((life) => life.kind === kind)?.journeys ?? [];
  const found = all.find((journey) => journey.part === part && journey.variant === variant);
  if (!found) throw new Error(`${kind} has no journey ${part}, ${variant ?? 'plain'}`);
  const { edit, ...journey } = { ...found, dialects: found.dialects.slice(-1) };
  const act = secretLeaves ? withItsSecret(journey.act) : journey.act;
  return { ...journey, act, ...(edit && cases.source.includes('edited') && { edit }) };
}

const withItsSecret =
  (act: Journey['act']): Journey['act'] =>
  (world) => {
    act(world);
    const [object = '', secret = ''] = [objectFile, 'secret.yaml'].map((file) =>
      readFileSync(join(world.tree.path, file), 'utf8'),
    );
    world.tree.put(objectFile, object, secret);
    world.tree.remove('secret.yaml');
  };
