// Calls on several allocations as one step: what is said of each, and when nothing was done at all.
import type { ServerResponse } from 'node:http';
import { expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { AllocationCall } from '../../src/api/routes.ts';
import { performCalls } from '../../src/api/scheduler/allocation-calls.ts';
import { ExecClient } from '../../src/api/scheduler/exec.ts';
import { ApiError, type Outcome } from '../../src/core/errors.ts';
import { canary, data, execClient, exited, saying, sockets } from './exec-service.ts';
import { client as clientOf, connectionTo, everythingOf, gate, never, serve } from './servers.ts';

const nobody = new ExecClient(connectionTo([]), gate());
const restart = (id: string): AllocationCall => ({
  port: 'scheduler',
  op: 'allocation.restart',
  params: { id },
  body: {},
});
const exec = (id: string, deadlineMs = 10_000): AllocationCall => ({
  op: 'allocation.exec',
  params: { id, namespace: 'default' },
  task: 'server',
  command: ['true'],
  deadlineMs,
});

/** Answers by the allocation's ID. */
const answering = (outcomes: Readonly<Record<string, Outcome>>) =>
  performCalls(
    { calls: Object.keys(outcomes).map(restart) },
    {
      client: {
        perform: async (effect) =>
          ('id' in effect.params ? outcomes[effect.params.id] : undefined) ?? { is: 'done' },
      },
      exec: nobody,
    },
    'a test',
    never,
  );

const refused = new ApiError('waiting', 'AllocationEnded', 'it ended', { status: 500 });
const unknown = new ApiError('timeout', 'Timeout', 'no answer', { mayHaveHadEffect: true });
const unreached = new ApiError('unavailable', 'Unavailable', 'nobody is there');
const throttled = new ApiError('throttled', 'Throttled', 'too many', { status: 429 });

test('each is told of: done, refused, unknown, or not reached', async () => {
  expect(
    await answering({
      a: { is: 'done' },
      b: { is: 'rejected', error: refused },
      c: { is: 'unknown', error: unknown },
      d: { is: 'rejected', error: unreached },
      e: { is: 'rejected', error: throttled },
    }),
  ).toEqual({
    is: 'done',
    reply: {
      a: { is: 'done' },
      b: { is: 'refused', message: 'it ended' },
      c: { is: 'unknown', message: 'no answer' },
      d: { is: 'unreached', message: 'nobody is there' },
      e: { is: 'unreached', message: 'too many' },
    },
  });
});

test('where none reached the service, nothing was done, and the whole is tried again', async () => {
  const none: Outcome = { is: 'rejected', error: unreached };
  expect(await answering({ a: none, b: { is: 'rejected', error: throttled } })).toEqual(none);
});

const ended = new ApiError('waiting', 'TaskNotRunning', 'Task not running', { status: 500 });
const told: Outcome = { is: 'done' };
const over: Outcome = { is: 'rejected', error: ended };
const busy: Outcome = { is: 'rejected', error: throttled };

test.for([
  { why: 'all were told', outcomes: [told, told], answer: { is: 'done' } },
  { why: 'what had ended meanwhile is passed over', outcomes: [over, told], answer: { is: 'done' } },
  { why: 'as is what ended as the last', outcomes: [told, over], answer: { is: 'done' } },
  { why: 'none ran', outcomes: [over, over], answer: { is: 'refused', message: 'Task not running' } },
  {
    why: 'one was refused, and who was told may have to be told something else',
    outcomes: [told, over, { is: 'rejected', error: refused }],
    answer: { is: 'refused', message: 'it ended', partial: true },
  },
  {
    why: 'of one it is not known',
    outcomes: [told, { is: 'rejected', error: refused }, { is: 'unknown', error: unknown }],
    answer: { is: 'unknown', message: 'no answer' },
  },
  {
    why: 'one was not reached: who was told is not told again',
    outcomes: [told, busy],
    answer: { is: 'refused', message: 'too many', partial: true },
  },
  {
    why: 'none was reached, or ran',
    outcomes: [busy, over],
    answer: { is: 'unreached', message: 'too many' },
  },
] satisfies readonly { why: string; outcomes: readonly Outcome[]; answer: object }[])(
  'calls on tasks of one allocation have one answer: $why',
  async ({ outcomes, answer }) => {
    const left = [...outcomes];
    const outcome = await performCalls(
      { calls: outcomes.map(() => restart('a')) },
      { client: { perform: async () => left.shift() ?? told }, exec: nobody },
      'a test',
      never,
    );
    expect(outcome).toEqual({ is: 'done', reply: { a: answer } });
  },
);

const executing = (client: ExecClient, ...calls: readonly AllocationCall[]) =>
  performCalls(
    { calls },
    { client: { perform: () => Promise.reject(new Error('not asked')) }, exec: client },
    'a test',
    never,
  );

test('of a command the exit code and the size of its output are told, and nothing of what it said', async () => {
  const { url } = await saying(data('stdout', canary), data('stderr', 'ab'), exited({ exit_code: 3 }));
  const outcome = await executing(execClient([url]), exec('a'));
  const stdoutBytes = canary.length;
  expect(outcome).toEqual({
    is: 'done',
    reply: { a: { is: 'done', exitCode: 3, stdoutBytes, stderrBytes: 2 } },
  });
  expect(everythingOf(outcome)).not.toContain(canary);
});

test('a command that does not end in time is unknown, a service that is not there did nothing', async () => {
  const { url } = await saying(data('stdout', 'a'));
  expect(await executing(execClient([url]), exec('a', 50))).toMatchObject({
    is: 'done',
    reply: { a: { is: 'unknown' } },
  });
  expect(await executing(execClient(['http://127.0.0.1:1']), exec('a'))).toMatchObject({ is: 'rejected' });
});

test('eight commands at most have a socket at an address; the others wait their turn', async () => {
  const unanswered: WebSocket[] = [];
  const groups: number[] = [];
  const { url } = await sockets((socket) => {
    if (unanswered.push(socket) !== 8) return;
    // A ninth would have come by then.
    setTimeout(() => {
      groups.push(unanswered.length);
      for (const one of unanswered.splice(0)) one.send(exited({ exit_code: 0 }));
    }, 30);
  });
  const calls = Array.from({ length: 32 }, (_, n) => exec(`a${n}`));
  const outcome = await executing(execClient([url]), ...calls);
  expect(Object.keys(Object(outcome).reply)).toHaveLength(32);
  expect(groups).toEqual([8, 8, 8, 8]);
});

test('what is urgent waits behind no others: a thaw behind eight commands of an hour would come too late', async () => {
  const unanswered: WebSocket[] = [];
  const { url } = await sockets((socket) => {
    if (unanswered.push(socket) > 8) socket.send(exited({ exit_code: 0 }));
  });
  const client = execClient([url]);
  const others = executing(client, ...Array.from({ length: 8 }, (_, n) => exec(`a${n}`)));
  await expect.poll(() => unanswered.length).toBe(8);
  const clients = { client: { perform: () => Promise.reject(new Error('not asked')) }, exec: client };
  const urgent = await performCalls({ calls: [exec('b')], urgent: 'thaw' }, clients, 'a test', never);
  expect(urgent).toMatchObject({ is: 'done', reply: { b: { is: 'done' } } });
  for (const one of unanswered.slice(0, 8)) one.send(exited({ exit_code: 0 }));
  await others;
});

/** Four freezes have all the sockets that freezes have, and are not answered until `end`. */
async function freezing() {
  const asked: string[] = [];
  const unanswered: WebSocket[] = [];
  const { url } = await sockets((socket, { url: path = '' }) => {
    asked.push(/allocation\/(\w+)/.exec(path)?.[1] ?? '');
    if (asked.length > 4) socket.send(exited({ exit_code: 0 }));
    else unanswered.push(socket);
  });
  const client = execClient([url]);
  const clients = { client: { perform: () => Promise.reject(new Error('not asked')) }, exec: client };
  const urgently = (how: 'freeze' | 'thaw', id: string, withinMs?: number) =>
    performCalls(
      { calls: [exec(id)], urgent: how, ...(withinMs !== undefined && { withinMs }) },
      clients,
      'a test',
      never,
    );
  const four = Promise.all(['a1', 'a2', 'a3', 'a4'].map((id) => urgently('freeze', id)));
  await expect.poll(() => asked.length).toBe(4);
  const end = async () => {
    for (const one of unanswered) one.send(exited({ exit_code: 0 }));
    return await four;
  };
  return { asked, urgently, end };
}

test('a thaw waits behind no freeze: what was frozen stayed so until the freezes of others had ended', async () => {
  const { asked, urgently, end } = await freezing();
  expect(await urgently('thaw', 'b')).toMatchObject({ is: 'done', reply: { b: { is: 'done' } } });
  await end();
  expect(asked.at(-1)).toBe('b');
});

test('a freeze that waits until its time is over is not sent: what it froze, the thaw at the deadline had passed over', async () => {
  const { asked, urgently, end } = await freezing();
  expect(await urgently('freeze', 'b', 50)).toMatchObject({
    is: 'rejected',
    error: { class: 'unavailable', mayHaveHadEffect: false },
  });
  await end();
  expect(asked).not.toContain('b');
});

test('so it is with signals: a thaw waits behind none, and a freeze that had to wait too long is not sent', async () => {
  const unanswered: ServerResponse[] = [];
  const { url, seen } = await serve((_, response) => {
    if (unanswered.length === 4) response.writeHead(200).end('{}');
    else unanswered.push(response);
  });
  const clients = { client: clientOf([url]), exec: nobody };
  const urgently = (how: 'freeze' | 'thaw', id: string, withinMs?: number) =>
    performCalls(
      { calls: [restart(id)], urgent: how, ...(withinMs !== undefined && { withinMs }) },
      clients,
      'a test',
      never,
    );
  const four = Promise.all(['a1', 'a2', 'a3', 'a4'].map((id) => urgently('freeze', id)));
  await expect.poll(() => unanswered.length).toBe(4);
  expect(await urgently('thaw', 'b')).toMatchObject({ is: 'done', reply: { b: { is: 'done' } } });
  expect(await urgently('freeze', 'c', 50)).toMatchObject({
    is: 'rejected',
    error: { mayHaveHadEffect: false },
  });
  for (const one of unanswered) one.writeHead(200).end('{}');
  await four;
  expect(seen.map((one) => one.url).filter((path) => path.includes('/c/'))).toEqual([]);
});

const signal = (id: string): AllocationCall => ({
  port: 'scheduler',
  op: 'allocation.signal',
  params: { id },
  body: { Signal: 'SIGCONT' },
  deadlineMs: 200,
});

test('thaws that hang keep no other from being sent: all four sockets were theirs, until the time of the others was over, too', async () => {
  const hung = ['a1', 'a2', 'a3', 'a4'];
  const { url, seen } = await serve(({ url: path }, response) => {
    if (path.includes('/b')) response.writeHead(200).end('{}');
  });
  const clients = { client: clientOf([url]), exec: nobody };
  const calls = [...hung, 'b1', 'b2'].map(signal);
  const outcome = await performCalls({ calls, urgent: 'thaw' }, clients, 'a test', never);
  const { is, reply } = Object(outcome);
  expect(is).toBe('done');
  for (const id of hung) expect(reply[id]).toMatchObject({ is: 'unknown' });
  for (const id of ['b1', 'b2']) expect(reply[id]).toEqual({ is: 'done' });
  expect(seen).toHaveLength(6);
});
