// Commands in tasks over WebSockets.
import { describe, expect, test } from 'vitest';
import { proves } from '../coverage/proves.ts';
import { Allocations, nobody } from './allocations.ts';
import type { Bench } from './bench.ts';
import { stdin, stdinClose, talk, type Ended, type Talk } from './exec.ts';

const closed = ({ code, reason }: Ended) => [code, reason];
/** How sockets end once a command has: with a word or without. */
const normally = [1000, 1001, 1005, 1006];

export function execCases(bench: Bench): void {
  const { target } = bench;
  const of = new Allocations(bench);
  const run = async (command: readonly string[], more: Partial<Talk> = {}): Promise<Ended> => {
    const { id, task } = await of.running();
    return talk(bench, { id, sends: [stdinClose], ...more, query: { task, command, ...more.query } });
  };
  const sh = (script: string, more: Partial<Talk> = {}) => run(['/bin/sh', '-c', script], more);
  const inTask = (id: string, command: readonly string[], more: Partial<Talk> = {}) =>
    talk(bench, { id, sends: [stdinClose], ...more, query: { task: 'server', command, ...more.query } });
  const zero = target.dialectName === 'nomad' ? {} : { exit_code: 0 };

  describe.skipIf(target.job === undefined)('commands in tasks', () => {
    test('output comes in frames, each stream is closed, the exit comes last, and the socket is closed', async () => {
      proves('a WebSocket on `/v1/client/allocation/<id>/exec` runs a command');
      proves('`{stdout}` and `{stderr}` are output in base64, and their ends');
      const { frames, stdout, stderr, code, reason } = await run(['echo', 'hello', 'there']);
      expect([stdout, stderr]).toEqual(['hello there\n', '']);
      expect(frames).toContainEqual({ stdout: { close: true } });
      expect(frames).toContainEqual({ stderr: { close: true } });
      expect(frames.at(-1)).toEqual({ exited: true, result: zero });
      expect(normally).toContain(code);
      expect(reason).toBe('');
    });

    test('an exit code that is not 0 is told in both dialects, and the streams are kept apart', async () => {
      proves('`{stdout}` and `{stderr}` are output in base64, and their ends');
      proves('`{exited, result: {exit_code}}` tells how it ended');
      const ended = await sh('echo out; echo err >&2; exit 7');
      expect([ended.stdout, ended.stderr]).toEqual(['out\n', 'err\n']);
      expect(ended.frames.at(-1)).toEqual({ exited: true, result: { exit_code: 7 } });
    });

    test('input goes in until it is closed, and comes out in chunks', async () => {
      proves('`{stdin: {data}}` in base64 is input, `{stdin: {close}}` its end');
      const text = 'some text that is sent. '.repeat(300);
      const sends = [stdin(text), {}, stdin('end'), stdinClose];
      const { stdout, frames } = await run(['cat'], { sends });
      expect(stdout).toBe(`${text}end`);
      const sizes = frames.map((one) => Buffer.from(one.stdout?.data ?? '', 'base64').length);
      expect(sizes.length).toBeGreaterThan(1);
      if (target.embedded) expect(Math.max(...sizes)).toBeLessThanOrEqual(1024); // drivers differ
    });

    test('all bytes go through, control sequences too', async () => {
      proves('`{stdin: {data}}` in base64 is input, `{stdin: {close}}` its end');
      const bytes = Buffer.from(Array.from({ length: 256 }, (_, at) => at));
      const { frames } = await run(['cat'], {
        sends: [{ stdin: { data: bytes.toString('base64') } }, stdinClose],
      });
      const out = frames.map((one) => Buffer.from(one.stdout?.data ?? '', 'base64'));
      expect(Buffer.concat(out)).toEqual(bytes);
    });

    test('with a terminal all output is one stream, and the terminal has the size that it was given', async () => {
      proves('`tty` makes a terminal; `{tty_size}` sets its size');
      const { stdout, stderr } = await sh('cat; stty size; echo err >&2', {
        query: { tty: 'true' },
        sends: [{ tty_size: { height: 24, width: 80 } }, stdin('\x04')],
      });
      expect([stdout, stderr]).toEqual(['24 80\r\nerr\r\n', '']);
    });

    test('closing the input of a terminal hangs it up, and ends what runs in it', async () => {
      const script = 'echo up; sleep 1; echo late; sleep 1';
      const { frames } = await sh(script, { query: { tty: 'true' }, sends: [stdinClose] });
      expect(frames.at(-1)).toEqual({ exited: true, result: { exit_code: 129 } });
    });

    test('shells join commands as they do', async () => {
      const script = `false && echo 1; true && echo '2  3'; false || echo "4"; echo 5 >&2`;
      const { stdout, stderr, frames } = await sh(script);
      expect([stdout, stderr]).toEqual(['2  3\n4\n', '5\n']);
      expect(frames.at(-1)).toEqual({ exited: true, result: zero });
    });

    test('the token may travel in the first frame instead of the header', async () => {
      proves('with `ws_handshake` the first frame has the token; there is one version');
      const handshake = { version: 1, auth_token: target.token ?? '' };
      const { stdout } = await run(['echo', 'in'], {
        token: '',
        query: { ws_handshake: 'true' },
        sends: [handshake, stdinClose],
      });
      expect(stdout).toBe('in\n');
    });

    test.each([
      { version: 2, flag: 'true', text: 'unexpected handshake value: 2', why: 'there is one version' },
      { version: 1, flag: 'maybe', text: 'ws_handshake value is not a boolean', why: 'it is a flag' },
    ])('1008 says "$text": $why', async ({ version, flag, text }) => {
      proves('with `ws_handshake` the first frame has the token; there is one version');
      const sends = [{ version, auth_token: target.token ?? '' }];
      const ended = await run(['echo'], { token: '', query: { ws_handshake: flag }, sends });
      expect(closed(ended)).toEqual([1008, expect.stringContaining(text)]);
    });

    const denied = /Permission denied$|failed to parse signed token/;
    test.skipIf(target.token === undefined).each([
      ['no token', '', {}, [], 1011],
      ['a wrong token', 'x', {}, [], 1008],
      [
        'a wrong token in the first frame',
        '',
        { ws_handshake: 'true' },
        [{ version: 1, auth_token: 'x' }],
        1008,
      ],
    ])('with %s the socket is opened, and closed', async (_, token, query, sends, code) => {
      const ended = await run(['echo'], { token, query, sends });
      expect(closed(ended)).toEqual([code, expect.stringMatching(denied)]);
      expect(ended.frames).toEqual([]);
    });

    test.each([
      { query: { task: '' }, text: /must provide task name/, why: 'a command runs in a task' },
      { query: { command: [] }, text: /command is not present/, why: 'there has to be one' },
      { query: { task: 'nobody' }, text: /unknown task name "nobody"|task not found/, why: 'there is none' },
    ])('$query is refused with $text: $why', async ({ query, text }) => {
      proves('`command`, a JSON list, and `task` are required');
      const ended = await run(['echo'], { query });
      expect(closed(ended)).toEqual([expect.toBeOneOf([1008, 1011]), expect.stringMatching(text)]);
    });

    test('of an allocation that is not there it is 1008', async () => {
      proves('exec takes the whole UUID');
      const ended = await run(['echo'], { id: nobody });
      expect(closed(ended)).toEqual([1008, expect.stringContaining(`Unknown allocation "${nobody}"`)]);
    });

    /** Older servers look at these before they upgrade. */
    test.each([
      { query: { command: 'echo' }, text: 'failed to marshal command into json' },
      { query: { command: '{"a":1}' }, text: 'failed to marshal command into json' },
      { query: { tty: 'maybe' }, text: 'tty value is not a boolean' },
    ])('$query is a failure of the server', async ({ query, text }) => {
      const { http, code, reason } = await run(['echo'], { query });
      const said = http ? [http.status, http.text] : [code, reason];
      if (target.embedded) expect(http !== undefined).toBe(target.dialectName === 'nomad');
      expect(said).toEqual([http ? 500 : 1011, expect.stringContaining(text)]);
    });

    test('who does not ask for a WebSocket is told so', async () => {
      const { id, task } = await of.running();
      const query = `task=${task}&command=${encodeURIComponent('["echo"]')}`;
      const answer = await bench.client.get(`/v1/client/allocation/${id}/exec?${query}`);
      expect(answer.text).toContain('websocket');
      const status = target.dialectName === 'nomad' ? 400 : 500; // Nomad 2 says 500, too
      expect(target.embedded ? [status] : [status, 500]).toContain(answer.status);
    });

    test('without a terminal a real session outlives its command until no input follows', async () => {
      const ended = run(['echo', 'a'], { sends: [] });
      const other = await run(['echo', 'b']);
      expect(other.stdout).toBe('b\n');
      const first = await Promise.race([ended, run(['sleep', '0.2'])]);
      expect(first.stdout).toBe(target.dialectName === 'nomad' ? '' : 'a\n');
    });

    test('what there is not cannot run', async () => {
      const ended = await run(['no-such-program']);
      const why = 'failed to start command: exec: "no-such-program": executable file not found in $PATH';
      expect(closed(ended)).toEqual([1011, expect.stringContaining(why)]);
    });

    test('a reason is cut to what a close frame has room for; real servers then say nothing', async () => {
      const ended = await run([`x${'ä'.repeat(100)}`]);
      expect(Buffer.byteLength(ended.reason)).toBeLessThanOrEqual(123);
      expect(closed(ended)).toEqual(
        target.dialectName === 'nomad' ? [1006, ''] : [1011, expect.stringMatching(/ä$/)],
      );
    });

    test('^C interrupts what runs in a terminal, ^D ends its input, and what is typed is shown', async () => {
      const tty = { tty: 'true' };
      const interrupted = await run(['sleep', '1000'], { query: tty, sends: [stdin('ab\u0003')] });
      expect(interrupted.stdout).toMatch(target.embedded ? /^ab\^C$/ : /^(ab)?\^C$/); // real ones drop what waits
      expect(interrupted.frames.at(-1)).toEqual({ exited: true, result: { exit_code: 130 } });
      const ended = await run(['cat'], { query: tty, sends: [stdin('a\r\u0004')] });
      expect(ended.stdout).toBe('a\r\na\r\n');
      expect(ended.frames).not.toContainEqual({ stderr: { close: true } });
    });
  });

  describe.runIf(target.embedded)('commands in tasks that were described', () => {
    test('a header and a first frame have to agree', async () => {
      const ended = await run(['echo'], {
        query: { ws_handshake: '1' },
        sends: [{ version: 1, auth_token: 'x' }],
      });
      expect(closed(ended)).toEqual([1008, 'handshake auth token mismatched auth header token']);
    });

    test('the environment is the one of the task', async () => {
      const tasks = [{ name: 'server', driver: 'raw_exec', env: { A: '1', B: 'b c' } }];
      expect((await inTask(await of.place({ tasks }), ['env'])).stdout).toBe('A=1\nB=b c\n');
    });

    test.each([
      { more: { clientStatus: 'pending' }, text: 'task "server" not started yet.' },
      {
        more: { clientStatus: 'failed' },
        text: /^exec not possible, client status of allocation .* is failed$/,
      },
      { more: { tasks: [{ name: 'server', ends: true }] }, text: 'task "server" is not running.' },
    ])('1008 says $text', async ({ more, text }) => {
      const ended = await inTask(await of.place(more), ['echo']);
      expect(closed(ended)).toEqual([1008, expect.stringMatching(text)]);
    });

    test.each([
      { frame: { stroke: 1 }, text: 'unexpected message type' },
      { frame: { stdin: 'x' }, text: 'unexpected message type' },
      { frame: { tty_size: { height: -1 } }, text: 'unexpected message type' },
      { frame: { stdin: { data: '!' } }, text: 'illegal base64 data' },
      { frame: 'no JSON', text: 'invalid JSON in a frame: expected an object' },
      { frame: [1], text: 'invalid JSON in a frame: expected an object' },
    ])('a frame $frame ends the session', async ({ frame, text }) => {
      const ended = await inTask(await of.place(), ['sleep', '1000'], { sends: [{}, frame] });
      expect(closed(ended)).toEqual([1011, text]);
    });
  });
}
