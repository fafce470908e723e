// OIDCConfig: the verbs of its lifecycle. PURE.
import type { SecretsEffect } from '../../api/routes.ts';
import type { OIDCConfigBody } from '../../api/secrets/wire.ts';
import type { Effectful, Impossible, Lifecycle } from '../../core/planning/lifecycle.ts';
import { isMadeHere } from '../../core/planning/made-here.ts';
import { managed } from '../../core/planning/planner.ts';
import { hasUnansweredCreate, type FieldChange } from '../../core/status/status.ts';
import { have, lossOf, want, wholeBody, type ConfigSituation, type Live, type Path } from './body.ts';
import { fields, type Spec } from './schema.ts';

type S = ConfigSituation;

const mountOf = ({ ref }: S): string => ref['mount'] ?? '';

const writing = (s: S, summary: string, body: OIDCConfigBody): Effectful<SecretsEffect> => ({
  summary,
  effect: { port: 'secrets', op: 'oidc.config.write', params: { mount: mountOf(s) }, body },
});

const making = (s: S, summary: string): Effectful<SecretsEffect> =>
  writing(s, summary, wholeBody(s, undefined, new Set()));

function update(s: S, live: Live, changes: readonly FieldChange[]): Effectful<SecretsEffect> | Impossible {
  const paths = changes.map((c) => c.path);
  const touched = new Set(paths);
  const loss = lossOf(want(s.spec, s.resolved), live, touched);
  if (loss) return loss;
  const secret = s.spec.clientSecretSecretRef === undefined ? '' : ', with its client secret';
  const summary = `update ${mountOf(s)}: ${paths.join(', ')}; all of it is sent${secret}`;
  return writing(s, summary, wholeBody(s, live, touched));
}

const isOf = (live: Live, issuer: unknown, client: unknown = ''): boolean =>
  live.oidc_discovery_url === issuer && (live.oidc_client_id ?? client) === client;

const lifecycle: Lifecycle<Spec, Live, never, Path, SecretsEffect> = {
  fields,
  want,
  have,
  identity: (live) => live.oidc_discovery_url,
  isOurs: (s, live) =>
    isMadeHere(s, { '/discoveryURL': s.spec.discoveryURL, '/clientID': s.spec.clientID }, (issuer, client) =>
      isOf(live, issuer, client),
    ),
  // A changed issuer or client is drift. After a create without a response, it may as well be somebody else's.
  keeps: ({ held, status }) => held && !hasUnansweredCreate(status),
  inUse: () => undefined,
  create: (s) => making(s, `configure ${mountOf(s)}`),
  revive: (s) => making(s, `configure ${mountOf(s)} again`),
  update,
  // deletionPolicy is always Retain.
  remove: () => 'the service deletes no configuration',
  unwatched: true,
};

export const plan = managed(lifecycle);
