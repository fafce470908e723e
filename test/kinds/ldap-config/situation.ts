// A configuration that is declared, ours, there and as it should be; what differs from that; and its plan in one line.
import { noStatus, type Intent, type Status } from '../../../src/core/status/status.ts';
import type { LDAPConfigRead } from '../../../src/api/secrets/wire.ts';
import { type Resolution } from '../../../src/core/resource.ts';
import { publicOf, Secret, type Json } from '../../../src/core/secret.ts';
import type { ConfigSituation } from '../../../src/kinds/ldap-config/body.ts';
import { plan } from '../../../src/kinds/ldap-config/plan.ts';
import type { Own } from '../../../src/kinds/ldap-config/root.ts';
import type { Spec } from '../../../src/kinds/ldap-config/schema.ts';
import { common, planning, type Common } from '../planning.ts';

export const canary = 'canary-bind-5d20';
export const key = { kind: 'LDAPConfig', namespace: 'shop', name: 'directory' };
export const bindDN = 'cn=holdfast,dc=example,dc=org';

export const declared: Spec = {
  connectionRef: { name: 'production' },
  mount: 'ldap',
  bindDN,
  bindPasswordSecretRef: { name: 'ldap', key: 'password' },
  urls: ['ldap://embedded'],
  userDN: 'ou=services,dc=example,dc=org',
};

/** As the service shows it once it is written. */
export const existing: LDAPConfigRead = {
  binddn: bindDN,
  url: 'ldap://embedded',
  schema: 'ldap',
  userdn: 'ou=services,dc=example,dc=org',
  userattr: 'cn',
  upndomain: '',
  request_timeout: 90,
  connection_timeout: 30,
  starttls: false,
  insecure_tls: false,
  certificate: '',
  tls_min_version: 'tls12',
  tls_max_version: 'tls12',
  case_sensitive_names: false,
  skip_static_role_import_rotation: false,
};

const ref = { backend: 'b1', mount: 'ldap' };
export const passwordOf = (version: string): Json => ({ $secret: 'ldap/password', version });

/** What is remembered once it was written as declared. */
export const recorded: Status<Own> = {
  ...noStatus,
  externalRef: ref,
  applied: {
    '/bindDN': bindDN,
    '/bindPasswordSecretRef': passwordOf('1'),
    '/urls': ['ldap://embedded'],
    '/userDN': 'ou=services,dc=example,dc=org',
  },
  identity: `${bindDN} at ldap://embedded`,
  own: { root: 'declared', rotation: '' },
};

export const box = (source: string, version = '1'): Secret => Secret.of(source, version, canary);

/** What differs from a configuration that is declared, ours, there, and as it should be. */
export interface Given extends Common<Own> {
  readonly spec?: Partial<Spec>;
  /** Fields that are not declared after all. */
  readonly without?: readonly (keyof Spec)[];
  readonly live?: Partial<LDAPConfigRead> | 'absent';
  /** What the service does not show. */
  readonly hides?: readonly (keyof LDAPConfigRead)[];
  readonly root?: Own['root'];
  /** When the service had rotated, as recorded with `root`. */
  readonly rotation?: string;
  readonly pending?: Intent;
  readonly handledRequests?: Readonly<Record<string, string>>;
  /** Version of the bind password's Secret; default 1. */
  readonly password?: string;
  readonly secrets?: Readonly<Record<string, Secret>>;
}

function memoryOf({ memory = recorded, root, rotation = '', pending, handledRequests }: Given): Status<Own> {
  return {
    ...memory,
    handledRequests: { ...memory.handledRequests, ...handledRequests },
    ...(root !== undefined && { own: { root, rotation } }),
    ...(pending && { pending }),
  };
}

/** Of what is declared only. */
function resolvedOf(spec: Spec, { password = '1', secrets = {} }: Given): ReadonlyMap<string, Resolution> {
  const all = { bindPasswordSecretRef: box('ldap/password', password), ...secrets };
  return new Map(
    Object.entries(all)
      .filter(([name]) => Object.hasOwn(spec, name))
      .map(([name, secret]): [string, Resolution] => [`/${name}`, { state: 'secret', secret }]),
  );
}

function specOf({ spec, without = [] }: Given): Spec {
  const full: Spec = { ...declared, ...spec };
  for (const name of without) Reflect.deleteProperty(full, name);
  return full;
}

function liveOf({ live = {}, hides = [] }: Given): ConfigSituation['observed'] {
  if (live === 'absent') return { state: 'absent' };
  const shown: LDAPConfigRead = { ...existing, ...live };
  for (const name of hides) Reflect.deleteProperty(shown, name);
  return { state: 'present', live: shown };
}

function situation(given: Given): ConfigSituation {
  const spec = specOf(given);
  return {
    key,
    ...common({ ...given, memory: memoryOf(given) }, { memory: recorded, ref }),
    spec,
    resolved: resolvedOf(spec, given),
    observed: liveOf(given),
  };
}

export const { planned, firstStep, outline } = planning(situation, plan);

/** What the first step sends, as it may be shown. */
export function sent(given: Given): Json {
  const { effect } = firstStep(given);
  if (effect?.op !== 'ldap.config.write') throw new Error(`nothing is written: ${outline(given)}`);
  return publicOf(effect.body);
}
