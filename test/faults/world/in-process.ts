// One pass of the program, or one command, composed anew in this process: ten times as fast as a process of its own, for
// runs that nobody kills.
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { apply } from '../../../src/cli/commands/run.ts';
import { runKubernetesOnce } from '../../../src/cli/commands/run-kubernetes.ts';
import type { ExitCode } from '../../../src/cli/exit.ts';
import type { Process } from '../../../src/cli/process.ts';
import { Terminal } from '../../../src/cli/output/terminal.ts';
import { request } from '../../../src/runtime/requests.ts';
import type { Ended } from '../../support/cli.ts';

export const applyInside = (cwd: string, timeout: number): Promise<Ended> =>
  inside((terminal, process) =>
    apply(
      join(cwd, 'tree'),
      { stateDir: join(cwd, '.holdfast'), output: 'text', timeout },
      terminal,
      process,
    ),
  );

/** The same of a cluster. */
export const runInside = (
  { kubeconfig, stateDir }: { readonly kubeconfig: string; readonly stateDir: string },
  timeout: number,
): Promise<Ended> => {
  const lease = { lease: false, leaseName: 'none' };
  const options = {
    ...lease,
    kubeconfig,
    stateDir,
    namespace: [],
    listen: 'off',
    output: 'text',
    timeout,
  } as const;
  return inside((terminal, process) => runKubernetesOnce(options, terminal, process));
};

async function inside(act: (terminal: Terminal, process: Process) => Promise<ExitCode>): Promise<Ended> {
  const texts = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof texts): NodeJS.WriteStream => {
    const through = new PassThrough({ encoding: 'utf8' });
    through.on('data', (text: string) => (texts[name] += text));
    // oxlint-disable-next-line no-unsafe-type-assertion -- no terminal: all that is asked of it is a stream's
    return through as unknown as NodeJS.WriteStream;
  };
  const terminal = new Terminal(stream('stdout'), stream('stderr'));
  const asking = new AbortController().signal;
  const code = await act(terminal, { env: {}, asking, asked: new Promise(() => {}) });
  return { code, ...texts };
}

export async function approveInside(cwd: string, digest: string): Promise<Ended> {
  const asked = request(join(cwd, '.holdfast'), { do: 'approve', digest });
  return await asked.then(
    (stdout) => ({ code: 0, stdout, stderr: '' }),
    (error: unknown) => ({ code: 1, stdout: '', stderr: String(error) }),
  );
}
