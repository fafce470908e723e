// A disk that was let go of, as it is remembered and as it is found: between its deregistration and its end.
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import { diskOf, type Own, type Previous } from '../../../src/kinds/csi-volume/disk.ts';
import { existing, nonce, recorded } from './situation.ts';

export const id = `holdfast-retired-${nonce}`;
export const target = { namespace: 'default', id: 'data' };
export const { applied } = recorded;
export const previous: Previous = { disk: diskOf(existing), retired: id, applied };
export const retired = { volume: { ...existing, ID: id }, sharedWith: [] };
export const deregister = (what: string, more: object = {}) => ({
  port: 'scheduler',
  op: 'volume.deregister',
  params: { ...target, id: what, ...more },
});

/** What is remembered after a step that let go of the disk. */
export const after = (op: string, more: Partial<Status<Own>> = {}): Status<Own> => ({
  ...noStatus,
  applied,
  own: { previous },
  pending: { op, token: '', evidence: { removed: 'vol-1 3', retired: id }, done: true },
  ...more,
});
