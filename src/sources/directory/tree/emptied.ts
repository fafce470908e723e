// Reports files that no longer declare anything. Such a file was more likely truncated, by a full disk, a failed script
// or an interrupted checkout, than emptied on purpose. Its objects stay until the file is removed. So it is with a directory
// that holds nothing any more: a mount that went away leaves it, and a submodule that is not checked out. Pure.
import type { DeclaredObject } from '../../../core/resource.ts';
import type { Hollow, Scan } from './scan.ts';
import type { Problem } from '../../../core/text/problem.ts';

const namesMax = 3;

interface HollowPlace {
  readonly origin: string;
  readonly what: Hollow;
}

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
  const lost = new Map<string, { readonly what: Hollow; readonly keys: string[] }>();
  for (const [key, { object }] of known) {
    // Objects that are being deleted are included: a person who brings their file back means to keep them.
    const place = hollowOf(object, scan.hollow);
    if (place === undefined || scan.objects.has(key) || reported.has(key)) continue;
    const at = lost.get(place.origin) ?? { what: place.what, keys: [] };
    lost.set(place.origin, at);
    at.keys.push(key);
  }
  const problems = [...scan.hollow.keys()].flatMap((origin): Problem[] => {
    const at = lost.get(origin);
    return at ? [{ origin, message: `${found[at.what]} ${named(at.keys)}` }] : [];
  });
  return problems.length === 0 ? scan : { ...scan, problems: [...scan.problems, ...problems] };
}

/** The file of an object, or the directory that it was in. What left before a directory was emptied did not leave by that. */
function hollowOf(
  { origin = '', deleting }: DeclaredObject,
  hollow: Scan['hollow'],
): HollowPlace | undefined {
  const own = hollow.get(origin);
  if (own !== undefined) return { origin, what: own === 'bare' ? 'directory' : own };
  if (deleting) return undefined;
  for (let end = origin.lastIndexOf('/'); end > 0; end = origin.lastIndexOf('/', end - 1)) {
    const directory = origin.slice(0, end);
    if (hollow.get(directory) === 'bare') return { origin: directory, what: 'bare' };
  }
  return undefined;
}

const named = (keys: readonly string[]): string =>
  `${namesOf(keys)}: remove it to remove ${keys.length === 1 ? 'that one' : 'them'}`;

export function namesOf(keys: readonly string[]): string {
  const more = keys.length - namesMax;
  return `${keys.toSorted().slice(0, namesMax).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
