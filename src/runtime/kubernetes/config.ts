// Finds the API server and our credentials there, from the pod's service account or a kubeconfig. client-node reads the
// kubeconfig, with its exec and OIDC logins; its requests are not used, because each opens a TLS connection.
import { readFileSync, statSync } from 'node:fs';
import { UsageError, messageOf } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import type { ClusterConfig } from '../../api/kubernetes/options.ts';

export interface ConfigOptions {
  /** Absent: KUBECONFIG, the pod's service account, or `~/.kube/config`, in this order. */
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder of the pod's service account. Absent: where Kubernetes puts it. */
  readonly mount?: string;
}

const usualMount = '/var/run/secrets/kubernetes.io/serviceaccount';
const boxed = (name: string, value: string): Secret => Secret.of(`kubeconfig/${name}`, '', value);

/** @throws UsageError */
export async function clusterConfig(options: ConfigOptions): Promise<ClusterConfig> {
  const { kubeconfig, context, env, mount = usualMount } = options;
  const host = env['KUBERNETES_SERVICE_HOST'];
  const isInPod = host !== undefined && statSync(`${mount}/token`, { throwIfNoEntry: false }) !== undefined;
  if (isInPod && kubeconfig === undefined && context === undefined && !env['KUBECONFIG']) {
    return podConfig(mount, host, env['KUBERNETES_SERVICE_PORT'] ?? '443');
  }
  return fromKubeconfig(kubeconfig, context, env['KUBECONFIG']);
}

/** Reads a file again when it changes: the kubelet renews the token, and the certificates of the authority. */
function renewed(file: string, boxedOf: (text: string) => Secret): () => Secret {
  let known: { readonly writtenMs: number; readonly box: Secret } | undefined;
  return () => {
    const writtenMs = statSync(file).mtimeMs;
    if (known?.writtenMs !== writtenMs) known = { writtenMs, box: boxedOf(textOf(file)) };
    return known.box;
  };
}

const textOf = (file: string): string => readFileSync(file, 'utf8').trim();

function podConfig(mount: string, host: string, port: string): ClusterConfig {
  const ca = renewed(`${mount}/ca.crt`, (text) => boxed('ca', text));
  const authorization = renewed(`${mount}/token`, (text) => boxed('token', `Bearer ${text}`));
  ca(); // without it, nothing can begin
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    ca,
    namespace: textOf(`${mount}/namespace`),
    headers: async () => ({ authorization: authorization() }),
  };
}

/**
 * Where the YAML of a kubeconfig can't be read. The message of the error quotes lines of it, and there are tokens among them.
 * @returns line and column; `undefined` for another error
 */
function placeIn(error: unknown): string | undefined {
  const mark = error instanceof Error && 'mark' in error ? error.mark : undefined;
  return isRecord(mark) ? `${Number(mark['line']) + 1}:${Number(mark['column']) + 1}` : undefined;
}

/** @throws UsageError */
function serverOf({ name, server }: { readonly name: string; readonly server: string }): string {
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (url?.protocol === 'https:') return url.origin + url.pathname;
  throw new UsageError(`cluster ${name}: expected a server such as https://host:6443`);
}

interface TlsParts {
  ca?: Buffer | string;
  cert?: Buffer | string;
  key?: Buffer | string;
  servername?: string;
  rejectUnauthorized?: boolean;
  headers?: Readonly<Record<string, string>>;
}

/** @param usual what is read where no file is given: the paths that KUBECONFIG names */
async function fromKubeconfig(
  file: string | undefined,
  context: string | undefined,
  usual = '~/.kube/config',
): Promise<ClusterConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node'); // slow to load
  const config = new KubeConfig();
  try {
    if (file === undefined) config.loadFromDefault();
    else config.loadFromFile(file);
  } catch (error) {
    const at = placeIn(error);
    if (at !== undefined) throw new UsageError(`kubeconfig ${file ?? usual}: ${at}: invalid YAML`);
    throw new UsageError(`kubeconfig ${file ?? usual}: ${messageOf(error)}`, { cause: error });
  }
  if (context !== undefined) config.setCurrentContext(context);
  const chosen = config.getContextObject(config.getCurrentContext());
  const cluster = config.getCurrentCluster();
  if (chosen && !cluster) {
    throw new UsageError(
      `no cluster: the kubeconfig has no cluster ${chosen.cluster}, which its context ${chosen.name} names`,
    );
  }
  // Without any file, client-node would connect to localhost:8080.
  if (!chosen || !cluster || config.getCurrentContext() === 'loaded-context') {
    throw new UsageError(
      `no cluster: expected ${context === undefined ? 'a current context' : `context ${context}`} in the kubeconfig, or a pod's service account`,
    );
  }
  if (cluster.skipTLSVerify) {
    throw new UsageError(
      `cluster ${cluster.name}: insecure-skip-tls-verify is not supported; give certificate-authority`,
    );
  }
  if (cluster.proxyUrl) throw new UsageError(`cluster ${cluster.name}: proxy-url is not supported`);
  const server = serverOf(cluster);
  const parts = async (): Promise<TlsParts> => {
    const held: TlsParts = {};
    await config.applyToHTTPSOptions(held);
    return held;
  };
  const { ca, cert, key, servername } = await parts().catch((error: unknown) => {
    throw new UsageError(`kubeconfig, user ${chosen.user}: ${messageOf(error)}`);
  });
  const { username, password } = config.getCurrentUser() ?? {};
  const basic = username && {
    authorization: boxed('password', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`),
  };
  return {
    server,
    ...(ca !== undefined && { ca: boxed('ca', ca.toString()) }),
    ...(cert !== undefined && { certificate: boxed('certificate', cert.toString()) }),
    ...(key !== undefined && { key: boxed('key', key.toString()) }),
    ...(servername !== undefined && { serverName: servername }),
    namespace: chosen.namespace ?? 'default',
    async headers() {
      const { headers = {} } = await parts();
      const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), boxed(name, value)]);
      return { ...basic, ...Object.fromEntries(all) };
    },
  };
}
