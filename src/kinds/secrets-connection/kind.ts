// SecretsConnection: its outputs, and how its health is probed.
import { secretsDialect } from '../../api/dialects.ts';
import type { Effect, Reader } from '../../api/routes.ts';
import type { Health, TokenLookup } from '../../api/secrets/wire.ts';
import type { Auth, Connection } from '../../core/connection.ts';
import { ApiError } from '../../core/errors.ts';
import type { ObserveContext } from '../../core/kind/kind.ts';
import type { Rights, Users } from '../../core/kind/permission.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import type { Resolved } from '../../core/resource.ts';
import { connectionKind, problemOf } from '../../schema/connection/kind.ts';
import { backendOf, commonOf, commonOutputs, secretAt } from '../../schema/connection/connection.ts';
import { parser } from '../../schema/parse.ts';
import { referencesIn } from '../../schema/references.ts';
import { rightsOf, shownOf, unusableOf, type Live } from './health.ts';
import { declaration, type Spec } from './schema.ts';

const serviceAccountFile = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** `undefined` while its Secret is unresolved: a connection is not opened with an unresolved reference. */
function authOf({ auth }: Spec, resolved: Resolved): Auth | undefined {
  const { kubernetes, appRole, jwt } = auth ?? {};
  if (kubernetes) {
    const { mount = 'kubernetes', role, tokenFile = serviceAccountFile, serviceAccountRef } = kubernetes;
    if (serviceAccountRef)
      return { is: 'serviceAccount', mount, role, account: { audiences: [], ...serviceAccountRef } };
    return { is: 'kubernetes', mount, role, tokenFile };
  }
  if (appRole) {
    const secretID = secretAt(resolved, '/auth/appRole/secretIDSecretRef');
    const { mount = 'approle', roleID } = appRole;
    return secretID && { is: 'appRole', mount, roleID, secretID };
  }
  if (jwt) {
    const held = secretAt(resolved, '/auth/jwt/jwtSecretRef');
    return held && { is: 'jwt', mount: jwt.mount ?? 'jwt', role: jwt.role, jwt: held };
  }
  const token = secretAt(resolved, '/auth/tokenSecretRef');
  return token && { is: 'token', token };
}

function connect(spec: Spec, resolved: Resolved): Connection {
  const auth = authOf(spec, resolved);
  const { namespace = '' } = spec;
  return {
    ...commonOf(spec, resolved),
    service: 'secrets',
    ...backendOf(spec, namespace),
    namespace,
    ...(auth && { auth }),
  };
}

/** Two small reads: whether the service can be used, and whether the token is valid. Seldom a third: its rights. */
async function probe(
  read: Reader,
  { spec, users }: Pick<ObserveContext<Spec, null, Reader>, 'spec' | 'users'>,
  signal: AbortSignal,
): Promise<Live> {
  let health: Health | undefined;
  try {
    health = await read.read('sys.health', {}, signal);
    const { documentAlone } = secretsDialect(spec.dialect).capabilities;
    if (!health && !documentAlone)
      throw new ApiError('unreadable', 'InvalidResponse', 'sys.health: the answer has no state');
    const problem = health && unusableOf(health);
    if (health && problem) return { health, problem };
    const token = await lookup(read, signal);
    const rights = await rightsFor(read, users, signal);
    return { ...(health && { health }), ...(token && { token }), ...(rights && { rights }) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return health
      ? { health, problem: problemOf(error) }
      : { problem: problemOf(error, 'a secrets service') };
  }
}

/** `undefined`: no object uses the connection, so nothing is requested. */
const rightsFor = (
  read: Reader,
  users: Users | undefined,
  signal: AbortSignal,
): Promise<Rights> | undefined =>
  users === undefined || users.count === 0 ? undefined : read.rights?.(users, signal);

/** A token without the default policy may not look itself up, but it is valid. A service may have no lookup. */
async function lookup(read: Reader, signal: AbortSignal): Promise<TokenLookup | undefined> {
  try {
    return await read.read('token.lookup', {}, signal);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'PermissionDenied') return undefined;
    throw error;
  }
}

export const secretsConnection = defineKind<Spec, Live, null, Effect, Reader>({
  ...connectionKind,
  name: declaration.kind,
  owns: 'secrets/connection',
  parse: parser(declaration),
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  async observe(read, context, signal) {
    const { requests, status } = context;
    if (requests['reconcile'] !== status.handledRequests['reconcile']) read.retryLogin?.();
    return { state: 'present', live: await probe(read, context, signal) };
  },
  report: ({ observed, spec }) => ({
    observed: { dialect: spec.dialect, ...(observed.state === 'present' && shownOf(observed.live)) },
    conditions: observed.state === 'present' ? rightsOf(observed.live, spec.namespace ?? '') : [],
  }),
  outputs: (spec) => ({
    ...commonOutputs(spec),
    dialect: spec.dialect,
    documentAlone: String(secretsDialect(spec.dialect).capabilities.documentAlone),
  }),
  serviceID: ({ observed }) => {
    const cluster = observed?.['cluster'];
    return typeof cluster === 'string' && cluster !== '' ? cluster : undefined;
  },
  connect,
});
