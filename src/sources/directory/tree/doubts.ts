// Says why what is missing in a scan may not have been removed. Each doubt is a problem, so the scan removes nothing. Pure.
import type { DeclaredObject } from '../../../core/resource.ts';
import { namesOf, withEmptied } from './emptied.ts';
import type { Scan } from './scan.ts';

type Known = Iterable<readonly [string, { readonly object: DeclaredObject }]>;

/** Whether what was declared by a manifest is not declared any more. */
export const isMissing = (
  key: string,
  { deleting, origin }: DeclaredObject,
  { objects }: Pick<Scan, 'objects'>,
): boolean => !deleting && origin !== undefined && !objects.has(key); // children have no manifest

/** @param known what was declared before this scan, by keyText; it is gone through more than once */
export const withDoubts = (scan: Scan, known: Known): Scan => withUnfinished(withEmptied(scan, known), known);

/**
 * A rebase that stopped, as for a conflict, takes away for now what later commits add. While nothing is missing, what git does is no
 * problem: it locks its index for a moment again and again.
 */
function withUnfinished(scan: Scan, known: Known): Scan {
  if (scan.unfinished === undefined) return scan;
  const missing: string[] = [];
  for (const [key, { object }] of known) if (isMissing(key, object, scan)) missing.push(key);
  if (missing.length === 0) return scan;
  const are = missing.length === 1 ? 'is' : 'are';
  const message = `${namesOf(missing)} ${are} missing, and git is not done with the files yet (${scan.unfinished}): finish what it does, or abort it`;
  return { ...scan, problems: [...scan.problems, { origin: '.', message }] };
}
