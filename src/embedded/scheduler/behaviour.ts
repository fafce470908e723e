// How the dialects differ in behaviour beyond names and shapes: `cluster` behaves as documented, `nomad` as Nomad does
// (services.md#dialects). Where the documents are silent, both behave as Nomad does.
import type { SchedulerDialectName } from '../../api/dialects.ts';
import {
  documentedRights,
  documentedTopics,
  enforcedRights,
  enforcedTopics,
  type Rights,
} from './acl/rights.ts';

export type DeniedStream = 'legacy403' | 'hijack200';

export interface Behaviour {
  readonly waitMaxMs: number;
  /** The index of an unwritten table. A query with index 0 does not block (services.md#blocking-queries). */
  readonly firstIndex: number;
  readonly build: string;
  /** Volumes can be detached from nodes. In Nomad a detach always fails: it counts as a claim without an allocation. */
  readonly detaches: boolean;
  /** A forced deregistration ignores claims of allocations that should stop; otherwise only of ended ones. */
  readonly forcesStopping: boolean;
  /** `node_id` is a prefix of a UUID, an even number of hex digits; otherwise any prefix of a node's ID. */
  readonly nodeIDsAreBytes: boolean;
  /** Volumes have creation and modification times; otherwise these are 0. */
  readonly timesVolumes: boolean;
  /** Register and create return a new volume without health and indexes, a known one with its old `ModifyIndex`. */
  readonly answersEarly: boolean;
  /** `Topologies` of a new volume limit where its disk is placed; otherwise only `RequestedTopologies` do. */
  readonly topologiesAreRequests: boolean;
  /** A signal and a restart answer `{"Index":0}`; otherwise `{}`. */
  readonly answersActionsWithIndex: boolean;
  readonly rights: Rights;
  /** A read of an allocation without the right to it answers 500 as for an unknown one; otherwise 403. */
  readonly hidesAllocations: boolean;
  /** A list of all namespaces includes volumes that the token may not read. */
  readonly listsUnreadableVolumes: boolean;
  /** The permission that each topic of the event stream needs; a topic that is not listed needs management. */
  readonly topicRights: ReadonlyMap<string, string>;
  /** The types of the events for a changed node and for its changed eligibility. */
  readonly eventTypes: { readonly node: string; readonly eligibility: string };
  readonly deniedStream: DeniedStream;
  /** Lists of external volumes and snapshots block and report an index; otherwise the index is always 0. */
  readonly indexesProvider: boolean;
  /** Lists of external volumes and snapshots need `per_page`. */
  readonly needsPerPage: boolean;
  /** The deletion of a snapshot also uses the secrets of its creation. */
  readonly keepsSnapshotSecrets: boolean;
  /** Snapshots have every field, most of them empty, and the source of a created one is the provider's ID. */
  readonly answersWholeSnapshots: boolean;
  /** A stop always counts as a reschedule; otherwise only if the request says so. */
  readonly stoppingReschedules: boolean;
  /** Allocations in lists have `PreviousAllocation`; otherwise resources instead, null unless requested. */
  readonly listsAsDocumented: boolean;
  /** An unset time is null; otherwise the year 1. */
  readonly neverIsNull: boolean;
  /** A single allocation omits its empty fields. */
  readonly leavesOutEmpty: boolean;
  /** An exit code of 0 is sent; otherwise it is left out. */
  readonly tellsExitCodeZero: boolean;
  /** Without a terminal, a session waits for more input, or the end of it, after its command has ended. */
  readonly waitsForInputEnd: boolean;
  /** A session answers the client's heartbeats; otherwise it sends none. */
  readonly answersHeartbeats: boolean;
  /** If a reason is too long for a close frame, the connection ends without one; otherwise the reason is cut. */
  readonly losesLongReasons: boolean;
  /** `command` and `tty` are checked before the upgrade, and refused with a plain HTTP reply. */
  readonly looksBeforeUpgrading: boolean;
  /** The answer to an exec request that is not a WebSocket. */
  readonly refusesPlainExec: { readonly status: number; readonly text: string };
  /** `pretty` indents whatever its value; otherwise `pretty=0` does not. */
  readonly prettyWhatever: boolean;
  /** The event stream is compressed for clients that accept gzip. */
  readonly packsStream: boolean;
  /** An event is sent once if any key matches; otherwise once per key, and `*` is a wildcard only as the sole key. */
  readonly keysAddUp: boolean;
  /** A stream that starts beyond the newest frame sends that frame; otherwise it waits for the next one. */
  readonly replaysNewest: boolean;
  /** Names of fields in bodies are case-sensitive. */
  readonly namesAreExact: boolean;
  /** The status for a malformed parameter or body. */
  readonly malformed: 400 | 500;
  /** A list of volumes without a type has an index, and blocks. */
  readonly indexesEmptyLists: boolean;
  /** A single volume has `CurrentReaders` and `CurrentWriters`. */
  readonly countsClaimsInReads: boolean;
  /** A delete checks claims before the provider deletes the disk; otherwise afterwards. */
  readonly checksClaimsFirst: boolean;
  /** Lists of snapshots need `plugin_id`. */
  readonly needsPluginID: boolean;
  readonly restartMethods: readonly string[];
  /** `Signal` must be a known name; otherwise the driver decides. */
  readonly checksSignals: boolean;
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
    prettyWhatever: true,
    packsStream: true,
    keysAddUp: true,
    replaysNewest: false,
    namesAreExact: true,
    malformed: 400,
    indexesEmptyLists: true,
    countsClaimsInReads: true,
    checksClaimsFirst: true,
    needsPluginID: true,
    restartMethods: ['POST', 'PUT'],
    checksSignals: true,
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
    prettyWhatever: false,
    packsStream: false,
    keysAddUp: false,
    replaysNewest: true,
    namesAreExact: false,
    malformed: 500,
    indexesEmptyLists: false,
    countsClaimsInReads: false,
    checksClaimsFirst: false,
    needsPluginID: false,
    restartMethods: ['POST', 'PUT', 'GET', 'DELETE'], // any
    checksSignals: false,
  },
};
