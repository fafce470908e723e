// CSIVolume: checks that a response is a volume, and bounds what is recorded of it. PURE.
import * as z from 'zod';
import type { VolumeRead } from '../../api/scheduler/wire.ts';
import { fits } from '../../schema/problems.ts';

/** CSI allows 128 bytes for a name, and 4 KiB for a map. */
const name = z.string().max(1_024);
const entriesMax = 256;
const texts = z
  .record(name, z.string().max(4_096))
  .refine((map) => Object.keys(map).length <= entriesMax)
  .nullish();
const topologies = z.array(z.looseObject({})).max(entriesMax).nullish();
const count = z.number().nullish();
const flag = z.boolean().nullish();

const stub = z.looseObject({
  ID: name.nullish(),
  JobID: name.nullish(),
  NodeID: name.nullish(),
  DesiredStatus: name.nullish(),
  ClientStatus: name.nullish(),
  ModifyTime: count,
});
const claims = z.record(name, stub.nullable()).nullish();

const shape = z.looseObject({
  ID: name,
  Name: name,
  ExternalID: name,
  PluginID: name,
  Namespace: name.nullish(),
  ModifyIndex: z.number().optional(),
  CreateIndex: count,
  Schedulable: flag,
  ControllerRequired: flag,
  ControllersHealthy: count,
  ControllersExpected: count,
  NodesHealthy: count,
  NodesExpected: count,
  RequestedCapabilities: z
    .array(z.looseObject({ AccessMode: name, AttachmentMode: name }))
    .max(entriesMax)
    .nullish(),
  RequestedTopologies: z.looseObject({ Required: topologies, Preferred: topologies }).nullish(),
  Topologies: topologies,
  MountOptions: z.looseObject({ FsType: name.nullish(), MountFlags: z.array(name).nullish() }).nullish(),
  Parameters: texts,
  Context: texts,
  Capacity: count,
  RequestedCapacityMax: count,
  SnapshotID: name.nullish(),
  Allocations: z.array(stub).nullish(),
  ReadAllocs: claims,
  WriteAllocs: claims,
});

export const isVolume = (answer: VolumeRead): boolean => fits(shape, answer);
