// Lists and reads volumes (services.md#volume-reads). Both reads block on the index of the whole table.
import { Refusal, absent, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { hasUuidPrefix, uuidPrefix } from '../../http/query.ts';
import { read } from '../http/blocking.ts';
import { namespaceOf, served } from '../http/endpoints.ts';
import { rowFilter } from '../filter/filter.ts';
import { pairKey, type VolumeRow } from '../store/model.ts';
import { page } from '../http/paging.ts';
import { namespacesShown } from '../acl/authorize.ts';
import type { State } from '../state.ts';
import { volumeAt, volumeRead, volumeStub } from './render.ts';

export const volumeReads = (state: State): readonly Endpoint[] => [
  served('volume.list', (request) => list(state, request)),
  served('volume.read', (request) => readOne(state, request)),
];

function list(state: State, request: Incoming): Reply | Promise<Reply> {
  const { query } = request;
  const type = query.get('type') ?? '';
  if (type === '' && state.behaviour.indexesEmptyLists) {
    return read(state, request, { table: state.volumes, reply: () => json([]) });
  }
  if (type === '' || type === 'host') return json([]);
  if (type !== 'csi') throw new Refusal(404, 'resource not found');
  const accepts = selection(state, request);
  const reply = (): Reply =>
    page(query, {
      rows: rows(state, query, accepts()),
      tokenOf,
      before,
      show: (volume) => volumeStub(state, volume),
      tokenHeader: state.dialect.headers.nextToken,
    });
  return read(state, request, { table: state.volumes, reply });
}

const tokenOf = (volume: VolumeRow): string => `${volume.Namespace}.${volume.ID}`;

/** In the order of the table, namespace by namespace. As a text the token of `prod-eu` comes before those of `prod`. */
function before({ Namespace, ID }: VolumeRow, token: string): boolean {
  const cut = token.includes('.') ? token.indexOf('.') : token.length;
  return pairKey(Namespace, ID) < pairKey(token.slice(0, cut), token.slice(cut + 1));
}

/** Volumes ordered by namespace and ID. In a single namespace, the iteration starts at the token. */
function* rows(
  state: State,
  query: URLSearchParams,
  accepts: (volume: VolumeRow) => boolean,
): Generator<VolumeRow> {
  const namespace = namespaceOf(query);
  const everywhere = namespace === '*';
  const token = query.get('next_token') ?? '';
  const inside = token.startsWith(`${namespace}.`) ? token.slice(namespace.length + 1) : '';
  for (const volume of state.volumes.from(everywhere ? '' : pairKey(namespace, inside))) {
    if (!everywhere && volume.Namespace !== namespace) return;
    if (accepts(volume)) yield volume;
  }
}

/** The query's selection. `node_id` is evaluated at each read, because allocations change. @throws Refusal 400, 500 */
function selection(state: State, request: Incoming): () => (volume: VolumeRow) => boolean {
  const { query } = request;
  const readable = namespacesShown(state, request, 'volume.list');
  const expression = query.get('filter') ?? '';
  const filter = expression === '' ? () => true : rowFilter(expression, state.dialect);
  const plugin = query.get('plugin_id') ?? '';
  const prefix = plugin === '' ? (query.get('prefix') ?? '') : ''; // plugin_id overrides it
  const isMatching = nodesMeant(state, query.get('node_id') ?? '');
  const { exactPluginID } = state.dialect.capabilities;
  const { listsUnreadableVolumes } = state.behaviour;
  return () => {
    const used = isMatching && usedOn(state, isMatching);
    return (volume) =>
      (listsUnreadableVolumes || readable(volume.Namespace)) &&
      volume.ID.startsWith(prefix) &&
      (exactPluginID && plugin !== '' ? volume.PluginID === plugin : volume.PluginID.startsWith(plugin)) &&
      (used === undefined || used.has(pairKey(volume.Namespace, volume.ID))) &&
      filter(volume);
  };
}

/** Whether a node matches `node_id`; `undefined` if the query has none. @throws Refusal 400, 500 */
function nodesMeant({ behaviour }: State, prefix: string): ((id: string) => boolean) | undefined {
  if (prefix === '') return undefined;
  if (!behaviour.nodeIDsAreBytes) return (id) => id.startsWith(prefix);
  const digits = uuidPrefix(prefix, 'node lookup failed', behaviour.malformed);
  return (id) => hasUuidPrefix(id, digits);
}

/** Keys of the volumes that allocations on matching nodes use. */
function usedOn(state: State, isMatching: (nodeID: string) => boolean): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const a of state.allocations.rows()) {
    const live = a.DesiredStatus === 'run' || a.ClientStatus === 'running';
    if (!live || !isMatching(a.NodeID)) continue;
    for (const { ID } of a.Volumes) keys.add(pairKey(a.Namespace, ID));
  }
  return keys;
}

/** A 404 has the headers too: a client can wait until the volume appears. */
function readOne(state: State, request: Incoming): Reply | Promise<Reply> {
  const { id = '' } = request.params;
  const namespace = namespaceOf(request.query);
  const reply = (): Reply => {
    const volume = volumeAt(state, namespace, id);
    if (volume) return json(volumeRead(state, volume));
    return absent('volume not found');
  };
  return read(state, request, { table: state.volumes, reply });
}
