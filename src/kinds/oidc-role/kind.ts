// OIDCRole: how it is located, observed and reported.
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import { mustBeOfType } from '../../core/kind/mount-type.ts';
import type { Resolved } from '../../core/resource.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { shownOf } from '../../schema/rows.ts';
import type { ObserveContext } from '../../core/kind/kind.ts';
import type { Json } from '../../core/secret.ts';
import { have, target, type Live } from './body.ts';
import { discovery } from './discovery.ts';
import {
  accepted,
  authorized,
  begun,
  clientKnown,
  clientSecretOf,
  doubtIn,
  freshMsOf,
  intervalMs,
  isOpen,
  issuerAt,
  kept,
  loginOf,
  nameOf,
  obstacle,
  redirectOf,
  secretField,
  secretLacking,
  unlessFault,
  type Verdict,
} from './login-check.ts';
import { plan } from './plan.ts';
import { atRisk } from './rules.ts';
import { declaration, type Spec } from './schema.ts';
import { isWhole } from './shape.ts';

/** Outputs of the config, over those of its connection. */
function configOf(resolved: Resolved): Readonly<Record<string, string>> {
  const config = resolved.get('/configRef');
  return config?.state === 'ready' ? config.outputs : {};
}

type Context = ObserveContext<Spec, never, Reader>;

/** Begins a login as a person would, and checks whether the identity provider accepts it. Nobody is logged in. */
async function checkLogin(
  read: Reader,
  context: Context,
  live: Live,
  signal: AbortSignal,
): Promise<{ readonly related?: Json }> {
  const { issuers } = read;
  const { spec, resolved, status, requests } = context;
  const { loginCheck } = spec;
  if (!issuers || !loginCheck || context.deleting) return {};
  const config = configOf(resolved);
  const isAsked = requests['reconcile'] !== status.handledRequests['reconcile'];
  const freshMs = isAsked ? 0 : freshMsOf(loginCheck, status);
  const trial: Trial = {
    context,
    config,
    redirect: redirectOf(loginCheck, spec),
    freshMs: isAsked ? 0 : intervalMs(loginCheck),
  };
  const find = async () => ({ ...(await tried(read, issuers, trial, signal)) });
  return { related: kept(await issuers.checks.get(nameOf(context, live, config), freshMs, find)) };
}

interface Trial {
  readonly context: Context;
  readonly config: Readonly<Record<string, string>>;
  readonly redirect: string;
  /** Maximum age of the issuer's discovery document. */
  readonly freshMs: number;
}

/** The first verdict that ends the check, or else a doubt that remains, or success. */
async function tried(
  read: Reader,
  issuers: NonNullable<Reader['issuers']>,
  trial: Trial,
  signal: AbortSignal,
): Promise<Verdict> {
  const { context, config, redirect, freshMs } = trial;
  const issuer = issuerAt(config['discoveryURL'] ?? '', config);
  const hidden = obstacle(issuer.url, config);
  if (hidden) return hidden;
  const document = unlessFault((await issuers.discover(issuer, freshMs, signal)).value);
  if ('status' in document) return document;
  const address = await begins(read, trial, signal);
  if (typeof address !== 'string') return address;
  const page = issuerAt(address, config);
  const stopped = obstacle(page.url, config) ?? authorized(await issuers.authorize(page, signal), redirect);
  if (stopped) return stopped;
  const secret = clientSecretOf(context.resolved);
  const endpoint = issuerAt(document.endpoints.token_endpoint, config);
  const client = secret && { id: config['clientID'] ?? '', secret };
  const unknown =
    client &&
    (obstacle(endpoint.url, config) ??
      isOpen(endpoint.url, issuer.url) ??
      clientKnown(await issuers.token(endpoint, client, signal)));
  return unknown ?? secretLacking(context.resolved) ?? doubtIn(document, context.spec) ?? accepted;
}

async function begins(
  read: Reader,
  { context, redirect }: Trial,
  signal: AbortSignal,
): Promise<string | Verdict> {
  try {
    const params = { ...target(context), redirect_uri: redirect };
    return begun((await read.read('oidc.login.begin', params, signal))?.auth_url, redirect);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const status = error.class === 'refused' ? 'False' : 'Unknown';
    return { status, reason: 'LoginNotBegun', message: error.message };
  }
}

/** Another method may be mounted since the configuration was read. */
const mustBeOIDC = (read: Reader, mount: string, signal: AbortSignal): Promise<void> =>
  mustBeOfType(
    { op: 'oidc.mount.read', at: `auth/${mount}`, types: ['oidc', 'jwt'], what: 'OIDC or JWT method' },
    read.read('oidc.mount.read', { mount }, signal),
  );

type Op = keyof Operations;

export const oidcRole = defineKind<Spec, Live, never, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/oidc-role',
  connectionField: '/configRef',
  parse: parser(declaration),
  parseOwn: () => undefined,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  unneeded: () => [secretField],
  policy: policyOf,
  // An undeclared role lets people log in, and it holds nothing that could be lost.
  defaults: { ...managing, deletion: 'Delete' },
  externalName: (spec, key) => spec.externalName ?? key.name,
  locate: (spec, key, connection, resolved) => ({
    backend: connection.backend,
    mount: configOf(resolved)['mount'] ?? '',
    role: spec.externalName ?? key.name,
  }),
  async observe(read, context, signal) {
    const live = await read.read('oidc.role.read', target(context), signal);
    if (live && isWhole(live))
      return { state: 'present', live, ...(await checkLogin(read, context, live, signal)) };
    // What is not there leaves, whatever is mounted.
    if (live || !context.deleting) await mustBeOIDC(read, target(context).mount, signal);
    if (!live) return { state: 'absent' };
    throw new ApiError('unreadable', 'InvalidResponse', 'oidc.role.read: the answer is no role');
  },
  plan,
  record: () => undefined,
  report(s) {
    const seen = s.observed.state === 'present' ? { ...target(s), ...shownOf(have(s.observed.live)) } : {};
    if (s.deleting) return { observed: seen, conditions: [] };
    const { conditions, shown } = loginOf(s);
    return {
      observed: { ...seen, ...shown },
      conditions: [atRisk(s.spec, configOf(s.resolved)), ...conditions],
    };
  },
  interference: ({ mount = '', role = '' }) => ({ method: 'DELETE', path: `auth/${mount}/role/${role}` }),
  uses: (_, { management, deletion }) =>
    usesOf<Op>(
      ['oidc.role.read'],
      ['oidc.role.write', ...(deletion === 'Delete' ? (['oidc.role.delete'] as const) : [])],
      management === 'Full',
    ),
  discovery: [discovery],
  outputs: (_, status) => ({ role: status.externalRef?.['role'] ?? '' }),
});
