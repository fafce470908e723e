// How each program of Kubernetes is started, for tests only: no replicas, nothing synced to disk, the loopback.

const flags = (values: Readonly<Record<string, string | number | boolean>>): readonly string[] =>
  Object.entries(values).map(([name, value]) => `--${name}=${value}`);

export const etcdFlags = (client: string, peer: string): readonly string[] =>
  flags({
    'data-dir': 'etcd',
    'unsafe-no-fsync': true,
    'log-level': 'warn',
    'listen-client-urls': client,
    'advertise-client-urls': client,
    'listen-peer-urls': peer,
    'initial-advertise-peer-urls': peer,
    name: 'default',
    'initial-cluster': `default=${peer}`,
  });

export const serverFlags = (etcd: string, port: number): readonly string[] =>
  flags({
    'etcd-servers': etcd,
    'bind-address': '127.0.0.1',
    'advertise-address': '127.0.0.1', // the certificate is for it
    'secure-port': port,
    'endpoint-reconciler-type': 'none', // a loopback address may be no endpoint of the service `kubernetes`
    'cert-dir': 'certs',
    'service-cluster-ip-range': '10.0.0.0/24',
    'service-account-issuer': 'https://kubernetes.default.svc',
    'service-account-key-file': 'sa.key',
    'service-account-signing-key-file': 'sa.key',
    'authorization-mode': 'RBAC',
    'token-auth-file': 'tokens.csv',
    'audit-policy-file': 'audit.yaml',
    'audit-log-path': 'audit.log',
    profiling: false,
  });

/** Without the second, the roles view, edit and admin grant nothing. */
const controllers = [
  'namespace',
  'clusterrole-aggregation',
  'garbage-collector',
  'serviceaccount',
  'serviceaccount-token',
];

export const controllerFlags = (kubeconfig: string, port: number): readonly string[] =>
  flags({
    kubeconfig,
    'bind-address': '127.0.0.1',
    'secure-port': port,
    'cert-dir': 'certs',
    'leader-elect': false,
    controllers: controllers.map((name) => `${name}-controller`).join(','),
    'service-account-private-key-file': 'sa.key',
  });
