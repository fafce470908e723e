// Where the real Kubernetes programs are: etcd, kube-apiserver, kube-controller-manager and kubectl.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { report } from '../report.ts';

const script = fileURLToPath(new URL('../assets/build.sh', import.meta.url));

/** Whether Go can be run here. */
export const hasGo: boolean = (process.env['PATH'] ?? '')
  .split(':')
  .some((folder) => existsSync(join(folder, 'go')));

/**
 * `KUBEBUILDER_ASSETS`, or what the script built before, or builds now: the first time that takes a quarter of an hour.
 * @returns `undefined` where there are none and no Go: `describe.skipIf(assets === undefined)`
 */
function found(): string | undefined {
  const { KUBEBUILDER_ASSETS: given } = process.env;
  if (given !== undefined && given !== '') return given;
  try {
    return execFileSync(script, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', hasGo ? 'inherit' : 'ignore'],
    }).trim();
  } catch (error) {
    if (hasGo) throw error;
    report('no Kubernetes: KUBEBUILDER_ASSETS is not set, and there is no Go to build one');
    return undefined;
  }
}

export const assets: string | undefined = found();
