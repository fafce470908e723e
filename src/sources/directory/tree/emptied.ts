// Reports files that no longer declare anything. Such a file was more likely truncated, by a full disk, a failed script
// or an interrupted checkout, than emptied on purpose. Its objects stay until the file is removed. So it is with a directory
// that holds nothing any more: a mount that went away leaves it, and a submodule that is not checked out. Pure.
import type { DeclaredObject } from '../../../core/resource.ts';
import type { Hollow, Scan } from './scan.ts';
import type { Problem } from '../../../core/text/problem.ts';

const namesMax = 3;

const found: Readonly<Record<Hollow, string>> = {
  empty: 'holds nothing, and declared',
  directory: 'is a directory, and was a file that declared',
  bare: 'is an empty directory, and held files that declared',
};

/**
 * Adds a problem to the scan for each such file, so that the scan removes nothing.
 * @param known what was declared before this scan, by keyText
 */
export function withEmptied(
  scan: Scan,
  known: Iterable<readonly [string, { readonly object: DeclaredObject }]>,
): Scan {
  if (scan.hollow.size === 0) return scan;
  const reported = new Set(scan.problems.map(({ key }) => key));
  const lost = new Map<string, string[]>();
  for (const [key, { object }] of known) {
    // Objects that are being deleted are included: a person who brings their file back means to keep them.
    const origin = hollowOf(object, scan.hollow);
    if (origin === undefined || scan.objects.has(key) || reported.has(key)) continue;
    const keys = lost.get(origin) ?? [];
    lost.set(origin, keys);
    keys.push(key);
  }
  const problems = [...scan.hollow].flatMap(([origin, what]): Problem[] => {
    const keys = lost.get(origin);
    return keys ? [{ origin, message: `${found[what]} ${named(keys)}` }] : [];
  });
  return problems.length === 0 ? scan : { ...scan, problems: [...scan.problems, ...problems] };
}

/** The file of an object, or the directory that it was in. What left before a directory was emptied did not leave by that. */
function hollowOf({ origin = '', deleting }: DeclaredObject, hollow: Scan['hollow']): string | undefined {
  if (hollow.has(origin)) return origin;
  if (deleting) return undefined;
  for (let end = origin.lastIndexOf('/'); end > 0; end = origin.lastIndexOf('/', end - 1)) {
    const directory = origin.slice(0, end);
    if (hollow.get(directory) === 'bare') return directory;
  }
  return undefined;
}

const named = (keys: readonly string[]): string =>
  `${namesOf(keys)}: remove it to remove ${keys.length === 1 ? 'that one' : 'them'}`;

export function namesOf(keys: readonly string[]): string {
  const more = keys.length - namesMax;
  return `${keys.toSorted().slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
