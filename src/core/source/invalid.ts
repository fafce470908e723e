// Shows declared objects whose spec was never valid. The source has no entry for them, only a problem of their file, so
// they would be missing from lists of objects. Here they appear as stalled. PURE.
import { lineOf, type Problem } from '../text/problem.ts';
import { parseKey } from '../resource.ts';
import type { Reason } from '../status/reasons.ts';
import { noStatus } from '../status/status.ts';
import type { Declarations, Entry } from './source.ts';

const reason = 'InvalidSpec' satisfies Reason;

/** @param isKnown whether the source has an entry for the key @returns entries by key */
export function invalidObjects(
  problems: readonly Problem[],
  isKnown: (key: string) => boolean,
): ReadonlyMap<string, Entry> {
  const found = new Map<string, Entry>();
  for (const problem of problems) {
    const { key: text = '', origin } = problem;
    const key = text.startsWith('Secret/') ? undefined : parseKey(text);
    if (!key || found.has(text) || isKnown(text)) continue;
    const object = {
      key,
      uid: '',
      generation: 0,
      deleting: false,
      held: false,
      requests: {},
      spec: undefined,
      origin,
    };
    found.set(text, { object, status: { ...noStatus, conditions: conditions(lineOf(problem)) } });
  }
  return found;
}

const conditions = (message: string) =>
  (['Ready', 'Synced', 'Stalled'] as const).map((type) => ({
    type,
    status: type === 'Stalled' ? ('True' as const) : ('False' as const),
    reason,
    message,
    observedGeneration: 0,
    lastTransitionTime: '',
  }));

/** The declarations, together with the objects that were never valid. */
export function withInvalid(
  source: Pick<Declarations, 'keys' | 'read'>,
  problems: readonly Problem[],
): Pick<Declarations, 'keys' | 'read'> {
  const invalid = invalidObjects(problems, (key) => source.read(key) !== undefined);
  return {
    keys: () => [...source.keys(), ...invalid.keys()],
    read: (key) => source.read(key) ?? invalid.get(key),
  };
}
