// Where the real Kubernetes programs are: etcd, kube-apiserver, kube-controller-manager and kubectl.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { hasGo } from '../go.ts';
import { report } from '../report.ts';

const script = fileURLToPath(new URL('../assets/build.sh', import.meta.url));

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
