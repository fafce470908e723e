// Where the dialects behave differently beyond names and shapes: the documents' word against the real service's
// (wire.md 2.2, 2.3, 2.5). Where the documents are silent, both do what the real service does.
import type { SchedulerDialectName } from '../../api/dialects.ts';
import type { DeniedStream } from './events/stream.ts';
import {
  documentedRights,
  documentedTopics,
  enforcedRights,
  enforcedTopics,
  type Rights,
} from './acl/rights.ts';

export interface Behaviour {
  /** Longest a blocking query waits. */
  readonly waitMaxMs: number;
  /** Told of what nothing was written to. Who waits for 0 to pass does not wait (wire.md 2.2, "Blocking queries"). */
  readonly firstIndex: number;
  /** Version that the agent tells. */
  readonly build: string;
  /** A volume can be detached from a node. Really every such request fails: it is taken for a claim of no allocation. */
  readonly detaches: boolean;
  /** Deregistering by force goes ahead of allocations that are to stop and still run; otherwise only of those that ended. */
  readonly forcesStopping: boolean;
  /** `node_id` is digits of a UUID; otherwise any text, with which the ID of a node begins or not. */
  readonly nodeIDsAreBytes: boolean;
  /** Volumes tell when they were made and changed; otherwise never. */
  readonly timesVolumes: boolean;
  /** What is registered anew is answered without what storing and joining adds to it, else as it was before. */
  readonly answersEarly: boolean;
  /** `Topologies` of a volume to create are where it may go; otherwise only `RequestedTopologies` are. */
  readonly topologiesAreRequests: boolean;
  /** A signal and a restart answer with an index, which is always 0; otherwise with an empty object. */
  readonly answersActionsWithIndex: boolean;
  /** What operations need where that differs from the documents. */
  readonly rights: Rights;
  /** To who may not read it an allocation is unknown, which is an error of the server; otherwise a plain no. */
  readonly hidesAllocations: boolean;
  /** A list of volumes everywhere shows those, too, whose namespace may not be read. */
  readonly listsUnreadableVolumes: boolean;
  /** What each topic of the event stream needs; any other one: management. */
  readonly topicRights: ReadonlyMap<string, string>;
  /** How types of events are called: news of a node, and whether it is eligible. */
  readonly eventTypes: { readonly node: string; readonly eligibility: string };
  readonly deniedStream: DeniedStream;
  /** Lists of what the provider has block, and whatever asks the provider tells the index; otherwise that is always 0. */
  readonly indexesProvider: boolean;
  /** Lists of what the provider has need a size of the page. */
  readonly needsPerPage: boolean;
  /** The secrets with which a snapshot was made are used to delete it, too. */
  readonly keepsSnapshotSecrets: boolean;
  /** Of a snapshot every field that the service has is answered, most of them empty; its source is the provider's disk. */
  readonly answersWholeSnapshots: boolean;
  /** Stopping an allocation always counts as rescheduling it; otherwise only where that is asked for. */
  readonly stoppingReschedules: boolean;
  /** A list of allocations tells what each replaces, and has no resources where nobody asked; otherwise they are null. */
  readonly listsAsDocumented: boolean;
  /** A time that never was is null; otherwise it is the year 1. */
  readonly neverIsNull: boolean;
  /** A single allocation is shown without its fields that are empty. */
  readonly leavesOutEmpty: boolean;
  /** An exit code of 0 is told like any other; otherwise it is left out. */
  readonly tellsExitCodeZero: boolean;
  /** A command without a terminal that has ended goes on until no input follows. */
  readonly waitsForInputEnd: boolean;
  /** A session answers its client's signs of life; otherwise it gives none of its own. */
  readonly answersHeartbeats: boolean;
  /** A reason that a close frame has no room for is not cut: the connection just ends. */
  readonly losesLongReasons: boolean;
  /** What is to be run is looked at before the WebSocket is there: refused by HTTP. */
  readonly looksBeforeUpgrading: boolean;
  /** To who asks to run something and for no WebSocket. */
  readonly refusesPlainExec: { readonly status: number; readonly text: string };
}

export const behaviours: Readonly<Record<SchedulerDialectName, Behaviour>> = {
  cluster: {
    waitMaxMs: 600_000,
    firstIndex: 1,
    build: '1.0.0',
    detaches: true,
    forcesStopping: false,
    nodeIDsAreBytes: true,
    timesVolumes: true,
    answersEarly: false,
    topologiesAreRequests: true,
    answersActionsWithIndex: false,
    rights: documentedRights,
    hidesAllocations: false,
    listsUnreadableVolumes: false,
    topicRights: documentedTopics,
    eventTypes: { node: 'NodeEvent', eligibility: 'NodeEligibility' },
    deniedStream: 'legacy403',
    indexesProvider: true,
    needsPerPage: true,
    keepsSnapshotSecrets: true,
    answersWholeSnapshots: false,
    stoppingReschedules: true,
    listsAsDocumented: true,
    neverIsNull: false,
    leavesOutEmpty: false,
    tellsExitCodeZero: true,
    waitsForInputEnd: false,
    answersHeartbeats: true,
    losesLongReasons: false,
    looksBeforeUpgrading: false,
    refusesPlainExec: { status: 500, text: 'websocket connection not found in context' },
  },
  nomad: {
    waitMaxMs: 300_000,
    firstIndex: 0,
    build: '1.10.5',
    detaches: false,
    forcesStopping: true,
    nodeIDsAreBytes: false,
    timesVolumes: false,
    answersEarly: true,
    topologiesAreRequests: false,
    answersActionsWithIndex: true,
    rights: enforcedRights,
    hidesAllocations: true,
    listsUnreadableVolumes: true,
    topicRights: enforcedTopics,
    eventTypes: { node: 'NodeStreamEvent', eligibility: 'NodeDrain' },
    deniedStream: 'legacy403',
    indexesProvider: false,
    needsPerPage: false,
    keepsSnapshotSecrets: false,
    answersWholeSnapshots: true,
    stoppingReschedules: false,
    listsAsDocumented: false,
    neverIsNull: true,
    leavesOutEmpty: true,
    tellsExitCodeZero: false,
    waitsForInputEnd: true,
    answersHeartbeats: false,
    losesLongReasons: true,
    looksBeforeUpgrading: true,
    refusesPlainExec: {
      status: 400,
      text:
        'Bad Request\nfailed to upgrade connection: websocket: the client is not using the websocket protocol: ' +
        "'upgrade' token not found in 'Connection' header",
    },
  },
};
