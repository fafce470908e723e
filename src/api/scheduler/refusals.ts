// Classifies the scheduler's errors by their texts (services.md#scheduler-errors, services.md#volume-errors).
// Substrings are matched, because an error that one server forwards from another has a prefix.
import { ApiError, type ApiErrorClass } from '../../core/errors.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { unframed } from '../http/request.ts';

interface Meaning {
  readonly text: string;
  readonly class: ApiErrorClass;
  readonly reason: Reason;
  /** The call may have had an effect. */
  readonly acted?: true;
  /** Applies to this operation only. */
  readonly op?: string;
  /** Replaces the service's text where it is misleading. */
  readonly meant?: string;
  /** The CSI controller capability that the plugin lacks. The message names it, so that people can look it up. */
  readonly lacks?: string;
}

const meanings: readonly Meaning[] = [
  { text: 'could not be deleted because it is in use', class: 'waiting', reason: 'SnapshotInUse' },
  // An earlier request for the same snapshot is in progress.
  { text: 'is already pending', class: 'waiting', reason: 'SnapshotPending', acted: true },
  { text: 'has a pending operation', class: 'waiting', reason: 'SnapshotPending' },
  { text: 'invalid starting token', class: 'unavailable', reason: 'PageTokenExpired' },
  { text: 'volume in use', class: 'waiting', reason: 'VolumeInUse' },
  { text: 'is in use:', class: 'waiting', reason: 'VolumeInUse' },
  { text: 'while volume is in use', class: 'waiting', reason: 'VolumeInUse' },
  { text: 'not compatible with existing capability in use', class: 'waiting', reason: 'VolumeInUse' },
  { text: 'no CSI plugin named', class: 'waiting', reason: 'PluginNotFound' },
  { text: 'plugin not found', class: 'waiting', reason: 'PluginNotFound' },
  { text: 'no such plugin', class: 'waiting', reason: 'PluginNotFound' },
  { text: 'no healthy controllers for CSI plugin', class: 'waiting', reason: 'PluginUnhealthy' },
  // Also of one whose job has only just started: until its controller was first seen, Nomad takes it for one without any.
  { text: 'plugin has no controller', class: 'waiting', reason: 'PluginUnhealthy' },
  {
    text: 'does not support snapshot',
    class: 'refused',
    reason: 'PluginIncapable',
    lacks: 'CREATE_DELETE_SNAPSHOT',
  },
  {
    text: 'does not support listing snapshots',
    class: 'refused',
    reason: 'PluginIncapable',
    lacks: 'LIST_SNAPSHOTS',
  },
  { text: 'unimplemented for this plugin', class: 'refused', reason: 'PluginIncapable' },
  { text: 'plugin does not support', class: 'refused', reason: 'PluginIncapable' },
  { text: 'is not implemented by this controller plugin', class: 'refused', reason: 'PluginIncapable' },
  { text: 'code = Unimplemented', class: 'refused', reason: 'PluginIncapable' },
  { text: 'snapshot source', class: 'refused', reason: 'Rejected' },
  { text: 'no such volume', class: 'waiting', reason: 'VolumeNotFound' },
  // Found out at the end, when the disk is made.
  {
    op: 'volume.create',
    text: 'in nonexistent namespace',
    class: 'waiting',
    reason: 'NamespaceNotFound',
    acted: true,
  },
  { text: 'in nonexistent namespace', class: 'waiting', reason: 'NamespaceNotFound' },
  // The same: while the disk was made, somebody has registered another one under its ID.
  {
    op: 'volume.create',
    text: 'volume identity cannot be updated',
    class: 'waiting',
    reason: 'AlreadyRegistered',
    acted: true,
  },
  { text: 'already exists but is incompatible', class: 'refused', reason: 'ProviderConflict' },
  { text: 'already registered', class: 'waiting', reason: 'AlreadyRegistered' },
  { text: 'content source', class: 'waiting', reason: 'SnapshotNotFound' },
  { text: 'missing Name', class: 'refused', reason: 'Rejected' },
  { text: 'missing SnapshotID', class: 'refused', reason: 'Rejected' },
  { text: 'MaxEntries cannot be negative', class: 'refused', reason: 'Rejected' },
  { text: 'snapshot cannot be nil', class: 'refused', reason: 'Rejected' },
  { text: 'names several plugins', class: 'refused', reason: 'Rejected' },
  { text: 'validation:', class: 'refused', reason: 'Rejected' },
  { text: 'cannot be updated', class: 'refused', reason: 'Rejected' },
  { text: 'not compatible with existing topology', class: 'refused', reason: 'Rejected' },
  { text: 'max requested capacity', class: 'refused', reason: 'Rejected' },
  { text: 'unsupported capacity_range', class: 'refused', reason: 'Rejected' },
  { text: 'unknown volume a', class: 'refused', reason: 'Rejected' },
  { text: 'unable to provision', class: 'waiting', reason: 'ProviderExhausted' },
  { text: 'does not have enough space', class: 'waiting', reason: 'ProviderExhausted' },
  { text: 'cannot be expanded online', class: 'waiting', reason: 'VolumeInUse' },
  { text: 'could not be found', class: 'refused', reason: 'ExternalVolumeNotFound' },
  {
    // The server treats every detach over HTTP as a claim of an allocation without an ID.
    op: 'volume.detach',
    text: 'Unknown allocation',
    class: 'waiting',
    reason: 'DetachUnsupported',
    meant:
      'this server does not detach volumes on request: it releases the claims of ended allocations itself',
  },
  // A signal to all tasks may have reached other tasks.
  { text: 'Failed to signal task', class: 'waiting', reason: 'TaskNotRunning', acted: true },
  { text: 'Task not running', class: 'waiting', reason: 'TaskNotRunning' },
  { text: 'failed to parse signal', class: 'refused', reason: 'Rejected', acted: true },
  { text: 'Task not found', class: 'refused', reason: 'TaskNotFound' },
  { text: 'task not found', class: 'refused', reason: 'TaskNotFound' },
  { text: 'unknown task name', class: 'refused', reason: 'TaskNotFound' },
  { text: '" not started yet.', class: 'waiting', reason: 'TaskNotRunning' },
  { text: '" is not running.', class: 'waiting', reason: 'TaskNotRunning' },
  { text: 'exec not possible, client status of', class: 'waiting', reason: 'AllocationEnded' },
  { text: 'failed to start command', class: 'refused', reason: 'CommandNotFound' },
  { text: 'failed to parse signed token', class: 'refused', reason: 'PermissionDenied' },
  { text: 'Could not find task runner for task', class: 'refused', reason: 'TaskNotFound' },
  { text: 'allocation not found', class: 'waiting', reason: 'AllocationNotFound' },
  { text: 'nknown allocation', class: 'waiting', reason: 'AllocationNotFound' },
  { text: 'alloc that should not run', class: 'waiting', reason: 'AllocationEnded' },
  { text: 'EventBroker not configured', class: 'refused', reason: 'EventsDisabled' },
  { op: 'event.stream', text: 'resource not found', class: 'refused', reason: 'EventsDisabled' },
  { text: 'No path to node', class: 'unavailable', reason: 'NodeUnreachable' },
  { text: 'No cluster leader', class: 'unavailable', reason: 'NoLeader', acted: true },
  { text: 'Not ready to serve consistent reads', class: 'unavailable', reason: 'NoLeader' },
  { text: 'No path to region', class: 'unavailable', reason: 'NoPathToRegion' },
];

export interface Refused {
  readonly op: string;
  readonly status: number;
  /** As received. Only this text is classified: removing a secret could remove the phrase to match. */
  readonly text: string;
  readonly shown: string;
  readonly retryAfterMs: number | undefined;
  /** Whether the request is a DELETE. */
  readonly removes?: boolean;
  /** The permissions of the call, as people write them into a policy: told if the token lacks one. */
  readonly needs?: readonly string[];
}

/** Without it the remedy, to grant what is lacking, would not say what that is. */
function withNeeds(error: ApiError, needs: readonly string[] = []): ApiError {
  if (error.reason !== 'PermissionDenied' || needs.length === 0) return error;
  const { class: is, reason, message, status, mayHaveHadEffect } = error;
  return new ApiError(is, reason, `${message} (the token needs ${needs.join(' and ')})`, {
    mayHaveHadEffect,
    ...(status !== undefined && { status }),
  });
}

export const refusal = ({ needs, ...refused }: Refused): ApiError => withNeeds(meant(refused), needs);

function meant({ op, status, text, shown, retryAfterMs, removes }: Omit<Refused, 'needs'>): ApiError {
  const line = unframed(shown);
  const message = line === '' ? `${op}: status ${status}` : `${op}: ${line}`;
  if (status === 429) {
    return new ApiError('throttled', 'Throttled', message, { status, retryAfterMs });
  }
  if (status >= 300 && status < 400) {
    const where = `${op}: answered with a redirect, which is never followed`;
    return new ApiError('refused', 'Redirected', where, { status });
  }
  const known = meanings.find((m) => text.includes(m.text) && (m.op ?? op) === op);
  if (known) {
    const lacking = known.lacks === undefined ? '' : ` (it lacks ${known.lacks})`;
    const said = known.meant === undefined ? `${message}${lacking}` : `${op}: ${known.meant}`;
    return new ApiError(known.class, known.reason, said, {
      status,
      mayHaveHadEffect: known.acted ?? (op.endsWith('.create') && failed.test(text)),
    });
  }
  if (op === 'event.stream' && status === 404 && text.trim() === '') {
    return new ApiError('refused', 'EventsDisabled', `${op}: the service has no such endpoint`, { status });
  }
  // The object may be absent, or a proxy answered, so the object must be observed again.
  if (status === 404 && removes === true) {
    const vague = `${op}: 404, which does not say what is absent${line === '' ? '' : `: ${line}`}`;
    return new ApiError('waiting', 'ServerError', vague, { status, mayHaveHadEffect: true });
  }
  if (status === 403) return new ApiError('refused', 'PermissionDenied', message, { status });
  if (status < 500) return new ApiError('refused', 'Rejected', message, { status });
  return new ApiError('unavailable', 'ServerError', message, { status, mayHaveHadEffect: true });
}

/**
 * Whether the service says that the volume is absent, which makes its deletion a success (services.md#scheduler-errors). A
 * plugin that failed may speak of a volume that it lacks, too.
 */
export const saysAbsent = (text: string): boolean =>
  (text.includes('volume not found') || text.includes('no such volume')) && !ofPlugin.test(text);

/**
 * Whether the service says that the snapshot is absent: 404 by the documents, where Nomad calls it a success. A proxy that does not know
 * the path may quote it.
 */
export const saysNoSnapshot = (status: number, text: string): boolean =>
  status === 404 && /snapshot/i.test(text) && !/<|\/v1\/|plugin/i.test(text) && !ofPlugin.test(text);

/** A plugin that failed while it worked, whatever its words. What it has made by then is found by the same create. */
const failed = /rpc error: code = (?:Canceled|DeadlineExceeded|Internal|Unavailable|Unknown) /;

/** An error of a plugin, as the service hands it on. */
const ofPlugin = /CSI\.|rpc error: code = /;
