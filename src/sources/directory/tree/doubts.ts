// Says why what is missing or changed in a scan may not be meant. Each doubt is a problem, so the scan removes nothing. Pure.
import type { DeclaredObject } from '../../../core/resource.ts';
import type { Problem } from '../../../core/text/problem.ts';
import { namesOf, withEmptied } from './emptied.ts';
import { indexLock } from './git.ts';
import type { Scan } from './scan.ts';

/** `hash`: of the manifest that was taken, as `Declared.hash`. */
type Known = Iterable<readonly [string, { readonly object: DeclaredObject; readonly hash: string }]>;

/** Whether what was declared by a manifest is not declared any more. */
export const isMissing = (
  key: string,
  { deleting, origin }: DeclaredObject,
  { objects }: Pick<Scan, 'objects'>,
): boolean => !deleting && origin !== undefined && !objects.has(key); // children have no manifest

/** @param known what was declared before this scan, by keyText; it is gone through more than once */
export const withDoubts = (scan: Scan, known: Known): Scan => withUnfinished(withEmptied(scan, known), known);

/**
 * A rebase that stopped, as for a conflict, shows older files for now: what later commits add is missing, and what they edit is
 * as it was before. While git only locks its index, as it does again and again, edits count.
 */
function withUnfinished(scan: Scan, known: Known): Scan {
  const { unfinished } = scan;
  if (unfinished === undefined) return scan;
  const reason = `git is not done with the files yet (${unfinished}): finish what it does, or abort it`;
  const missing: string[] = [];
  const changed = new Map<string, Problem>();
  for (const [key, { object, hash }] of known) {
    if (isMissing(key, object, scan)) missing.push(key);
    const declared = unfinished === indexLock ? undefined : scan.objects.get(key);
    if (declared === undefined || declared.hash === hash) continue;
    const { origin, place } = declared;
    changed.set(key, { key, origin, place, message: `has changed, and ${reason}` });
  }
  const problems = [...changed.values()];
  const are = missing.length === 1 ? 'is' : 'are';
  if (missing.length > 0)
    problems.push({ origin: '.', message: `${namesOf(missing)} ${are} missing, and ${reason}` });
  if (problems.length === 0) return scan;
  const objects = new Map([...scan.objects].filter(([key]) => !changed.has(key)));
  return { ...scan, objects, problems: [...scan.problems, ...problems] };
}
