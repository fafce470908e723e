// One pass of the program, or one command, composed anew in this process: ten times as fast as a process of its own, for
// runs that nobody kills.
import { join } from 'node:path';
import { apply } from '../../../src/cli/commands/apply.ts';
import { runKubernetesOnce } from '../../../src/cli/commands/run-kubernetes.ts';
import { request } from '../../../src/runtime/place/requests.ts';
import type { Ended } from '../../support/cli.ts';
import { inside } from '../../support/inside.ts';

export const applyInside = (cwd: string, timeout: number, fault: string): Promise<Ended> =>
  inside(
    (terminal, process) =>
      apply(
        join(cwd, 'tree'),
        { stateDir: join(cwd, '.holdfast'), output: 'text', timeout },
        terminal,
        process,
      ),
    { HOLDFAST_FAULT: fault },
  );

/** The same of a cluster. */
export const runInside = (
  { kubeconfig, stateDir }: { readonly kubeconfig: string; readonly stateDir: string },
  timeout: number,
  fault: string,
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
  return inside((terminal, process) => runKubernetesOnce(options, terminal, process), {
    HOLDFAST_FAULT: fault,
  });
};

export async function approveInside(cwd: string, digest: string): Promise<Ended> {
  const asked = request(join(cwd, '.holdfast'), { do: 'approve', digest });
  return await asked.then(
    (stdout) => ({ code: 0, stdout, stderr: '' }),
    (error: unknown) => ({ code: 1, stdout: '', stderr: String(error) }),
  );
}
