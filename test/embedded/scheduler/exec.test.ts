// What the embedded scheduler does with commands beyond what a client of any scheduler can see: its shell, its clock and
// its bounds.
import { once } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { schedulerDialects } from '../../../src/api/dialects.ts';
import type { SchedulerOptions } from '../../../src/embedded/scheduler/server.ts';
import { until } from '../../contract/client.ts';
import { stdin, stdinClose, talk, type Talk } from '../../contract/exec.ts';
import { running, type Running } from './running.ts';

const id = '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01'; // of the default seed
const exitOf = (result: object | undefined) => ({ exit_code: 0, ...result }).exit_code;

describe('commands', () => {
  let here: Running;
  afterEach(() => here.stop());

  const start = async (options: Partial<SchedulerOptions> = {}) => {
    here = await running(options);
  };
  const service = () => ({
    url: here.server.url,
    dialect: schedulerDialects.nomad,
    target: { token: undefined },
  });
  const run = (command: readonly string[], more: Partial<Talk> = {}) =>
    talk(service(), { id, sends: [stdinClose], ...more, query: { task: 'server', command, ...more.query } });
  const address = (command: readonly string[]): string => {
    const query = new URLSearchParams({ task: 'server', command: JSON.stringify(command) });
    return `${here.server.url.replace('http', 'ws')}/v1/client/allocation/${id}/exec?${query.toString()}`;
  };

  /** More is sent than sockets hold, until nothing leaves any more. */
  const flooded = async (socket: WebSocket): Promise<void> => {
    const frame = JSON.stringify(stdin('x'.repeat(500_000)));
    for (let n = 0; n < 40; n++) socket.send(frame, () => {});
    await until('it is held up', async () => {
      const before = socket.bufferedAmount;
      for (let n = 0; n < 20; n++) await here.client.get('/v1/status/leader');
      return before > 0 && socket.bufferedAmount === before;
    });
  };

  test.each([
    ['', '', '', 0],
    ['echo a;echo b', 'a\nb\n', '', 0],
    ['echo a;', 'a\n', '', 0],
    ['\n echo a\n\necho b \n', 'a\nb\n', '', 0],
    ['true && false', '', '', 1],
    ['false && echo a || echo b', 'b\n', '', 0],
    ['true || echo a && echo b', 'b\n', '', 0],
    ['false; echo a', 'a\n', '', 0],
    ['exit 300; echo a', '', '', 44],
    ['false; exit', '', '', 1],
    ['exit x', '', '', 2],
    [`echo 'a  b'"c;d"e\\ f`, 'a  bc;de f\n', '', 0],
    [`echo "a\\"b\\c" ''`, 'a"b\\c \n', '', 0],
    ['echo -n a', 'a', '', 0],
    ['echo a >&2 && echo b', 'b\n', 'a\n', 0],
    ['echo a 1>&2', '', 'a\n', 0],
    ['sh -c "echo a; exit 4" || echo b', 'a\nb\n', '', 0],
    ['/usr/bin/env; /bin/true', '', '', 0],
    ['nothing', '', 'sh: nothing: not found\n', 127],
    ['cat /etc/passwd', '', 'cat: /etc/passwd: No such file or directory\n', 1],
    ['sleep x', '', "sleep: invalid time interval 'x'\n", 1],
    ['sh script', '', 'sh: it takes -c and a script only\n', 2],
    ['stty raw', '', 'stty: it tells the size only\n', 1],
    ['env A=1 b', '', 'env: it takes no arguments here\n', 125],
    ['&& echo a', '', 'sh: syntax error: && unexpected\n', 2],
    ['echo a ;; echo b', '', 'sh: syntax error: ; unexpected\n', 2],
    ['echo a ||', '', 'sh: syntax error: || at the end\n', 2],
  ])('sh -c %j', async (script, stdout, stderr, code) => {
    await start();
    const ended = await run(['sh', '-c', script]);
    expect([ended.stdout, ended.stderr, exitOf(ended.frames.at(-1)?.result)]).toEqual([stdout, stderr, code]);
  });

  test.each([
    'A=1 env',
    'echo \\\na',
    'echo $A',
    'echo a | cat',
    'echo a > f',
    'cat < f',
    'echo `a`',
    '(echo)',
    'echo *',
    'a &',
    'echo "$A"',
    "echo 'a",
  ])('what another shell would understand is refused, not taken for something else: %s', async (script) => {
    await start();
    const { stdout, stderr, frames } = await run(['sh', '-c', script]);
    expect([stdout, exitOf(frames.at(-1)?.result)]).toEqual(['', 2]);
    expect(stderr).toMatch(/^sh: not supported here: /);
  });

  test('sleep passes with the clock', async () => {
    await start();
    const ended = run(['sh', '-c', 'sleep 90; echo awake']);
    await until('it sleeps', () => here.clock.waiting > 0);
    here.clock.advance(89_999);
    expect(here.clock.waiting).toBe(1);
    here.clock.advance(1);
    expect((await ended).stdout).toBe('awake\n');
  });

  test('a command ends with its client', async () => {
    await start();
    const socket = new WebSocket(address(['sleep', '90']));
    await once(socket, 'open');
    await until('it sleeps', () => here.clock.waiting > 0);
    socket.terminate();
    await until('it has ended', () => here.clock.waiting === 0);
    expect(here.server.counters().effects).toBe(1);
  });

  test('a first frame is waited for, but not for ever', async () => {
    await start();
    const ended = run(['echo'], { sends: [], query: { ws_handshake: 'true' } });
    await until('it waits', () => here.clock.waiting > 0);
    here.clock.advance(10_000);
    expect(await ended).toMatchObject({ code: 1008, reason: 'no handshake in time' });
  });

  test('a reader that takes nothing holds up the command, and is let go after a minute', async () => {
    await start();
    const socket = new WebSocket(address(['cat']), { maxPayload: 0 });
    await once(socket, 'open');
    socket.pause();
    await flooded(socket);
    here.clock.advance(60_000);
    socket.resume();
    await once(socket, 'close');
    expect(here.clock.waiting).toBe(0);
  });

  test('input that nobody reads holds up who sends it, and who leaves is not waited for', async () => {
    await start();
    const socket = new WebSocket(address(['sleep', '999999999']));
    await once(socket, 'open');
    await until('it sleeps', () => here.clock.waiting === 1);
    await flooded(socket);
    socket.terminate();
    await until('it has ended', () => {
      here.clock.advance(10_000);
      return here.clock.waiting === 0;
    });
    expect(here.server.counters().effects).toBe(1);
  });

  test('so many sessions at once and no more', async () => {
    await start();
    const sockets = Array.from({ length: 64 }, () => new WebSocket(address(['sleep', '90'])));
    await Promise.all(sockets.map((socket) => once(socket, 'open')));
    await until('all sleep', () => here.clock.waiting === 64);
    const refused = new WebSocket(address(['echo']));
    const [error] = await once(refused, 'error');
    expect(String(error)).toContain('429');
    for (const socket of sockets) socket.terminate();
    await until('there is room again', () => here.clock.waiting === 0);
    expect((await run(['echo', 'in'])).stdout).toBe('in\n');
  });

  test('a frame larger than any is refused', async () => {
    await start();
    const ended = await run(['cat'], { sends: [stdin('x'.repeat(1_000_000)), stdinClose] });
    expect(ended.code).toBe(1009);
  });

  test('when the service stops no session keeps it', async () => {
    await start();
    const socket = new WebSocket(address(['sleep', '90']));
    const closed = once(socket, 'close');
    await once(socket, 'open');
    await until('it sleeps', () => here.clock.waiting > 0);
    await here.server.stop();
    expect((await closed)[0]).toBe(1006);
    await start();
  });

  test.each(['/v1/nodes', '/nowhere', `/v1/allocation/${id}`])(
    'an upgrade of %s is answered as if it had not been asked for',
    async (path) => {
      await start();
      const { status } = await here.client.get(path);
      const socket = new WebSocket(`${here.server.url.replace('http', 'ws')}${path}`);
      const [error] = await once(socket, 'error');
      expect(String(error)).toContain(`Unexpected server response: ${status}`);
    },
  );

  test('a session is a request that is counted, and an effect once it runs', async () => {
    await start();
    await run(['echo']);
    await run(['nothing']); // cannot start
    const pattern = 'GET /v1/client/allocation/{id}/exec';
    expect(here.server.counters()).toMatchObject({ routes: { [pattern]: 2 }, effects: 1 });
  });

  test('replies are as late as they are told to be', async () => {
    await start({ latencyMs: 500 });
    const ended = run(['echo', 'late']);
    await until('it is put off', () => here.clock.waiting > 0);
    here.clock.advance(500);
    expect((await ended).stdout).toBe('late\n');
  });
});
