// Services may say whatever comes over a wire while a command runs, or nothing. A command that may have run is never taken
// for one that has not, and the other way round; no error holds a token, or output.
import { describe, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import type { Execution } from '../../src/api/scheduler/exec.ts';
import { proves } from '../coverage/proves.ts';
import { canary, data, echo, execClient, exited, failed, saying, sockets, token } from './exec-service.ts';
import { never, serve, serveBytes } from './servers.ts';

const execute = (url: string, more: Partial<Execution> = {}) =>
  execClient([url], { token }).execute({ ...echo, ...more }, never);

test('a command that reached one server is not begun at another, whatever the first one says of it', async () => {
  const first = await sockets((socket) => socket.close(1011, 'No path to node'));
  const second = await saying(exited());
  const exec = execClient([first.url, second.url], { token }).execute(echo, never);
  expect(await failed(exec)).toMatchObject({ reason: 'NodeUnreachable' });
});

describe('what comes in', () => {
  test.each([
    ['an exit without a result', [exited()], 0],
    ['an empty result', [exited({})], 0],
    ['an exit code', [exited({ exit_code: 9 })], 9],
    ['a negative one', [exited({ exit_code: -1 })], -1],
    ['heartbeats and what is not known', ['{}', '{"later":1}', '{"stdout":null}', exited()], 0],
    ['frames after the exit', [exited({ exit_code: 2 }), 'garbage', exited({ exit_code: 3 })], 2],
    ['frames in bytes', [Buffer.from(data('stdout', 'a')), Buffer.from(exited())], 0],
  ])('%s is understood', async (_, frames, exitCode) => {
    expect(await execute((await saying(...frames)).url)).toMatchObject({ exitCode, stderr: '' });
  });

  test('a frame may come in pieces', async () => {
    const { url } = await sockets((socket) => {
      const frame = data('stdout', 'in pieces');
      socket.send(frame.slice(0, 7), { fin: false });
      socket.send(frame.slice(7, 9), { fin: false });
      socket.send(frame.slice(9), { fin: true });
      socket.send(exited());
    });
    expect((await execute(url)).stdout).toBe('in pieces');
  });

  test.each([
    ['no JSON', [canary]],
    ['a list', [`["${canary}"]`]],
    ['null', ['null']],
    ['bytes', [Buffer.from([0, 255, 1])]],
    ['output that is no text', [`{"stdout":{"data":{"${canary}":1}}}`]],
    ['output that is no base64', [`{"stderr":{"data":"${canary}!"}}`]],
    ['an exit code that is none', [exited({ exit_code: canary })]],
    ['half an exit code', [exited({ exit_code: 0.5 })]],
    ['a frame larger than any', [data('stdout', canary.repeat(60_000))]],
    ['text that is none', [data('stdout', canary), Buffer.from([0x81, 1, 0xff])]],
  ])('%s is unreadable', async (what, frames) => {
    const { url } = await sockets((socket, _, raw) => {
      for (const frame of frames) {
        if (what === 'text that is none' && typeof frame !== 'string') raw.write(frame);
        else socket.send(frame);
      }
    });
    expect(await failed(execute(url))).toMatchObject({ class: 'unreadable', mayHaveHadEffect: true });
  });

  test.each([
    ['it is cut', (socket: WebSocket) => socket.terminate()],
    ['it is closed', (socket: WebSocket) => socket.close()],
    ['it is closed with 1000', (socket: WebSocket) => socket.close(1000, canary)],
    ['the code is another one', (socket: WebSocket) => socket.close(4321, canary)],
    ['the reason is missing', (socket: WebSocket) => socket.close(1011)],
    [
      'output came before',
      (socket: WebSocket) => {
        socket.send(data('stdout', canary));
        socket.close(1008, `unknown task name "${canary}"`);
      },
    ],
  ])('without an exit, a command may have run: %s', async (_, end) => {
    const error = await failed(execute((await sockets(end)).url));
    expect(error).toMatchObject({ class: 'unavailable', reason: 'Unavailable', mayHaveHadEffect: true });
  });

  test.each([
    [1008, 'Unknown allocation "x"', 'waiting', 'AllocationNotFound', false],
    [1011, 'rpc error: Permission denied', 'refused', 'PermissionDenied', false],
    [1008, 'task "a" not started yet.', 'waiting', 'TaskNotRunning', false],
    [1008, 'exec not possible, client status of allocation x is lost', 'waiting', 'AllocationEnded', false],
    [1011, 'task not found', 'refused', 'TaskNotFound', false],
    [1008, 'something else', 'refused', 'Rejected', false],
    [1011, 'something else', 'unavailable', 'ServerError', true],
  ] as const)('closed with %i and %s', async (code, text, kind, reason, mayHaveHadEffect) => {
    const { url } = await sockets((socket) => socket.close(code, `${text} ${canary}-token`.slice(0, 123)));
    const plain = await sockets((socket) => socket.close(code, text));
    expect(await failed(execute(plain.url))).toMatchObject({ class: kind, reason, mayHaveHadEffect });
    expect((await failed(execute(url))).message).toContain('(secret ns/token)');
  });

  test.each([
    [403, 'Permission denied', 'refused', 'PermissionDenied'],
    [500, `failed to marshal command into json: ${canary}-token`, 'unavailable', 'ServerError'],
    [429, 'slow down', 'throttled', 'Throttled'],
    [302, '', 'refused', 'Redirected'],
    [200, 'fine', 'refused', 'Rejected'],
  ] as const)(
    'answered by HTTP %i there was no socket, and nothing has run',
    async (status, text, kind, reason) => {
      const other = await saying(exited());
      const { url } = await serve((_, response) =>
        response.writeHead(status, { location: `${other.url}/v1/x` }).end(text),
      );
      const error = await failed(execute(url));
      expect(error).toMatchObject({ class: kind, reason, mayHaveHadEffect: false });
      expect(other.requests).toEqual([]);
    },
  );

  test('what is no HTTP at all is not quoted', async () => {
    const { url } = await serveBytes((socket) => socket.end(`${canary} is what I say\r\n\r\n`));
    expect(await failed(execute(url))).toMatchObject({ class: 'unavailable' });
  });
});

describe('what does not come', () => {
  test('a connection that stays open behind a close frame is not waited for', async () => {
    const reason = 'unexpected handshake value: 2';
    const { url } = await sockets((socket, _, raw) => {
      socket.pause();
      raw.write(
        Buffer.concat([Buffer.from([0x88, 2 + reason.length, 1008 >> 8, 1008 & 255]), Buffer.from(reason)]),
      );
    });
    const error = await failed(execute(url, { deadlineMs: 10_000 }));
    expect(error).toMatchObject({ class: 'refused', reason: 'Rejected', mayHaveHadEffect: false });
  });

  test('a command that never ends is given up at its deadline', async () => {
    const { url } = await sockets((socket) => socket.send('{}'));
    const error = await failed(execClient([url]).execute({ ...echo, deadlineMs: 50 }, never));
    expect(error).toMatchObject({ class: 'timeout', mayHaveHadEffect: true });
  });

  test('a service that never opens the socket has not seen the token: nothing has run', async () => {
    const { url } = await serveBytes(() => {});
    const execution = { ...echo, deadlineMs: 50 };
    const error = await failed(execClient([url], { token }).execute(execution, never));
    expect(error).toMatchObject({ class: 'unavailable', mayHaveHadEffect: false });
    const open = await failed(execClient([url]).execute(execution, never));
    expect(open).toMatchObject({ class: 'timeout', mayHaveHadEffect: true });
  });

  test('signs of life are sent, and a service that answers none is taken for gone', async () => {
    proves('`{}` is a heartbeat of either side');
    const beats: string[] = [];
    const { url } = await sockets((socket, _, raw) => {
      socket.on('message', (frame: Buffer) => {
        beats.push(frame.toString());
        if (beats.length === 3) raw.pause();
      });
    });
    const pace = { heartbeatMs: 10, silentBeatsMax: 6 };
    const client = execClient([url], {}, {}, pace);
    const error = await failed(client.execute({ ...echo, stdin: '' }, never));
    expect(error).toMatchObject({ class: 'timeout', mayHaveHadEffect: true });
    expect(beats.slice(0, 3)).toEqual(['{"stdin":{"close":true}}', '{}', '{}']);
  });

  test('a service that answers pings lives, however long a command is silent', async () => {
    const { url } = await sockets((socket) => {
      let beats = 0;
      socket.on('message', () => {
        beats += 1;
        if (beats === 20) socket.send(exited());
      });
    });
    const client = execClient([url], {}, {}, { heartbeatMs: 10, silentBeatsMax: 6 });
    expect((await client.execute(echo, never)).exitCode).toBe(0);
  });

  test('output is taken no faster than it is read', async () => {
    const frame = data('stdout', 'x'.repeat(100_000));
    const frames = 400;
    let left = 0;
    const { url } = await sockets((socket) => {
      for (let n = 0; n < frames; n++) socket.send(frame, (error) => (left += error ? 0 : 1));
    });
    const other = await saying(exited());
    await execClient([url]).session(echo, never, async (session) => {
      for await (const { data: first } of session.output) {
        expect(first).toHaveLength(100_000);
        break;
      }
      for (let n = 0; n < 200; n++) await execClient([other.url]).execute(echo, never);
      expect(left).toBeLessThan(frames);
    });
  });
});
