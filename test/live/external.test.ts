// What providers say of their disks: listed seldom, for nothing that nobody looks at, and never taken from a part of a list.
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Reader } from '../../src/api/routes.ts';
import { DiskNotes } from '../../src/api/scheduler/disks.ts';
import { ApiError } from '../../src/core/errors.ts';
import type { Reason } from '../../src/core/status/reasons.ts';
import { ExternalLists } from '../../src/live/external.ts';
import { SchedulerWatch } from '../../src/live/scheduler.ts';
import { client, connectionTo } from '../api/servers.ts';
import { until } from '../contract/client.ts';
import { ManualClock } from '../embedded/manual-clock.ts';
import { create, running } from '../embedded/scheduler/running.ts';

const minuteMs = 60_000;
const manual = () => {
  const clock = new ManualClock();
  return {
    clock,
    common: {
      clock: {
        nowMs: () => clock.nowMs(),
        wallMs: () => clock.nowMs(),
        setTimer: (ms: number, fire: () => void) => clock.after(ms, fire),
      },
      random: () => 0.5, // no jitter
    },
  };
};

/** Plays these answers, one after the other. */
async function listing(...answers: readonly (object | Error)[]) {
  const { clock, common } = manual();
  const asked: string[] = [];
  const notes = new DiskNotes();
  const page: Reader['page'] = async (op, params) => {
    const plugin = 'plugin_id' in params ? params.plugin_id : '';
    asked.push(`${op} ${plugin}`);
    const answer = answers[asked.length - 1] ?? { Volumes: [] };
    if (answer instanceof Error) throw answer;
    const nextToken = 'NextToken' in answer ? String(answer.NextToken) : undefined;
    return { reply: answer, index: 1, nextToken };
  };
  const lists = new ExternalLists({
    ...common,
    client: { page },
    notes,
    namespace: 'default',
    changed: () => {},
    trouble: () => {},
  });
  lists.start();
  onTestFinished(() => lists.stop());
  /** Lets so many minutes pass, in steps that the lists notice. */
  const pass = async (minutes: number) => {
    for (let ms = 0; ms < minutes * minuteMs; ms += 15_000) {
      clock.advance(15_000);
      await until('it waits again', () => clock.waiting === 1);
    }
    return asked.length;
  };
  return { asked, notes, pass };
}
const sick = (ExternalID: string, Status: unknown = 'bad blocks') => ({
  ExternalID,
  IsAbnormal: true,
  Status,
});

describe('lists of disks', () => {
  test('are of plugins that somebody asked about, every ten minutes', async () => {
    const { notes, pass, asked } = await listing({ Volumes: [sick('d1'), { ExternalID: 'd2' }] });
    expect(await pass(30)).toBe(0);
    expect(notes.ask('ebs', 'd1', undefined)).toBeUndefined();
    expect(await pass(1)).toBe(1);
    expect(asked).toEqual(['volume.external ebs']);
    expect(notes.ask('ebs', 'd1', undefined)).toBe('bad blocks');
    expect(notes.ask('ebs', 'd2', undefined)).toBeUndefined();
    expect(await pass(8)).toBe(1);
    expect(await pass(2)).toBe(2);
  });

  test('the longer they are, the more seldom: no more than a request a minute', async () => {
    const pages = Array.from({ length: 20 }, (_, n) => ({ Volumes: [], ...(n < 19 && { NextToken: n }) }));
    const { notes, pass } = await listing(...pages);
    notes.ask('ebs', 'd1', undefined);
    expect(await pass(1)).toBe(20);
    expect(await pass(18)).toBe(20);
    expect(await pass(2)).toBe(21);
  });

  test.for([
    { why: 'cut off', second: new ApiError('unavailable', 'Unavailable', 'gone') },
    { why: 'in a circle', second: { Volumes: [], NextToken: 'x' } },
  ])('a list that is $why leaves what was noted', async ({ second }) => {
    const { notes, pass } = await listing({ Volumes: [sick('d1')] }, { Volumes: [], NextToken: 'x' }, second);
    notes.ask('ebs', 'd1', undefined);
    await pass(12);
    expect(notes.ask('ebs', 'd1', undefined)).toBe('bad blocks');
    expect(await pass(10)).toBe(4); // and it is tried again
    expect(notes.ask('ebs', 'd1', undefined)).toBeUndefined();
  });

  test.for<{ reason: Reason; left: string | undefined }>([
    { reason: 'PluginIncapable', left: undefined },
    { reason: 'PermissionDenied', left: 'bad blocks' },
  ])('a plugin that can not be listed is left alone for an hour: $reason', async ({ reason, left }) => {
    const { notes, pass } = await listing({ Volumes: [sick('d1')] }, new ApiError('refused', reason, 'no'));
    notes.ask('ebs', 'd1', undefined);
    expect(await pass(12)).toBe(2);
    expect(notes.ask('ebs', 'd1', undefined)).toBe(left);
    expect(await pass(57)).toBe(2);
    expect(await pass(4)).toBe(3);
  });

  test.for([
    { Volumes: 'x' },
    { Volumes: [null, 7, { IsAbnormal: true }, { ExternalID: 3, IsAbnormal: true }] },
    { Volumes: [{ ExternalID: 'd1', IsAbnormal: 'true' }] },
    {},
    [],
  ])('what is no list of disks says nothing: %j', async (answer) => {
    const { notes, pass } = await listing(answer);
    notes.ask('ebs', 'd1', undefined);
    await pass(1);
    expect(notes.ask('ebs', 'd1', undefined)).toBeUndefined();
  });

  test('words are one line and end, and silence is told as such', async () => {
    const { notes, pass } = await listing({ Volumes: [sick('d1', 'a\nb '.repeat(500)), sick('d2', 7)] });
    notes.ask('ebs', 'd1', undefined);
    await pass(1);
    expect(notes.ask('ebs', 'd1', undefined)).toMatch(/^a b a b [^\n]{1,300}$/);
    expect(notes.ask('ebs', 'd2', undefined)).toBe('the provider does not say what is wrong');
  });
});

test('what was known before stands until the first list, which has news whatever was listed of volumes meanwhile', () => {
  const notes = new DiskNotes();
  expect(notes.news('ebs', 'd1')).toBe(0);
  expect(notes.ask('ebs', 'd1', 'bad blocks')).toBe('bad blocks');
  expect(notes.ask('ebs', 'd1', undefined)).toBe('bad blocks');
  expect(notes.note('ebs', new Map([['d1', 'bad blocks']]))).toBe(false);
  expect(notes.news('ebs', 'd1')).toBe(0);
  expect(notes.note('ebs', new Map())).toBe(true);
  expect(notes.news('ebs', 'd1')).toBeGreaterThan(0);
  expect(notes.ask('ebs', 'd1', 'bad blocks')).toBeUndefined();
});

test('a disk that got well while nobody looked, goes bad, gets worse and well again is told of, each time, and no other is', async () => {
  const { server, client: http, stop } = await running({ dialect: 'nomad' });
  onTestFinished(stop);
  for (const id of ['a', 'b']) await create(http, id);
  const { ExternalID } = (await http.get('/v1/volume/csi/a')).json();
  const { clock, common } = manual();
  const reader = client([server.url]);
  const told: string[] = [];
  const watch = new SchedulerWatch({
    single: false,
    ...common,
    client: { page: reader.page.bind(reader), disks: reader.disks }, // without events, which tell of volumes too
    connection: connectionTo([server.url]),
    changed: ({ id = '' }) => told.push(id),
    complete: () => {},
    trouble: (message) => told.push(message),
  });
  watch.start();
  onTestFinished(() => watch.stop());
  await until('both are listed', () => told.length === 2);
  expect(reader.disks.ask('hostpath', ExternalID, 'was bad')).toBe('was bad');
  for (const [isAbnormal, status] of [
    [false, ''],
    [true, 'bad blocks'],
    [true, 'worse'],
    [false, ''],
  ] as const) {
    told.length = 0;
    await http.post('/setup/disks', { pluginID: 'hostpath', externalID: ExternalID, isAbnormal, status });
    await until('it is told of', () => {
      clock.advance(15_000);
      return told.length > 0;
    });
    expect(told).toEqual(['a']);
    expect(reader.disks.ask('hostpath', ExternalID, undefined)).toBe(isAbnormal ? status : undefined);
  }
});
