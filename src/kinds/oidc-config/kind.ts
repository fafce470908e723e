// OIDCConfig: how it is located, observed and reported.
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import { mustBeOfType } from '../../core/kind/mount-type.ts';
import type { ObserveContext } from '../../core/kind/kind.ts';
import type { Observed } from '../../core/planning/situation.ts';
import type { ExternalRef } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { canonical } from '../../core/hash.ts';
import { publicFields } from '../../core/planning/diff.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { shownOf } from '../../schema/rows.ts';
import { have, want, type Live } from './body.ts';
import { discovery } from './discovery.ts';
import { discoveryOf, freshMsOf, judged, questionOf } from './issuer.ts';
import { plan } from './plan.ts';
import { atRisk } from './rules.ts';
import { declaration, type Spec } from './schema.ts';
import { isWhole } from './shape.ts';

const mustBeOIDC = (read: Reader, mount: string, signal: AbortSignal): Promise<void> =>
  mustBeOfType(
    { op: 'oidc.mount.read', at: `auth/${mount}`, types: ['oidc', 'jwt'], what: 'OIDC or JWT method' },
    read.read('oidc.mount.read', { mount }, signal),
  );

type Context = ObserveContext<Spec, never, Reader>;

/** Requests the discovery document from here. Only a login shows what the service itself gets from its issuer. */
async function askIssuer(
  { issuers }: Reader,
  { spec, resolved, status, deleting, requests }: Context,
  signal: AbortSignal,
): Promise<{ readonly related?: Json }> {
  const question = deleting ? undefined : questionOf(spec, resolved);
  if (!issuers || !question) return {};
  const isAsked = requests['reconcile'] !== status.handledRequests['reconcile'];
  return { related: judged(await issuers.discover(question, isAsked ? 0 : freshMsOf(status), signal), spec) };
}

/**
 * The service reads the account's file with each read of the configuration, and answers none without it
 * (services.md#oidc-configuration). Only a write mends that: what is there is then as last written, as far as anybody knows.
 * @throws ApiError if nothing is to be written, or if that would lose a client that nobody declares
 */
function unread(error: unknown, { spec, resolved, status }: Context): 'unread' {
  const isBroken = error instanceof ApiError && error.reason === 'Rejected' && (error.status ?? 0) >= 500;
  const isEdited = canonical(publicFields(want(spec, resolved))) !== canonical(status.applied);
  const keepsClient = spec.clientID !== undefined || !status.observed?.['clientID'];
  if (isBroken && isEdited && keepsClient && status.externalRef !== undefined) return 'unread';
  throw error;
}

const seenIn = (observed: Observed<Live>, ref: ExternalRef) =>
  observed.state === 'present' ? { mount: ref['mount'] ?? '', ...shownOf(have(observed.live)) } : {};

type Op = keyof Operations;

export const oidcConfig = defineKind<Spec, Live, never, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/oidc-config',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn: () => undefined,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  // People go on logging in by what the service has, so what is taken from a role must be taken from it at once.
  servesUnready: true,
  // The service can't delete a configuration.
  policy: (spec) => ({ ...policyOf(spec), deletion: 'Retain' }),
  defaults: managing,
  externalName: (spec) => spec.mount,
  locate: (spec, _, connection) => ({ backend: connection.backend, mount: spec.mount }),
  async observe(read, context, signal) {
    const mount = context.ref['mount'] ?? '';
    const live = await read
      .read('oidc.config.read', { mount }, signal)
      .catch((error: unknown) => unread(error, context));
    if (live === 'unread') return { state: 'unknown', ...(await askIssuer(read, context, signal)) };
    if (live && isWhole(live)) return { state: 'present', live, ...(await askIssuer(read, context, signal)) };
    await mustBeOIDC(read, mount, signal);
    if (!live) return { state: 'absent', ...(await askIssuer(read, context, signal)) };
    throw new ApiError('unreadable', 'InvalidResponse', 'oidc.config.read: the answer is no configuration');
  },
  plan,
  record: () => undefined,
  report(s) {
    const { observed, ref, spec } = s;
    if (s.deleting) return { observed: seenIn(observed, ref), conditions: [] };
    const { conditions, shown, unready } = discoveryOf(s);
    return {
      observed: { ...seenIn(observed, ref), ...shown },
      conditions: [atRisk(spec), ...conditions],
      ...(unready && { unready }),
    };
  },
  uses: (_, policy) => usesOf<Op>(['oidc.config.read'], ['oidc.config.write'], policy.management === 'Full'),
  discovery: [discovery],
  /** For the rules that check its roles. */
  outputs: (spec) => ({
    mount: spec.mount,
    identityProvider: spec.identityProvider ?? '',
    discoveryURL: spec.discoveryURL,
    discoveryCA: spec.discoveryCA ?? '',
    clientID: spec.clientID ?? '',
    provider: spec.providerConfig?.provider ?? '',
    fetchGroups: String(spec.providerConfig?.fetchGroups ?? false),
    /** Schemas whose fields are read, separated by commas. */
    schemas:
      spec.providerConfig?.fetchUserInfo === true
        ? (spec.providerConfig.userCustomSchemas ?? []).join(',')
        : '',
  }),
});
