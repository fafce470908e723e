// Commands over WebSockets, as the client runs them on the embedded scheduler in both dialects, and what of them goes out.
import { afterEach, describe, expect, test } from 'vitest';
import type { EffectInfo } from '../../src/core/effect.ts';
import { Secret } from '../../src/core/secret.ts';
import { systemClock } from '../../src/embedded/clock.ts';
import type { SchedulerOptions } from '../../src/embedded/scheduler/server.ts';
import { running, type Running } from '../embedded/scheduler/running.ts';
import { proves } from '../coverage/proves.ts';
import { canary, echo, execClient, exited, failed, saying, sockets, token } from './exec-service.ts';
import { deadUrl, never } from './servers.ts';

describe.each(['cluster', 'nomad'] as const)('on the embedded scheduler, %s', (dialect) => {
  let here: Running;
  afterEach(() => here.stop());
  const start = async (more: Partial<SchedulerOptions> = {}) => {
    here = await running({ dialect, token: `${canary}-token`, ...more, clock: systemClock });
    return execClient([here.server.url], { dialect, token });
  };

  test('a command runs to its end, its input closed behind it', async () => {
    const client = await start();
    const script = 'cat; echo err >&2; exit 3';
    const stdin = 'all of it\n'.repeat(20_000);
    const command = ['sh', '-c', script];
    const result = await client.execute({ ...echo, command, stdin }, never);
    expect(result).toEqual({ exitCode: 3, stdout: stdin, stderr: 'err\n', truncated: false });
    expect(here.server.counters().effects).toBe(1);
  });

  test('no exit code is exit code 0, and output beyond what is kept is said to be cut', async () => {
    const client = await start();
    const command = ['sh', '-c', 'cat; echo 123456 >&2'];
    const execution = { ...echo, command, stdin: 'x'.repeat(5_000), stdoutMax: 1_500, stderrMax: 100 };
    expect(await client.execute(execution, never)).toEqual({
      exitCode: 0,
      stdout: 'x'.repeat(1_500),
      stderr: '123456\n',
      truncated: true,
    });
  });

  test('a session is written to, resized and read bit by bit', async () => {
    const client = await start();
    const command = ['sh', '-c', 'cat; stty size'];
    const tty = { height: 24, width: 80 };
    const lines: string[] = [];
    const exitCode = await client.session({ ...echo, command, tty }, never, async (session) => {
      await session.write(Buffer.from('one\n'));
      for await (const { stream, data: bytes } of session.output) {
        lines.push(`${stream} ${Buffer.from(bytes).toString()}`);
        if (lines.length !== 2) continue;
        await session.resize({ height: 50, width: 132 });
        await session.write(Buffer.from('\u0004'));
      }
      return session.exitCode;
    });
    expect(exitCode).toBe(0);
    expect(lines).toEqual(['stdout one\r\n', 'stdout one\r\n', 'stdout 50 132\r\n']);
  });

  test('a terminal is not hung up by the end of the input', async () => {
    const client = await start();
    const tty = { height: 1, width: 2 };
    const script = 'cat; stty size; exit 5';
    const typed = await client.execute({ ...echo, command: ['sh', '-c', script], tty, stdin: 'a\n' }, never);
    expect(typed).toMatchObject({ exitCode: 5, stdout: 'a\r\na\r\n1 2\r\n' });
    const silent = await client.execute({ ...echo, command: ['sh', '-c', 'sleep 0; exit 6'], tty }, never);
    expect(silent).toMatchObject({ exitCode: 6, stdout: '' });
  });

  test('boxed arguments and input reach the command, and nothing else', async () => {
    const client = await start();
    const command = ['sh', '-c', Secret.of('a/b', '1', `echo ${canary}; cat`)];
    const stdin = Secret.of('a/c', '1', 'in');
    expect((await client.execute({ ...echo, command, stdin }, never)).stdout).toBe(`${canary}\nin`);
    const headers = { 'x-cluster-token': `${canary}-token`, 'x-nomad-token': `${canary}-token` };
    const seen = await here.client.get('/setup/requests', { headers });
    expect(seen.json()).toMatchObject([
      { path: `/v1/client/allocation/${echo.allocation}/exec`, status: 101 },
    ]);
    expect(seen.text).not.toContain(canary);
  });

  test.each([
    [{ task: 'nobody' }, 'refused', 'TaskNotFound'],
    [{ allocation: '00000000-0000-4000-8000-000000000000' }, 'waiting', 'AllocationNotFound'],
    [{ command: ['no-such-program'] }, 'refused', 'CommandNotFound'],
    [{ command: [] }, 'refused', 'Rejected'],
  ] as const)('%o is refused, and has not run', async (more, kind, reason) => {
    const client = await start();
    const error = await failed(client.execute({ ...echo, ...more }, never));
    expect(error).toMatchObject({ class: kind, reason, mayHaveHadEffect: false });
    expect(here.server.counters().effects).toBe(0);
  });

  test('a command that is not found is not quoted; where its name leaves a reason no room, nothing is known', async () => {
    const client = await start();
    const name = Secret.of('a/b', '1', `${canary}${'x'.repeat(100)}`);
    const error = await failed(client.execute({ ...echo, command: [name] }, never));
    expect(error).toMatchObject(
      dialect === 'nomad'
        ? { class: 'unavailable', mayHaveHadEffect: true }
        : { class: 'refused', reason: 'CommandNotFound', mayHaveHadEffect: false },
    );
  });

  test('a token that may not is refused', async () => {
    await start();
    const other = execClient([here.server.url], { dialect, token: Secret.of('a/t', '1', canary) });
    const error = await failed(other.execute(echo, never));
    expect(error).toMatchObject({ class: 'refused', reason: 'PermissionDenied', mayHaveHadEffect: false });
  });

  test.each(['drop-before', 'drop-after'] as const)(
    'a connection cut by %s may have run it',
    async (fault) => {
      const client = await start({ onRequest: () => fault });
      const error = await failed(client.execute(echo, never));
      expect(error).toMatchObject({ class: 'unavailable', mayHaveHadEffect: fault === 'drop-after' });
      expect(here.server.counters().effects).toBe(fault === 'drop-after' ? 1 : 0);
    },
  );

  test('whoever asked may stop asking', async () => {
    const client = await start();
    const abort = new AbortController();
    const slow = client.session({ ...echo, command: ['cat'] }, abort.signal, async (session) => {
      await session.write(Buffer.from('x'));
      for await (const one of session.output) abort.abort(new Error(`enough: ${one.stream}`));
    });
    const error = await failed(slow);
    expect(error).toMatchObject({ class: 'unavailable', mayHaveHadEffect: true });
  });
});

describe('what goes out', () => {
  test('the token is in the first frame and in no header, the command in the query', async () => {
    proves('with `ws_handshake` the first frame has the token; there is one version');
    const first = Promise.withResolvers<string>();
    const { url, requests } = await sockets((socket) =>
      socket.once('message', (frame: Buffer) => {
        first.resolve(frame.toString());
        socket.send(exited({ exit_code: 0 }));
      }),
    );
    const client = execClient([url], { token, region: 'eu' });
    await client.execute({ ...echo, namespace: 'shop', tty: { height: 1, width: 2 } }, never);
    expect(await first.promise).toBe(JSON.stringify({ version: 1, auth_token: `${canary}-token` }));
    const [{ url: path = '', headers } = { headers: {} }] = requests;
    expect(JSON.stringify([path, headers])).not.toContain(canary);
    const { pathname, searchParams } = new URL(path, url);
    expect(pathname).toBe(`/v1/client/allocation/${echo.allocation}/exec`);
    expect(Object.fromEntries(searchParams)).toEqual({
      command: '["echo","a"]',
      task: 'server',
      tty: 'true',
      namespace: 'shop',
      region: 'eu',
      ws_handshake: 'true',
    });
  });

  test('the gate sees one effect, that is at most once, and may keep it from leaving', async () => {
    const { url, requests } = await saying(exited());
    const seen: EffectInfo[] = [];
    const client = execClient([url], {}, { onEffect: (info) => seen.push(info) });
    await client.execute({ ...echo, key: 'AllocationAction/shop/a' }, never);
    const key = 'AllocationAction/shop/a';
    expect(seen).toEqual([{ port: 'scheduler', op: 'allocation.exec', mutates: 'at-most-once', key }]);
    let asked = 0;
    const fence = () => {
      asked += 1;
      if (asked === 2) throw new Error('no longer the leader'); // right before it leaves
    };
    const error = await failed(execClient([url], {}, { fence }).execute(echo, never));
    expect(error).toMatchObject({ mayHaveHadEffect: false });
    expect(requests).toHaveLength(1);
  });

  test('another address is tried while nothing can have run, and never after', async () => {
    const good = await saying(exited());
    const client = execClient([await deadUrl(), good.url]);
    expect((await client.execute(echo, never)).exitCode).toBe(0);
    const bad = await sockets((socket) => socket.terminate());
    await failed(execClient([bad.url, good.url]).execute(echo, never));
    expect(good.requests).toHaveLength(1);
  });

  test('an ID that cannot stand in a path is never sent', async () => {
    const { url, requests } = await saying(exited());
    const error = await failed(execClient([url]).execute({ ...echo, allocation: '../jobs' }, never));
    expect(error).toMatchObject({ class: 'refused', mayHaveHadEffect: false });
    expect(requests).toEqual([]);
  });
});
