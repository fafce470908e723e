// Whoever is on call reads in the log what changed, once, and as urgent as it is.
import { expect, test } from 'vitest';
import { Journal } from '../../src/cli/output/journal.ts';
import { newLog } from '../../src/cli/output/log.ts';
import type { Visit } from '../../src/controller/reconcile/endings.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { Entry } from '../../src/core/source/source.ts';
import { noStatus, type Condition, type Status } from '../../src/core/status/status.ts';

const volume = 'CSIVolume/shop/a';
const connection = 'SchedulerConnection/main';

const condition = (type: string, status: Condition['status'], reason: string, message = ''): Condition => ({
  type,
  status,
  reason,
  message,
  observedGeneration: 1,
  lastTransitionTime: '2026-11-22T10:00:00Z',
});
const well = [condition('Ready', 'True', 'InSync'), condition('Synced', 'True', 'InSync')];
const inUse = ['Ready', 'Synced'].map((type) => condition(type, 'False', 'VolumeInUse', 'a1 claims it'));
const waits = [...inUse, condition('Reconciling', 'True', 'VolumeInUse', 'a1 claims it')];
const stuck = [...inUse, condition('Stalled', 'True', 'VolumeInUse', 'a1 claims it')];
const lost = [
  condition('Ready', 'False', 'Unavailable', 'no answer'),
  condition('Synced', 'False', 'Unavailable', 'no answer'),
];

/** A journal, and the lines that it wrote since it was asked last. */
function journal() {
  const written: string[] = [];
  const entries = new Map<string, Entry>();
  const log = newLog({ logLevel: 'debug', logFormat: 'json' }, (text) => void written.push(text));
  const subject = new Journal(log, (key) => entries.get(key));
  const lines = () =>
    written.splice(0).map((line): unknown => {
      const { time: _time, ...rest } = JSON.parse(line);
      return rest;
    });
  const declare = (
    key: string,
    object: Partial<Entry['object']> = {},
    conditions: readonly Condition[] = [],
  ) => {
    const [kind = '', namespace = '', name = ''] = key.split('/');
    const plain = {
      key: { kind, namespace, name },
      uid: 'u',
      generation: 1,
      deleting: false,
      held: true,
      requests: {},
      spec: {},
    };
    entries.set(key, { object: { ...plain, ...object }, status: { ...noStatus, conditions } });
  };
  const visit = (
    key: string,
    conditions: readonly Condition[],
    ending: Partial<Visit['ending']> = { is: 'rest' },
  ) => {
    const status: Status = { ...noStatus, conditions };
    // oxlint-disable-next-line no-unsafe-type-assertion -- of an ending, its name is read
    subject.visited({ key, done: [], ending: ending as Visit['ending'], status, requeueMs: undefined });
    return lines();
  };
  return { subject, lines, declare, visit };
}

test.for([
  {
    why: 'what can be used again is good news',
    from: waits,
    to: well,
    level: 'info',
    msg: 'ready',
    shown: { Ready: 'True', Synced: 'True' },
  },
  {
    why: 'what waits may help itself',
    from: well,
    to: waits,
    level: 'warn',
    msg: 'not ready',
    shown: { Ready: 'False', Synced: 'False', Reconciling: 'True' },
  },
  {
    why: 'what is stalled needs a person',
    from: well,
    to: stuck,
    level: 'error',
    msg: 'stalled',
    shown: { Ready: 'False', Synced: 'False', Stalled: 'True' },
  },
  {
    why: 'a provider’s complaint is about an object that is ready',
    from: well,
    to: [...well, condition('Abnormal', 'True', 'VolumeConditionAbnormal', 'one disk failed')],
    level: 'warn',
    msg: 'changed',
    shown: { Abnormal: 'True' },
  },
  {
    why: 'how something is is no trouble',
    from: [...well, condition('EventStream', 'True', 'Streaming')],
    to: [...well, condition('EventStream', 'False', 'StreamDenied')],
    level: 'info',
    msg: 'changed',
    shown: { EventStream: 'False' },
  },
])('$why: one line, $level, and none for the same again', ({ from, to, level, msg, shown }) => {
  const { declare, visit } = journal();
  declare(volume);
  visit(volume, from);
  expect(visit(volume, to)).toEqual([expect.objectContaining({ level, msg, key: volume, ...shown })]);
  expect(visit(volume, to)).toEqual([]);
});

test('the reason and the message go with it: another message is another change', () => {
  const { declare, visit } = journal();
  declare(volume);
  const [line] = visit(volume, waits);
  expect(line).toMatchObject({ reason: 'VolumeInUse', message: 'a1 claims it' });
  const others = waits.map((one) => ({ ...one, message: 'a2 claims it' }));
  expect(visit(volume, others)).toMatchObject([{ message: 'a2 claims it' }]);
});

test('a connection is lost and back in two lines, however many objects are behind it', () => {
  const { declare, visit } = journal();
  declare(connection);
  declare(volume);
  visit(connection, well);
  visit(volume, well);
  expect(visit(connection, lost)).toMatchObject([
    { level: 'warn', msg: 'connection lost', message: 'no answer' },
  ]);
  const parked = [condition('Ready', 'True', 'InSync'), condition('Synced', 'Unknown', 'ConnectionNotReady')];
  const outage = { is: 'failed', error: new ApiError('unavailable', 'Unavailable', 'no answer') } as const;
  expect(visit(volume, parked, { is: 'parked' })).toMatchObject([{ level: 'debug' }]);
  expect(visit(volume, parked, outage)).toMatchObject([{ level: 'debug' }]);
  expect(visit(connection, well)).toMatchObject([{ level: 'info', msg: 'connection is back' }]);
  expect(visit(volume, well)).toEqual([]);
});

test('what an earlier process told is not told again; a summary says what it left', () => {
  const { subject, declare, visit } = journal();
  declare(volume, {}, waits);
  declare(connection, {}, well);
  expect(subject.begin([volume, connection])).toEqual({ objects: 2, notReady: { VolumeInUse: 1 } });
  expect(visit(volume, waits)).toEqual([]);
  expect(visit(volume, well)).toMatchObject([{ msg: 'ready' }]);
});

test('a deletion is told when it begins, is withdrawn and ends', () => {
  const { declare, visit } = journal();
  declare(volume);
  visit(volume, well);
  declare(volume, { deleting: true });
  expect(visit(volume, waits)).toMatchObject([{ msg: 'deletion begun' }, { msg: 'not ready' }]);
  declare(volume);
  expect(visit(volume, waits)).toMatchObject([{ msg: 'deletion withdrawn: it is declared again' }]);
  declare(volume, { deleting: true });
  visit(volume, waits);
  expect(visit(volume, waits, { is: 'gone', because: 'nothing is there' })).toEqual([
    { level: 'info', key: volume, because: 'nothing is there', msg: 'deletion ended' },
  ]);
});

test('a command is told once, with who asked; a request of a manifest is told, too', () => {
  const { subject, lines, declare, visit } = journal();
  declare(volume);
  visit(volume, well);
  const command = { do: 'request', key: volume, name: 'suspend', token: 'true' };
  subject.commanded({ command, reply: { ok: true, message: 'it is suspended' }, by: 'ann' });
  expect(lines()).toEqual([
    {
      level: 'info',
      key: volume,
      request: 'suspend',
      value: 'true',
      by: 'ann',
      message: 'it is suspended',
      msg: 'command',
    },
  ]);
  declare(volume, { requests: { suspend: 'true' } });
  expect(visit(volume, well)).toEqual([]);
  declare(volume, { requests: { suspend: 'true', rotate: 'x' } });
  expect(visit(volume, well)).toMatchObject([{ msg: 'request', request: 'rotate', value: 'x' }]);
  declare(volume, { requests: { suspend: 'true' } });
  expect(visit(volume, well)).toMatchObject([{ msg: 'request withdrawn', request: 'rotate' }]);
  const refused = {
    command: { do: 'approve', digest: 'd' },
    reply: { ok: false, message: 'nothing waits' },
    by: 'bob',
  };
  subject.commanded(refused);
  expect(lines()).toMatchObject([{ level: 'warn', msg: 'command refused', digest: 'd', by: 'bob' }]);
});
