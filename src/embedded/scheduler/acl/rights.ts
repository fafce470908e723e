// The rights that each operation needs, by method and path: the documented permission, and the ones that Nomad enforces
// instead (services.md#scheduler-permissions).
import { routes } from '../../../api/routes.ts';

/** The token needs one permission of each list. */
export type Needs = readonly (readonly string[])[];
export type Rights = ReadonlyMap<string, Needs>;

export const documentedRights: Rights = new Map(
  Object.values(routes).map(({ method, path, acl }) => [`${method} ${path}`, [[acl]]]),
);

const namespaced = (...capabilities: readonly string[]) => capabilities.map((one) => `namespace:${one}`);

const listing = [namespaced('csi-list-volume', 'csi-read-volume', 'csi-mount-volume', 'list-jobs')];
const writing = [namespaced('csi-write-volume'), ['plugin:read']];

export const enforcedRights: Rights = new Map<string, Needs>([
  ...documentedRights,
  ['GET /v1/volumes', listing],
  ['GET /v1/volumes/external', listing],
  ['GET /v1/volumes/snapshot', listing],
  ['GET /v1/volume/csi/{id}', [namespaced('csi-read-volume', 'csi-mount-volume', 'read-job')]],
  ['PUT /v1/volume/csi/{id}', writing],
  ['PUT /v1/volume/csi/{id}/create', writing],
  ['DELETE /v1/volume/csi/{id}/delete', writing],
  ['DELETE /v1/volume/csi/{id}/detach', [namespaced('csi-mount-volume'), ['plugin:read']]],
  ['POST /v1/volumes/snapshot', writing],
  ['DELETE /v1/volumes/snapshot', writing],
]);

const ofJobs = ['Job', 'Allocation', 'Deployment', 'Evaluation', 'Service'];

/** The documented API has `NodeDrain` as a topic of nodes, but names no permission for it. */
export const documentedTopics: ReadonlyMap<string, string> = new Map([
  ...ofJobs.map((topic) => [topic, 'namespace:read-job'] as const),
  ['Node', 'node:read'],
  ['NodeDrain', 'node:read'],
]);

export const enforcedTopics: ReadonlyMap<string, string> = new Map([
  ...[...ofJobs, 'CSIPlugin'].map((topic) => [topic, 'namespace:read-job'] as const),
  ['Node', 'node:read'],
  ['CSIVolume', 'namespace:csi-read-volume'],
  ['HostVolume', 'namespace:host-volume-read'],
  ['Operator', 'operator:read'],
]);
