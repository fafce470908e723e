// Finds the API server and our credentials there, from the pod's service account or a kubeconfig. client-node reads the
// kubeconfig, with its exec and OIDC logins; its requests are not used, because each opens a TLS connection.
import { readFileSync, statSync } from 'node:fs';
import type { KubeConfig } from '@kubernetes/client-node';
import { UsageError, messageOf } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { Secret } from '../../core/secret.ts';
import type { ClusterConfig } from '../../api/kubernetes/options.ts';
import type { SocketIdentity } from '../../api/http/connect.ts';
import { readKubeconfig } from './kubeconfig.ts';
import { logIn, type LoginParts } from './login.ts';

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

const bearer = (token: string): Secret => boxed('token', `Bearer ${token}`);

/** Reads a file again when it changes: the kubelet renews the token, and the certificates of the authority. */
function renewed<T>(file: string, of: (text: string) => T): () => T {
  let known: { readonly writtenMs: number; readonly held: T } | undefined;
  return () => {
    const writtenMs = statSync(file).mtimeMs;
    if (known?.writtenMs !== writtenMs) known = { writtenMs, held: of(textOf(file)) };
    return known.held;
  };
}

const textOf = (file: string): string => readFileSync(file, 'utf8').trim();

function podConfig(mount: string, host: string, port: string): ClusterConfig {
  const tls = renewed(`${mount}/ca.crt`, (text) => ({ ca: boxed('ca', text) }));
  const authorization = renewed(`${mount}/token`, bearer);
  tls(); // without it, nothing can begin
  return {
    server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
    tls,
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

/** @param context absent: the current one @throws UsageError where one is missing, or the cluster can't be reached so */
function partsOf(config: KubeConfig, context: string | undefined) {
  if (context !== undefined) config.setCurrentContext(context);
  const chosen = config.getContextObject(config.getCurrentContext());
  const cluster = config.getCurrentCluster();
  if (chosen && !cluster) {
    throw new UsageError(
      `no cluster: the kubeconfig has no cluster ${chosen.cluster}, which its context ${chosen.name} names`,
    );
  }
  if (!chosen || !cluster) {
    throw new UsageError(
      `no cluster: expected ${context === undefined ? 'a current context' : `context ${context}`} in the kubeconfig, or a pod's service account`,
    );
  }
  const user = config.getCurrentUser();
  if (!user) {
    throw new UsageError(
      chosen.user
        ? `no user: the kubeconfig has no user ${chosen.user}, which its context ${chosen.name} names`
        : `no user: the context ${chosen.name} of the kubeconfig names none`,
    );
  }
  if (cluster.skipTLSVerify) {
    throw new UsageError(
      `cluster ${cluster.name}: insecure-skip-tls-verify is not supported; give certificate-authority`,
    );
  }
  if (cluster.proxyUrl) throw new UsageError(`cluster ${cluster.name}: proxy-url is not supported`);
  return { chosen, cluster, user };
}

const socketsOf = ({ ca, cert, key, servername }: LoginParts): SocketIdentity => ({
  ...(ca !== undefined && { ca: boxed('ca', ca.toString()) }),
  ...(cert !== undefined && { certificate: boxed('certificate', cert.toString()) }),
  ...(key !== undefined && { key: boxed('key', key.toString()) }),
  ...(servername !== undefined && { serverName: servername }),
});

/** Differs where a certificate, or its key, is another one. */
const filesOf = ({ ca, cert, key }: LoginParts): string => [ca, cert, key].join('\n');

/** @param listed KUBECONFIG, which counts where no file is given */
async function fromKubeconfig(
  file: string | undefined,
  context: string | undefined,
  listed: string | undefined,
): Promise<ClusterConfig> {
  const { config, tokenFiles, anew } = await readKubeconfig(file, listed).catch((error: unknown) => {
    const path = file ?? (listed || '~/.kube/config');
    const at = placeIn(error);
    if (at !== undefined) throw new UsageError(`kubeconfig ${path}: ${at}: invalid YAML`);
    throw new UsageError(`kubeconfig ${path}: ${messageOf(error)}`, { cause: error });
  });
  const { chosen, cluster, user } = partsOf(config, context);
  const server = serverOf(cluster);
  const tokenFile = tokenFiles.get(user.name);
  const token = tokenFile === undefined ? undefined : renewed(tokenFile, bearer);
  let login = config;
  const parts = async () => ({ ...(await logIn(login)), token: token?.() });
  let shown: LoginParts = await parts().catch((error: unknown) => {
    throw new UsageError(`kubeconfig, user ${user.name}: ${messageOf(error)}`);
  });
  let tls = socketsOf(shown);
  const { username, password } = user;
  const basic = username && {
    authorization: boxed('password', `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`),
  };
  return {
    server,
    tls: () => tls,
    namespace: chosen.namespace ?? 'default',
    async headers(isAnew = false) {
      if (isAnew) login = anew();
      const { headers = {}, token: authorization, ...now } = await parts();
      if (filesOf(now) !== filesOf(shown)) tls = socketsOf(now);
      shown = now;
      const all = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), boxed(name, value)]);
      return { ...basic, ...Object.fromEntries(all), ...(authorization && { authorization }) };
    },
  };
}
