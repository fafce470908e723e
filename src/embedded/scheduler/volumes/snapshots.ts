// Creates, deletes and lists snapshots (services.md#snapshots). Only the provider stores them.
import { Fields } from '../../http/decode.ts';
import { Refusal, empty, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { multiError, quoted } from '../../http/error-texts.ts';
import { sentSecrets } from './csi-secrets.ts';
import { namespaceOf, served } from '../http/endpoints.ts';
import type { TextMap } from '../store/job.ts';
import type { PluginRow, SnapshotRow } from '../store/model.ts';
import { listed, pluginNamed, providerBody, providerMeta } from '../provider/lists.ts';
import type { State } from '../state.ts';
import { volumeAt } from './render.ts';

export function snapshotEndpoints(state: State): readonly Endpoint[] {
  const create = served('snapshot.create', (request) => createSnapshots(state, request));
  return [
    create,
    { ...create, method: 'PUT' },
    served('snapshot.delete', (request) => deleteSnapshot(state, request)),
    served('snapshot.list', (request) =>
      listed(state, request, {
        table: state.provider.snapshots,
        idOf: (snapshot) => snapshot.ID,
        call: 'list snapshots',
        capability: 'LIST_SNAPSHOTS',
        incapable: 'plugin does not support listing snapshots',
        secrets: sentSecrets(state, request),
        needsPlugin: state.behaviour.needsPluginID,
        body: (rows) => ({ Snapshots: rows.map((row) => entry(state, row)) }),
      }),
    ),
  ];
}

interface Asked {
  readonly SourceVolumeID: string;
  readonly PluginID: string;
  readonly Name: string;
  readonly Secrets: TextMap;
  readonly Parameters: TextMap;
}

/** @throws Refusal 500 for null, as in Nomad */
function snapshotIn(value: unknown, at: string, isExact: boolean): Asked {
  if (value === null) throw new Refusal(500, 'snapshot cannot be nil');
  const f = new Fields(value, at, isExact);
  return {
    SourceVolumeID: f.text('SourceVolumeID', ''),
    PluginID: f.text('PluginID', ''),
    Name: f.text('Name', ''),
    Secrets: f.textMap('Secrets'),
    Parameters: f.textMap('Parameters'),
  };
}

/** Creates the snapshots in turn. If one fails, the others are created but not returned. @throws Refusal 400, 500 */
async function createSnapshots(state: State, request: Incoming): Promise<Reply> {
  const { namesAreExact } = state.behaviour;
  const each = (value: unknown, at: string) => snapshotIn(value, at, namesAreExact);
  const asked = new Fields(request.json(), '', namesAreExact).list('Snapshots', each);
  const made: object[] = [];
  const problems: string[] = [];
  for (const one of asked) {
    try {
      made.push(created(state, one, await createOne(state, one, namespaceOf(request.query))));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      problems.push(error.message);
    }
  }
  if (problems.length > 0) throw new Refusal(500, multiError(problems));
  const none = made.length === 0 && state.behaviour.answersWholeSnapshots;
  return json(providerBody(state, { Snapshots: none ? null : made }), providerMeta(state));
}

async function createOne(state: State, asked: Asked, namespace: string): Promise<SnapshotRow> {
  const { SourceVolumeID, Name, Parameters } = asked;
  const volume = volumeAt(state, namespace, SourceVolumeID);
  if (!volume) throw new Refusal(500, `no such volume ${quoted(SourceVolumeID)}`);
  const pluginID = asked.PluginID || volume.PluginID;
  const plugin = state.plugins.get(pluginID);
  if (!plugin) throw new Refusal(500, `no such plugin ${quoted(pluginID)}`);
  if (!cutsSnapshots(plugin)) throw new Refusal(500, `plugin ${quoted(pluginID)} does not support snapshot`);
  const Secrets = { ...volume.Secrets, ...asked.Secrets };
  try {
    const order = { Name, SourceID: volume.ExternalID, Parameters, Secrets };
    const { row, made } = await state.snapshots.create(plugin, order);
    if (made) state.effected();
    return row;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(500, `could not create snapshot: ${error.message}`);
  }
}

const cutsSnapshots = ({ Capabilities }: PluginRow): boolean =>
  Capabilities.includes('CREATE_DELETE_SNAPSHOT');

function deleteSnapshot(state: State, request: Incoming): Reply {
  const { query } = request;
  const id = query.get('snapshot_id') ?? '';
  try {
    const plugin = pluginNamed(state, query.get('plugin_id') ?? '');
    if (!cutsSnapshots(plugin)) throw new Refusal(500, 'plugin does not support snapshot');
    const kept = state.behaviour.keepsSnapshotSecrets && state.snapshots.get(plugin.ID, id)?.Secrets;
    if (remove(state, plugin, id, { ...kept, ...sentSecrets(state, request) })) state.effected();
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(500, multiError([error.message])) : error;
  }
  return empty(providerMeta(state));
}

function remove(state: State, plugin: PluginRow, id: string, secrets: TextMap): boolean {
  try {
    return state.snapshots.remove(plugin, id, secrets);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new Refusal(500, `could not delete ${quoted(id)}: ${error.message}`);
  }
}

/** Fields that Nomad sends empty. */
const unset = { SourceVolumeID: '', PluginID: '', Name: '', Secrets: null, Parameters: null };

/** A snapshot in the answer of create. In `cluster` its source is the volume of the request. */
function created(state: State, { SourceVolumeID }: Asked, row: SnapshotRow): object {
  const { ID, SizeBytes, CreateTime, IsReady, SourceID } = row;
  const answer = { ID, SizeBytes, CreateTime, IsReady };
  if (!state.behaviour.answersWholeSnapshots) return { ...answer, SourceVolumeID };
  return { ...answer, ExternalSourceVolumeID: SourceID, ...unset };
}

function entry(state: State, row: SnapshotRow): object {
  const { ID, SizeBytes, CreateTime, IsReady, SourceID, PluginID, Parameters } = row;
  const answer = { ID, SizeBytes, CreateTime, IsReady, ExternalSourceVolumeID: SourceID };
  if (!state.behaviour.answersWholeSnapshots) return { ...answer, PluginID, Parameters };
  return { ...answer, ...unset, PluginID };
}
