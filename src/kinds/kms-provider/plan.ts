// KMSProvider: the verbs of its lifecycle. PURE.
import type { SecretsEffect } from '../../api/routes.ts';
import type { Effectful, Lifecycle } from '../../core/planning/lifecycle.ts';
import { isMadeHere } from '../../core/planning/made-here.ts';
import { managed } from '../../core/planning/planner.ts';
import {
  bodyOf,
  have,
  target,
  want,
  type Live,
  type Own,
  type Path,
  type ProviderSituation,
} from './body.ts';
import { fields, type Spec } from './schema.ts';

type S = ProviderSituation;

const own: Own = { written: true };

const asDeclared = ({ spec }: S): Live => ({ provider: spec.provider, key_collection: spec.keyCollection });

const writing = (s: S, summary: string, keyStore = asDeclared(s)): Effectful<SecretsEffect> => ({
  summary,
  effect: { port: 'secrets', op: 'kms.provider.write', params: target(s), body: bodyOf(s, keyStore) },
  own,
  noted: own,
});

const deleting = (s: S): Effectful<SecretsEffect> => ({
  summary: `delete ${target(s).name}: the service no longer reaches ${s.spec.keyCollection} by it`,
  destroys: 'registration',
  effect: { port: 'secrets', op: 'kms.provider.delete', params: target(s) },
});

const isOf = (live: Live, provider: unknown, keyCollection: unknown): boolean =>
  live.provider === provider && live.key_collection === keyCollection;

const lifecycle: Lifecycle<Spec, Live, Own, Path, SecretsEffect> = {
  fields,
  want,
  have,
  identity: (live) => `${live.provider} for ${live.key_collection}`,
  identityRepeats: true,
  isOurs: (s, live) =>
    isMadeHere(
      s,
      { '/provider': s.spec.provider, '/keyCollection': s.spec.keyCollection },
      (provider, keyCollection) => isOf(live, provider, keyCollection),
    ),
  // The service itself refuses to delete a provider that has keys.
  inUse: () => undefined,
  // If the service can't tell, the provider may exist. That is no problem: a create and an update are the same request.
  create: (s) =>
    writing(
      s,
      `${s.observed.state === 'unknown' ? 'write' : 'create'} ${target(s).name} for ${s.spec.keyCollection}`,
    ),
  retract: deleting,
  revive: (s) => writing(s, `create ${target(s).name} for ${s.spec.keyCollection} again`),
  update: (s, live, changes) =>
    writing(
      s,
      `update ${target(s).name}: ${changes.map((c) => c.path).join(', ')}; all its credentials are sent`,
      live,
    ),
  remove: deleting,
  unwatched: true,
};

export const plan = managed(lifecycle);
