// Which files a run mutates: those that were named, or a share of all, drawn by a seed. Whole files, so that what is said
// of a file holds for all of it.
import { createHash } from 'node:crypto';
import { groups, type Group } from './groups.ts';

export interface Wanted {
  /** Parts of names of files; none: all. */
  readonly named: readonly string[];
  /** One in so many. */
  readonly share: number;
  readonly seed: string;
}

/** @throws Error where nothing has such a name */
export function chosen(
  { named, share, seed }: Wanted,
  sizeOf: (file: string) => number,
  all: readonly Group[] = groups,
): readonly Group[] {
  const files = all.flatMap((group) => group.files);
  const unknown = named.find((name) => !files.some((file) => file.includes(name)));
  if (unknown !== undefined) throw new Error(`no file of test/mutants/groups.ts has ${unknown} in its name`);
  const wanted = files.filter((file) => named.length === 0 || named.some((name) => file.includes(name)));
  const drawn = new Set(share === 1 ? wanted : draw(wanted, share, seed, sizeOf));
  return all
    .map((group) => ({ ...group, files: group.files.filter((file) => drawn.has(file)) }))
    .filter((group) => group.files.length > 0);
}

/** In drawn order, as long as more of a file is inside the share than outside; at least one. */
function draw(
  files: readonly string[],
  share: number,
  seed: string,
  sizeOf: (file: string) => number,
): readonly string[] {
  const placeOf = (file: string): string => createHash('sha256').update(`${seed} ${file}`).digest('hex');
  const order = files.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const limit = files.reduce((sum, file) => sum + sizeOf(file), 0) / share;
  let taken = 0;
  return order.filter((file, at) => {
    const size = sizeOf(file);
    if (at > 0 && taken + size / 2 > limit) return false;
    taken += size;
    return true;
  });
}
