// scheduler-api.md: "Exec Allocation".
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const client = codeIn('api/scheduler/exec.ts');
const frames = codeIn('api/scheduler/exec-frames.ts');
const session = codeIn('embedded/scheduler/exec/session.ts');
const input = codeIn('embedded/scheduler/exec/frames.ts');
const cases = testsIn('contract/exec-cases.ts');
const ours = testsIn('coverage/exec.test.ts');
const api = testsIn('api/exec.test.ts');

const output = 'output comes in frames, each stream is closed, the exit comes last, and the socket is closed';
const terminal = 'with a terminal all output is one stream, and the terminal has the size that it was given';
const refused = '$query is refused with $text: $why';
const inFrame = 'the token may travel in the first frame instead of the header';
const closes = 'input goes in until it is closed, and comes out in chunks';
const streams = 'an exit code that is not 0 is told in both dialects, and the streams are kept apart';
const needs = 'a command in a task of $driver needs $needs';
const beats = 'in $dialect a heartbeat is answered: $answered';

export const exec: Section = {
  title: 'Exec Allocation',
  items: [
    said('WebSocket on `/v1/client/allocation/<alloc_id>/exec`', {
      client: client('ExecClient'),
      embedded: session('execUpgrade'),
      test: cases(output),
    }),
    said('`alloc_id`: the full UUID', {
      client: client('Exec'),
      embedded: session('taskFor'),
      test: cases('of an allocation that is not there it is 1008'),
    }),
    said('needs `namespace:alloc-exec`', {
      client: client('ExecClient'),
      embedded: session('taskFor'),
      test: ours(needs, "driver: 'exec'"),
    }),
    said('needs `namespace:alloc-node-exec` as well where the driver is `raw_exec`', {
      client: client('ExecClient'),
      embedded: session('taskFor'),
      test: ours(needs, "driver: 'raw_exec'"),
    }),
    {
      ...said('`command`, required: JSON list of the program and its arguments', {
        client: client('command'),
        embedded: session('commandIn'),
        test: cases(refused, 'command is not present'),
      }),
      reads: 'command',
    },
    {
      ...said('`task`, required', {
        client: client('task'),
        embedded: session('taskFor'),
        test: cases(refused, 'must provide task name'),
      }),
      reads: 'task',
    },
    {
      ...said('`tty`: default false', {
        client: client('tty'),
        embedded: session('asked'),
        test: cases(terminal),
      }),
      reads: 'tty',
    },
    {
      ...said('`ws_handshake`: default false; true: the first frame has the token', {
        client: codeIn('api/scheduler/exec.ts')('ExecClient', 'always, where there is a token'),
        embedded: session('tokenOf'),
        test: cases(inFrame),
      }),
      reads: 'ws_handshake',
    },
    said('frame `{version: 1, auth_token}`', {
      client: client('#greet'),
      embedded: input('handshakeToken'),
      test: cases(inFrame),
    }),
    said('frame `{version}`: there is one version', {
      client: client('#greet'),
      embedded: input('handshakeVersion'),
      test: cases('1008 says "$text": $why', 'unexpected handshake value: 2'),
    }),
    said('frame `{stdin: {data}}` in base64', {
      client: frames('stdinFrames'),
      embedded: input('stdinIn'),
      test: cases('all bytes go through, control sequences too'),
    }),
    said('frame `{stdin: {close: true}}`', {
      client: frames('stdinClosed'),
      embedded: input('stdinIn'),
      test: cases(closes),
    }),
    said('frame `{tty_size: {height, width}}`', {
      client: frames('resized'),
      embedded: input('sizeIn'),
      test: cases(terminal),
    }),
    said('frame `{}`: a heartbeat of the client', {
      client: frames('heartbeat'),
      embedded: input('inputIn'),
      test: testsIn('api/exec-replies.test.ts')(
        'signs of life are sent, and a service that answers none is taken for gone',
      ),
    }),
    said('reply `{stdout: {data}}` in base64', {
      client: frames('outputIn'),
      embedded: session('Session'),
      test: cases(output),
    }),
    said('reply `{stdout: {close: true}}`', {
      client: frames('outputIn'),
      embedded: session('Session'),
      test: cases(output),
    }),
    said('reply `{stderr: {data}}` in base64', {
      client: frames('outputIn'),
      embedded: session('Session'),
      test: cases(streams),
    }),
    said('reply `{stderr: {close: true}}`', {
      client: frames('outputIn'),
      embedded: session('Session'),
      test: cases(output),
    }),
    said('reply `{exited: true, result: {exit_code}}`', {
      client: frames('receivedIn'),
      embedded: session('Session'),
      test: cases(streams),
    }),
    said('reply `{}`: a heartbeat of the service', {
      client: frames('receivedIn'),
      embedded: codeIn('embedded/scheduler/behaviour.ts')('answersHeartbeats'),
      test: ours(beats, "dialect: 'cluster', answered: true"),
    }),
    said('frames carry all of a terminal’s input and output', {
      client: frames('stdinFrames'),
      embedded: session('Session'),
      test: cases('all bytes go through, control sequences too'),
    }),
    said('the token in the first frame stands for the header’s', {
      client: client('#greet'),
      embedded: session('tokenOf'),
      test: api('the token is in the first frame and in no header, the command in the query'),
    }),
  ],
};
