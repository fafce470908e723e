// Where the dialects behave differently beyond names and shapes: what `cluster` is documented to do, and what Nomad
// does (services.md#dialects). Where the documented API is silent, both do what Nomad does.
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
  /** Index of a table that was never written. A query with index 0 does not block (services.md#blocking-queries). */
  readonly firstIndex: number;
  readonly build: string;
  /**
   * Volumes can be detached from nodes. In Nomad every such request fails: it is taken for a claim without an
   * allocation.
   */
  readonly detaches: boolean;
  /** A forced deregistration ignores allocations that are to stop and still run; otherwise only those that ended. */
  readonly forcesStopping: boolean;
  /** `node_id` is the hex digits of a UUID; otherwise any prefix of a node's ID. */
  readonly nodeIDsAreBytes: boolean;
  /** Volumes have creation and modification times; otherwise these are unset. */
  readonly timesVolumes: boolean;
  /** Registering answers a new volume without its stored and joined fields, and a known one as it was before. */
  readonly answersEarly: boolean;
  /** `Topologies` of a new volume limit where it may go; otherwise only `RequestedTopologies` do. */
  readonly topologiesAreRequests: boolean;
  /** A signal and a restart answer `{"Index":0}`; otherwise `{}`. */
  readonly answersActionsWithIndex: boolean;
  readonly rights: Rights;
  /** An allocation that the token may not read is reported as unknown, with a 500; otherwise 403. */
  readonly hidesAllocations: boolean;
  /** A list of all namespaces includes volumes that the token may not read. */
  readonly listsUnreadableVolumes: boolean;
  /** What each topic of the event stream needs; a missing topic needs management. */
  readonly topicRights: ReadonlyMap<string, string>;
  /** The event types for news of a node and for its eligibility. */
  readonly eventTypes: { readonly node: string; readonly eligibility: string };
  readonly deniedStream: DeniedStream;
  /** Lists of external volumes and snapshots block and report an index; otherwise the index is always 0. */
  readonly indexesProvider: boolean;
  /** Lists of external volumes and snapshots need `per_page`. */
  readonly needsPerPage: boolean;
  /** Deleting a snapshot also uses the secrets that it was made with. */
  readonly keepsSnapshotSecrets: boolean;
  /** A created snapshot is answered with every field, most of them empty, and the provider's ID as its source. */
  readonly answersWholeSnapshots: boolean;
  /** A stop always counts as a reschedule; otherwise only if the request says so. */
  readonly stoppingReschedules: boolean;
  /** A list of allocations has `PreviousAllocation`, and omits resources unless asked for; otherwise they are null. */
  readonly listsAsDocumented: boolean;
  /** A time that never was is null; otherwise the year 1. */
  readonly neverIsNull: boolean;
  /** A single allocation omits its empty fields. */
  readonly leavesOutEmpty: boolean;
  /** An exit code of 0 is sent; otherwise it is left out. */
  readonly tellsExitCodeZero: boolean;
  /** Without a terminal, a command that ended waits for the end of its input. */
  readonly waitsForInputEnd: boolean;
  /** A session answers heartbeats of the client; otherwise it sends none. */
  readonly answersHeartbeats: boolean;
  /** If a reason is too long for a close frame, the connection ends without one; otherwise the reason is cut. */
  readonly losesLongReasons: boolean;
  /** `command` and `tty` are checked before the upgrade, and refused by HTTP. */
  readonly looksBeforeUpgrading: boolean;
  /** The answer to an exec request that is no WebSocket. */
  readonly refusesPlainExec: { readonly status: number; readonly text: string };
  /** `pretty` formats whatever its value is; otherwise not if it is 0. */
  readonly prettyWhatever: boolean;
  /** The event stream is compressed for clients that take gzip. */
  readonly packsStream: boolean;
  /** Keys of a topic add up, and an event comes once; otherwise `*` counts alone, and an event comes once per key. */
  readonly keysAddUp: boolean;
  /** An index beyond the newest frame starts with that frame. */
  readonly replaysNewest: boolean;
  /** Names of fields in bodies are case-sensitive. */
  readonly namesAreExact: boolean;
  /** The answer to a parameter or a body of a wrong form. */
  readonly malformed: 400 | 500;
  /** A list of volumes without a type tells its index. */
  readonly indexesEmptyLists: boolean;
  /** A single volume has `CurrentReaders` and `CurrentWriters`. */
  readonly countsClaimsInReads: boolean;
  /** Claims are checked before the provider deletes the disk; otherwise afterwards. */
  readonly checksClaimsFirst: boolean;
  /** Lists of snapshots need `plugin_id`. */
  readonly needsPluginID: boolean;
  readonly restartMethods: readonly string[];
  /** `Signal` has to be a known name, whatever the driver. */
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
