// The services' error texts, as services.md#volume-errors lists them: what each means for whoever called.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { retryAfterMs } from '../../src/api/http/request.ts';
import { refusal as refusalOf, saysAbsent } from '../../src/api/scheduler/refusals.ts';
import type { ApiErrorClass } from '../../src/core/errors.ts';
import { proves } from '../coverage/proves.ts';

const refusal = (op: string, status: number, text: string, after?: string) => {
  const headers = after === undefined ? {} : { 'retry-after': after };
  return refusalOf({ op, status, text, shown: text, retryAfterMs: retryAfterMs({ status, text, headers }) });
};

interface Row {
  readonly why: string;
  readonly text: string;
  readonly class: ApiErrorClass;
  readonly reason: string;
}
const row = (why: string, kind: ApiErrorClass, reason: string, text: string): Row => ({
  why,
  text,
  class: kind,
  reason,
});

const provider = (text: string) => `controller create volume: CSI.ControllerCreateVolume: ${text}`;
const internal = (text: string) => provider(`rpc error: code = Internal desc = ${text}`);

const catalogue: readonly Row[] = [
  row('in use', 'waiting', 'VolumeInUse', 'volume in use: data'),
  row('in use at the provider', 'waiting', 'VolumeInUse', 'volume "vol-1" is in use: by another node'),
  row('mounted', 'waiting', 'VolumeInUse', 'can not update mount options while volume is in use'),
  row(
    'claimed in a way that would go',
    'waiting',
    'VolumeInUse',
    'volume requested capabilities update was not compatible with existing capability in use',
  ),
  row('attached', 'waiting', 'VolumeInUse', 'volume "vol-1" cannot be expanded online: detach it first'),
  row('no plugin yet', 'waiting', 'PluginNotFound', 'no CSI plugin named: ebs could be found'),
  row('no plugin any more', 'waiting', 'PluginNotFound', 'plugin not found: ebs'),
  row('no such plugin', 'waiting', 'PluginNotFound', 'no such plugin'),
  row('plugin down', 'waiting', 'PluginUnhealthy', 'no healthy controllers for CSI plugin: ebs'),
  row('plugin not up yet, or for nodes only', 'waiting', 'PluginUnhealthy', 'plugin has no controller'),
  row('makes no disks', 'refused', 'PluginIncapable', 'plugin does not support creating volumes'),
  row('grows no disks', 'refused', 'PluginIncapable', 'expand is not implemented by this controller plugin'),
  row(
    'deletes no disks',
    'refused',
    'PluginIncapable',
    'controller delete volume: CSI.ControllerDeleteVolume: rpc error: code = Unimplemented desc = no',
  ),
  row('task ended', 'waiting', 'TaskNotRunning', 'Task not running'),
  row('some tasks ended', 'waiting', 'TaskNotRunning', 'Failed to signal task: a, err: Task not running'),
  row('no such task', 'refused', 'TaskNotFound', 'Could not find task runner for task: web'),
  row('no such task here', 'refused', 'TaskNotFound', 'Task not found'),
  row('no such signal', 'refused', 'Rejected', 'failed to parse signal "SIGNO"'),
  row('allocation gone', 'waiting', 'AllocationNotFound', 'Unknown allocation "0b5f2a6e"'),
  row(
    'a token of no kind that there is',
    'refused',
    'PermissionDenied',
    'failed to parse signed token: go-jose',
  ),
  row('allocation ended', 'waiting', 'AllocationEnded', 'restart of an alloc that should not run'),
  row('node gone', 'unavailable', 'NodeUnreachable', 'No path to node'),
  row('no namespace', 'waiting', 'NamespaceNotFound', 'volume data is in nonexistent namespace shop'),
  row(
    'another disk of that name',
    'refused',
    'ProviderConflict',
    provider('volume "n" already exists but is incompatible with these parameters: size'),
  ),
  row('registered meanwhile', 'waiting', 'AlreadyRegistered', 'volume already registered: data'),
  row(
    'no snapshot',
    'waiting',
    'SnapshotNotFound',
    provider('volume content source "snap-1" does not exist'),
  ),
  row(
    'invalid',
    'refused',
    'Rejected',
    'validation: missing plugin id, must include at least one capability block',
  ),
  row('another name', 'refused', 'Rejected', 'volume name cannot be updated'),
  row('another disk', 'refused', 'Rejected', 'volume external ID cannot be updated'),
  row('another identity', 'waiting', 'AlreadyRegistered', 'volume identity cannot be updated: data'),
  row(
    'another zone',
    'refused',
    'Rejected',
    'volume topology request update was not compatible with existing topology',
  ),
  row(
    'too small',
    'refused',
    'Rejected',
    'max requested capacity (5 GB) less than or equal to current (10 GB)',
  ),
  row(
    'a size that is not made',
    'refused',
    'Rejected',
    provider('unsupported capacity_range for volume "n"'),
  ),
  row('no such mode', 'refused', 'Rejected', 'unknown volume access mode: sometimes'),
  row('no such attachment', 'refused', 'Rejected', 'unknown volume attachment mode: glue'),
  row(
    'zone full',
    'waiting',
    'ProviderExhausted',
    provider('unable to provision "n" in accessible_topology'),
  ),
  row(
    'no space',
    'waiting',
    'ProviderExhausted',
    'storage provider does not have enough space for this snapshot',
  ),
  row(
    'no such disk',
    'refused',
    'ExternalVolumeNotFound',
    'controller validate volume: CSI.ControllerValidateVolumeCapabilities: volume "vol-9" could not be found',
  ),
  row(
    'a snapshot that is needed',
    'waiting',
    'SnapshotInUse',
    'could not delete "s": snapshot "s" could not be deleted because it is in use: rpc error: code = FailedPrecondition',
  ),
  row('a snapshot under way', 'waiting', 'SnapshotPending', 'snapshot "n" is already pending: Aborted'),
  row('a snapshot at work', 'waiting', 'SnapshotPending', 'snapshot "s" has a pending operation: Aborted'),
  row(
    'another snapshot of that name',
    'refused',
    'ProviderConflict',
    'snapshot "n" already exists but is incompatible with volume ID "v": AlreadyExists',
  ),
  row('cuts no snapshots', 'refused', 'PluginIncapable', 'plugin "ebs" does not support snapshot'),
  row('deletes no snapshots', 'refused', 'PluginIncapable', 'plugin does not support snapshot'),
  row('lists no snapshots', 'refused', 'PluginIncapable', 'plugin does not support listing snapshots'),
  row('lists no disks', 'refused', 'PluginIncapable', 'unimplemented for this plugin'),
  row('a page that is gone', 'unavailable', 'PageTokenExpired', 'invalid starting token "x": Aborted'),
  row('nothing to cut from', 'waiting', 'VolumeNotFound', 'no such volume "data"'),
  row('no name', 'refused', 'Rejected', 'CSI.ControllerCreateSnapshot: missing Name'),
  row('no ID', 'refused', 'Rejected', 'CSI.ControllerDeleteSnapshot: missing SnapshotID'),
  row('no size', 'refused', 'Rejected', 'CSI.ControllerListVolumes: MaxEntries cannot be negative'),
  row('no snapshot at all', 'refused', 'Rejected', 'snapshot cannot be nil'),
  row('one of several', 'refused', 'Rejected', 'plugin_id names several plugins'),
  row('no such region', 'unavailable', 'NoPathToRegion', 'No path to region'),
  row('no leader', 'unavailable', 'NoLeader', 'No cluster leader'),
  row('a new leader', 'unavailable', 'NoLeader', 'Not ready to serve consistent reads'),
];

describe('a text that is known', () => {
  test.for(catalogue)('$why: $class $reason', ({ text, class: kind, reason }) => {
    expect(refusal('volume.create', 500, text)).toMatchObject({
      class: kind,
      reason,
      status: 500,
    });
  });

  test.for(catalogue)('means the same behind a hop and in a list: $why', ({ text, class: kind, reason }) => {
    for (const wrapped of [
      `rpc error: rpc error: ${text}`,
      `unable to update volume: 1 error occurred:\n\t* ${text}\n\n`,
    ]) {
      expect(refusal('volume.create', 500, wrapped)).toMatchObject({ class: kind, reason });
    }
  });

  test.for([
    {
      why: 'nothing is done without a plugin',
      text: 'no CSI plugin named: ebs could be found',
      acted: false,
    },
    { why: 'nothing is done that is invalid', text: 'validation: missing volume id', acted: false },
    { why: 'a write may be under way when its leader goes', text: 'No cluster leader', acted: true },
    {
      why: 'a server without a leader has not begun',
      text: 'Not ready to serve consistent reads',
      acted: false,
    },
    { why: 'a disk is made before it is registered', text: 'v is in nonexistent namespace n', acted: true },
    { why: 'also where another took its ID', text: 'volume identity cannot be updated: v', acted: true },
    { why: 'an edit has no effect', text: 'volume name cannot be updated', acted: false },
    { why: 'a plugin has words of its own', text: internal('it could not be found'), acted: true },
    { why: 'a snapshot may be under way', text: 'snapshot "n" is already pending: x', acted: true },
    { why: 'nothing is known of what is not known', text: 'rpc error: EOF', acted: true },
    { why: 'not even a text', text: '', acted: true },
  ])('tells whether it may have acted: $why', ({ text, acted }) => {
    expect(refusal('volume.create', 500, text).mayHaveHadEffect).toBe(acted);
  });
});

test('a detach that is taken for a claim without an allocation says that this server can’t detach', () => {
  const error = refusal('volume.detach', 500, 'Unknown allocation');
  expect(error).toMatchObject({ class: 'waiting', reason: 'DetachUnsupported', mayHaveHadEffect: false });
  expect(error.message).toMatch(/^volume\.detach: this server does not detach volumes/);
});

test.for<{ why: string; status: number; class: ApiErrorClass; reason: string; acted: boolean }>([
  { why: 'no permission', status: 403, class: 'refused', reason: 'PermissionDenied', acted: false },
  { why: 'not as the service wants it', status: 400, class: 'refused', reason: 'Rejected', acted: false },
  { why: 'not allowed there', status: 405, class: 'refused', reason: 'Rejected', acted: false },
  { why: 'sent elsewhere', status: 307, class: 'refused', reason: 'Redirected', acted: false },
  { why: 'sent elsewhere for good', status: 301, class: 'refused', reason: 'Redirected', acted: false },
  { why: 'too many', status: 429, class: 'throttled', reason: 'Throttled', acted: false },
  { why: 'a bug of theirs', status: 500, class: 'unavailable', reason: 'ServerError', acted: true },
  {
    why: 'a proxy that lost its server',
    status: 502,
    class: 'unavailable',
    reason: 'ServerError',
    acted: true,
  },
  { why: 'a proxy that gave up', status: 504, class: 'unavailable', reason: 'ServerError', acted: true },
])('a status alone: $status $why', ({ status, class: kind, reason, acted }) => {
  proves('400 is a request that is refused, and nothing was done');
  proves('403 is not allowed, 404 unknown');
  proves('5xx is not sent again by itself');
  const error = refusal('volume.create', status, '');
  expect(error).toMatchObject({ class: kind, reason, status, mayHaveHadEffect: acted });
});

test.for<{ after: string | undefined; expect: number | undefined }>([
  { after: '7', expect: 7_000 },
  { after: '0.5', expect: 500 },
  { after: '999999', expect: 3_600_000 },
  { after: '0', expect: undefined },
  { after: '-3', expect: undefined },
  { after: 'soon', expect: undefined },
  { after: 'Infinity', expect: undefined },
  { after: undefined, expect: undefined },
])('Retry-After $after: waits $expect ms, and never for more than an hour', (one) => {
  expect(refusal('volume.list', 429, 'slow down', one.after).retryAfterMs).toBe(one.expect);
});

/** Words and white space, often longer than anybody would read. */
const anyText = fc
  .array(fc.oneof(fc.string(), fc.constantFrom(' ', '\n', '\t', '\r\n', 'x'.repeat(200))), { maxLength: 20 })
  .map((parts) => parts.join(''));

test('whatever a server says makes an error with a short message of one line that leads with the operation', () => {
  fc.assert(
    fc.property(fc.integer({ min: 300, max: 599 }), anyText, (status, text) => {
      const error = refusal('volume.create', status, text, text);
      expect(error.message).toMatch(/^volume\.create: ./);
      expect(error.message.length).toBeLessThan(400);
      expect(error.message).not.toMatch(/[\r\n\t]/);
      expect(error.status).toBe(status);
      expect(error.cause).toBeUndefined();
    }),
  );
});

test.for([
  { text: 'volume not found: data', absent: true },
  { text: 'rpc error: volume not found: data', absent: true },
  { text: 'CSI.ControllerDeleteVolume: cannot lock: volume not found in cache', absent: false },
  { text: 'rpc error: code = Internal desc = source volume not found in cache', absent: false },
  { text: 'no such volume', absent: true },
  { text: 'volume in use: data', absent: false },
  { text: 'plugin not found: ebs', absent: false },
  { text: '', absent: false },
])('deleting what is not there has succeeded: "$text" $absent', ({ text, absent }) => {
  expect(saysAbsent(text)).toBe(absent);
});

test('a secret that is part of the words does not change what they mean', () => {
  const error = refusalOf({
    op: 'volume.create',
    status: 500,
    text: 'volume in use: data',
    shown: '(secret a/b)olume in use: data',
    retryAfterMs: undefined,
  });
  expect(error).toMatchObject({ class: 'waiting', reason: 'VolumeInUse' });
  expect(error.message).toBe('volume.create: (secret a/b)olume in use: data');
});

test('what several errors are wrapped in is not shown: a condition says what went wrong, not how many times', () => {
  const text = 'unable to update volume: 1 error occurred:\n\t* volume in use\n\n';
  expect(refusal('volume.create', 500, text).message).toMatch(
    /^volume\.create: unable to update volume: +volume in use$/,
  );
});
