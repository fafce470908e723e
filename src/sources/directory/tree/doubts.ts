// Says why what is missing or changed in a scan may not be meant. Each doubt is a problem, so the scan removes nothing. Pure.
import { SpecError, type Place } from '../../../core/errors.ts';
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
export const withDoubts = (scan: Scan, known: Known): Scan =>
  withTwins(withUnfinished(withEmptied(scan, known), known), known);

/** Which of two different declarations is meant, nobody can tell: a copy whose name was left as it was is one of them. */
function withTwins(scan: Scan, known: Known): Scan {
  const { twins } = scan;
  if (twins === undefined) return scan;
  const held = new Map<string, Place>();
  for (const [key, { hash }] of known) {
    const first = twins.get(key);
    const declared = scan.objects.get(key);
    if (first && declared && declared.hash !== hash) held.set(key, first);
  }
  if (held.size === 0) return scan;
  const problems = scan.problems.flatMap((problem): readonly Problem[] => {
    const { key = '', place } = problem;
    const first = held.get(key);
    if (first === undefined || place === undefined) return [problem];
    const both = `${first.file}:${first.line} and at ${place.file}:${place.line}`;
    const why = `is declared twice, at ${both}: it stays as it was until one of them is gone`;
    const error = new SpecError('/metadata/name', why, '', first);
    const twin = { key, message: `${key} ${why}`, error };
    return [
      { ...twin, origin: first.file, place: first },
      { ...twin, origin: place.file, place },
    ];
  });
  return { ...scan, objects: new Map([...scan.objects].filter(([key]) => !held.has(key))), problems };
}

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
