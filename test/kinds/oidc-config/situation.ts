// A configuration that is declared, ours, there and as it should be; what differs from that; and its plan in one line.
import type { OIDCConfigRead } from '../../../src/api/secrets/wire.ts';
import { publicOf, Secret, type Json } from '../../../src/core/secret.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { ConfigSituation } from '../../../src/kinds/oidc-config/body.ts';
import { plan } from '../../../src/kinds/oidc-config/plan.ts';
import type { Spec } from '../../../src/kinds/oidc-config/schema.ts';
import { common, planning, type Common } from '../planning.ts';
import { secretsOf } from '../resolved.ts';

export const canary = 'canary-client-71f0';
export const key = { kind: 'OIDCConfig', namespace: 'shop', name: 'staff' };

export const declared: Spec = {
  connectionRef: { name: 'production' },
  mount: 'oidc',
  discoveryURL: 'https://embedded/staff',
  clientID: 'holdfast',
  clientSecretSecretRef: { name: 'oidc', key: 'secret' },
  defaultRole: 'staff',
};

/** As the service shows it once it is written. */
export const existing: OIDCConfigRead = {
  oidc_discovery_url: 'https://embedded/staff',
  oidc_discovery_ca_pem: '',
  oidc_client_id: 'holdfast',
  oidc_response_mode: '',
  oidc_response_types: [],
  jwks_url: '',
  jwt_validation_pubkeys: [],
  jwt_supported_algs: [],
  bound_issuer: '',
  default_role: 'staff',
  namespace_in_state: true,
  provider_config: {},
};

const ref = { backend: 'b1', mount: 'oidc' };
export const secretOf = (version: string): Json => ({ $secret: 'oidc/secret', version });

/** What is remembered once it was written as declared. */
export const recorded: Status<never> = {
  ...noStatus,
  externalRef: ref,
  applied: {
    '/discoveryURL': 'https://embedded/staff',
    '/clientID': 'holdfast',
    '/clientSecretSecretRef': secretOf('1'),
    '/defaultRole': 'staff',
  },
  identity: 'https://embedded/staff',
};

/** What differs from a configuration that is declared, ours, there, and as it should be. */
export interface Given extends Common<never> {
  readonly spec?: Partial<Spec>;
  /** Fields that are not declared after all. */
  readonly without?: readonly (keyof Spec)[];
  readonly live?: Partial<OIDCConfigRead> | 'absent';
  /** What the service does not show. */
  readonly hides?: readonly (keyof OIDCConfigRead)[];
  /** Version of the client secret's Secret; default 1. */
  readonly secret?: string;
}

function situation({ live = {}, ...given }: Given): ConfigSituation {
  const spec: Spec = { ...declared, ...given.spec };
  for (const name of given.without ?? []) Reflect.deleteProperty(spec, name);
  const resolved = new Map([
    ...secretsOf(spec, { clientSecretSecretRef: Secret.of('oidc/secret', given.secret ?? '1', canary) }),
    ...(spec.providerConfig?.serviceAccountSecretRef === undefined
      ? []
      : ([
          [
            '/providerConfig/serviceAccountSecretRef',
            { state: 'secret', secret: Secret.of('oidc/account', '1', canary) },
          ],
        ] as const)),
  ]);
  const shown: OIDCConfigRead = { ...existing, ...(live === 'absent' ? {} : live) };
  for (const name of given.hides ?? []) Reflect.deleteProperty(shown, name);
  return {
    key,
    ...common(given, { memory: recorded, ref }),
    spec,
    resolved,
    observed: live === 'absent' ? { state: 'absent' } : { state: 'present', live: shown },
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);

/** What the first step sends, as it may be shown. */
export function sent(given: Given): Json {
  const { effect } = firstStep(given);
  if (effect?.op !== 'oidc.config.write') throw new Error(`nothing is written: ${outline(given)}`);
  return publicOf(effect.body);
}
