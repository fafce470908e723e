// What others do to an object of ours in a cluster.
import type { KubernetesObject } from '../../../src/api/kubernetes/resources.ts';
import type { Meddling } from '../history/events.ts';
import { nowMs } from '../machine/time.ts';
import type { ApiServer } from './api-server.ts';
import { asked } from './person.ts';

/** With all that a definition requires: a cluster refuses a condition without it. */
const byHand = {
  type: 'Ready',
  status: 'False',
  reason: 'ByHand',
  message: 'somebody wrote this',
  observedGeneration: 1,
  lastTransitionTime: '2026-01-01T00:00:00Z',
};

/** @returns whether its finalizers are gone */
export function meddled(
  api: ApiServer,
  what: Meddling,
  path: string,
  { metadata: { deletionTimestamp } }: KubernetesObject,
): boolean {
  const isStripped = what === 'finalizer' && deletionTimestamp === undefined;
  if (what === 'label') asked(api, 'PATCH', path, { metadata: { labels: { touched: String(nowMs()) } } });
  if (what === 'status') asked(api, 'PATCH', `${path}/status`, { status: { conditions: [byHand] } });
  if (what === 'delete') asked(api, 'DELETE', path);
  if (isStripped) asked(api, 'PATCH', path, { metadata: { finalizers: null } });
  return isStripped;
}
