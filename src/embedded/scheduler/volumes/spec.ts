// Decodes the volumes of register and create requests by dialect, and validates them as Nomad does.
import type { SchedulerDialect } from '../../../api/dialects.ts';
import type { Behaviour } from '../behaviour.ts';
import type { Capability, Topology } from '../../../api/scheduler/wire.ts';
import { Fields, textMap } from '../../http/decode.ts';
import { Refusal } from '../../http/server.ts';
import type { MountOptions, TopologyRequest, VolumeSpec } from '../store/model.ts';

interface Format {
  readonly dialect: SchedulerDialect;
  readonly behaviour: Pick<Behaviour, 'namesAreExact'>;
}

/**
 * `{Volumes: […]}`. A volume's own namespace wins over the query's (services.md#namespaces-and-regions).
 * @throws Refusal 400 for a wrong shape, 500 for an empty list
 */
export function volumesIn(body: unknown, format: Format, namespace: string): readonly VolumeSpec[] {
  const fields = new Fields(body, '', format.behaviour.namesAreExact);
  const volumes = fields.list('Volumes', (one, at) => volumeIn(one, at, format, namespace));
  if (volumes.length === 0) throw new Refusal(500, 'missing volume definition');
  return volumes;
}

export function volumeIn(
  value: unknown,
  at: string,
  { dialect, behaviour: { namesAreExact } }: Format,
  namespace: string,
): VolumeSpec {
  const f = new Fields(value, at, namesAreExact);
  const topology = (one: unknown, place: string): Topology => topologyIn(one, place, dialect);
  const capability = (one: unknown, place: string): Capability =>
    capabilityIn(new Fields(one, place, namesAreExact));
  const topologies = f.object('RequestedTopologies');
  const mount = f.object('MountOptions');
  return {
    ID: f.text('ID', ''),
    Namespace: f.text('Namespace', '') || namespace,
    Name: f.text('Name', ''),
    ExternalID: f.text('ExternalID', ''),
    PluginID: f.text('PluginID', ''),
    CloneID: f.text('CloneID', ''),
    SnapshotID: f.text('SnapshotID', ''),
    RequestedCapabilities: f.list('RequestedCapabilities', capability),
    RequestedTopologies: topologies ? topologyRequestIn(topologies, topology) : null,
    Topologies: f.list('Topologies', topology),
    MountOptions: mount ? mountOptionsIn(mount) : null,
    Secrets: f.textMap('Secrets'),
    Parameters: f.textMap('Parameters'),
    Context: f.textMap('Context'),
    RequestedCapacityMin: f.count('RequestedCapacityMin', 0),
    RequestedCapacityMax: f.count('RequestedCapacityMax', 0),
  };
}

function capabilityIn(f: Fields): Capability {
  return { AccessMode: f.text('AccessMode', ''), AttachmentMode: f.text('AttachmentMode', '') };
}

/** With wrapped segments, a bare map decodes to an empty topology without an error (services.md#scheduler-dialects). */
const topologyIn = (value: unknown, at: string, dialect: SchedulerDialect): Topology =>
  dialect.topology === 'segments' ? new Fields(value, at).textMap('Segments') : textMap(value, at);

const topologyRequestIn = (
  f: Fields,
  topology: (value: unknown, at: string) => Topology,
): TopologyRequest => ({ Required: f.list('Required', topology), Preferred: f.list('Preferred', topology) });

function mountOptionsIn(f: Fields): MountOptions {
  const flags = f.texts('MountFlags');
  return { FsType: f.text('FsType', ''), MountFlags: flags.length > 0 ? flags : null };
}

const bare = (topologies: readonly Topology[] = []): readonly Topology[] =>
  topologies.filter((segments) => Object.keys(segments).length === 0);

/** @throws Refusal 500 with every problem at once, in Nomad's words (services.md#volume-errors) */
export function validate(volume: VolumeSpec): void {
  const { RequestedTopologies: topologies } = volume;
  const problems = [
    ...(volume.ID === '' ? ['missing volume id'] : []),
    ...(volume.PluginID === '' ? ['missing plugin id'] : []),
    ...(volume.Namespace === '' ? ['missing namespace'] : []),
    ...(volume.SnapshotID !== '' && volume.CloneID !== ''
      ? ['only one of snapshot_id and clone_id is allowed']
      : []),
    ...(volume.RequestedCapabilities.length === 0 ? ['must include at least one capability block'] : []),
    ...bare(topologies?.Required).map(() => 'required topology is missing segments field'),
    ...bare(topologies?.Preferred).map(() => 'preferred topology is missing segments field'),
  ];
  if (problems.length > 0) throw new Refusal(500, `validation: ${problems.join(', ')}`);
}
