// A command in this process: ten times as fast as in a process of its own.
import { PassThrough } from 'node:stream';
import type { ExitCode } from '../../src/cli/exit.ts';
import type { Process } from '../../src/cli/process.ts';
import { Terminal } from '../../src/cli/output/terminal.ts';
import type { Ended } from './cli.ts';

/** A stream in the place of a standard one: no terminal, all that is asked of it is a stream's. */
export const standard = (stream: PassThrough): NodeJS.WriteStream =>
  // oxlint-disable-next-line no-unsafe-type-assertion -- the rest of it is for terminals
  stream as unknown as NodeJS.WriteStream;

export async function inside(
  act: (terminal: Terminal, process: Process) => Promise<ExitCode>,
  env: Process['env'] = {},
): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts): NodeJS.WriteStream => {
    const through = new PassThrough({ encoding: 'utf8' });
    through.on('data', (text: string) => (texts[name] += text));
    return standard(through);
  };
  const terminal = new Terminal(stream('stdout'), stream('stderr'));
  const asking = new AbortController().signal;
  const code = await act(terminal, { env, asking, asked: new Promise(() => {}) });
  return { code, ...texts };
}
