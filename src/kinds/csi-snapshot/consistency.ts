// CSISnapshot: how consistent its data is, in words. PURE.
import type { SnapshotSituation } from './body.ts';
import { takenIn, type Outcome, type Own } from './own.ts';

const nothingFrozen = 'nothing was frozen while it was taken';

const words: Readonly<Record<Exclude<Outcome, 'QuiesceDisturbed' | 'QuiesceFailed'>, string>> = {
  Quiesced: '',
  QuiesceExpired: 'what was frozen had to be thawed by then, or was, when the answer came that it is taken',
  QuiesceInterrupted:
    'its create was repeated after what was frozen had been thawed: nobody knows when it was taken',
};

/** How consistent the data is. `undefined`: there are no hooks, no snapshot, or no outcome yet. */
export function consistencyOf(
  own: Own | undefined,
): { readonly reason: Outcome; readonly message: string } | undefined {
  const { outcome, message = nothingFrozen } = own?.hooks ?? {};
  if (!takenIn(own) || outcome === undefined) return undefined;
  const isTold = outcome === 'QuiesceFailed' || outcome === 'QuiesceDisturbed';
  return { reason: outcome, message: isTold ? message : words[outcome] };
}

/** Why the snapshot is not as consistent as requested. `undefined`: it is. */
export function inconsistency({
  spec: { hooks },
  status: { own },
}: Pick<SnapshotSituation, 'spec' | 'status'>) {
  const found = consistencyOf(own);
  const isAsked = !hooks || hooks.onFailure === 'Continue' || !found || found.reason === 'Quiesced';
  return isAsked ? undefined : found;
}
