// A command in this process: ten times as fast as in a process of its own.
import { PassThrough } from 'node:stream';
import type { ExitCode } from '../../src/cli/exit.ts';
import type { Process } from '../../src/cli/process.ts';
import { Terminal } from '../../src/cli/output/terminal.ts';
import type { Ended } from './cli.ts';

export async function inside(
  act: (terminal: Terminal, process: Process) => Promise<ExitCode>,
  env: Process['env'] = {},
): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts): NodeJS.WriteStream => {
    const through = new PassThrough({ encoding: 'utf8' });
    through.on('data', (text: string) => (texts[name] += text));
    // oxlint-disable-next-line no-unsafe-type-assertion -- no terminal: all that is asked of it is a stream's
    return through as unknown as NodeJS.WriteStream;
  };
  const terminal = new Terminal(stream('stdout'), stream('stderr'));
  const asking = new AbortController().signal;
  const code = await act(terminal, { env, asking, asked: new Promise(() => {}) });
  return { code, ...texts };
}
