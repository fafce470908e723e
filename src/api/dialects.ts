// The dialects as one table: header names, capabilities, and the shapes that differ (services.md#scheduler-dialects).
// Clients lower and raise with it, the embedded services render with it; nothing else branches on a dialect.
import type { Json, Sealed } from '../core/secret.ts';

export interface SchedulerDialect {
  readonly headers: {
    readonly token: string;
    readonly index: string;
    readonly lastContact: string;
    readonly knownLeader: string;
    readonly nextToken: string;
    readonly csiSecrets: string;
  };
  readonly capabilities: {
    /** Creating or registering a registered volume updates it; otherwise it is an error. */
    readonly upsert: boolean;
    /** `plugin_id` matches exactly; otherwise it is a prefix. */
    readonly exactPluginID: boolean;
    /** Registering answers with the volume; otherwise with an empty body. */
    readonly registerReturnsBody: boolean;
    /** Volumes and plugins have topics of the event stream. */
    readonly volumeEventTopics: boolean;
  };
  /** Neutral field → this dialect's, anywhere in a volume or an allocation. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * Neutral field → a second name to send it under as well. A restart reads `TaskName` where a signal reads `Task`; it
   * ignores unknown keys, and then restarts everything (services.md#signals-and-restarts).
   */
  readonly also: Readonly<Record<string, string>>;
  /** bare: `{k: v}`. segments: `{Segments: {k: v}}`. */
  readonly topology: 'bare' | 'segments';
  /** The value for a volume that is not exhausted. */
  readonly resourceExhausted: 0 | null;
  /** Format of a reschedule's delay, in nanoseconds. */
  readonly rescheduleDelay: 'digits' | 'number';
  /**
   * Operation → the permissions that it needs, all of them, where it is not the one that its route names
   * (services.md#scheduler-permissions). Of several that would do, the one that other operations need, too.
   */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

const writing = ['namespace:csi-write-volume', 'plugin:read'];
const listing = ['namespace:csi-read-volume'];

const headers = (prefix: string): SchedulerDialect['headers'] => ({
  token: `${prefix}Token`,
  index: `${prefix}Index`,
  lastContact: `${prefix}LastContact`,
  knownLeader: `${prefix}KnownLeader`,
  nextToken: `${prefix}NextToken`,
  csiSecrets: `${prefix}CSI-Secrets`,
});

export const schedulerDialects = {
  cluster: {
    headers: headers('X-Cluster-'),
    capabilities: {
      upsert: false,
      exactPluginID: false,
      registerReturnsBody: false,
      volumeEventTopics: false,
    },
    fields: {},
    also: {},
    topology: 'bare',
    resourceExhausted: 0,
    rescheduleDelay: 'digits',
    permissions: {},
  },
  nomad: {
    headers: headers('X-Nomad-'),
    capabilities: { upsert: true, exactPluginID: true, registerReturnsBody: true, volumeEventTopics: true },
    fields: {
      Version: 'ProviderVersion',
      FsType: 'FSType',
      SecretsStoreToken: 'VaultToken',
      SecretsStore: 'Vault',
      SecretsStoreError: 'VaultError',
    },
    also: { Task: 'TaskName' },
    topology: 'segments',
    resourceExhausted: null,
    rescheduleDelay: 'number',
    permissions: {
      'volume.list': listing,
      'snapshot.list': listing,
      'volume.register': writing,
      'volume.create': writing,
      'snapshot.create': writing,
    },
  },
} as const satisfies Record<string, SchedulerDialect>;

export type SchedulerDialectName = keyof typeof schedulerDialects;

/** @throws never: an unknown name is refused by the connection's schema. */
export const schedulerDialect = (name: string): SchedulerDialect =>
  name === 'nomad' ? schedulerDialects.nomad : schedulerDialects.cluster;

/** The content of these belongs to users; nothing inside is renamed. */
const opaque = new Set(
  (
    'Secrets Parameters Context Meta Env Config Details ' +
    'NodesAvailable ClassFiltered ConstraintFiltered ClassExhausted DimensionExhausted Scores'
  ).split(' '),
);
/** Maps keyed by users' names, whose values have fields again. */
const byName = new Set(['TaskStates', 'TaskResources']);
const topologyLists = new Set(['Topologies', 'Required', 'Preferred']);

type Node = Sealed | undefined;
export const isMap = (v: Node): v is { readonly [key: string]: Node } =>
  v !== null && typeof v === 'object' && !Array.isArray(v) && Object.getPrototypeOf(v) === Object.prototype;

/** From the neutral shape to the dialect's. Boxed secrets stay boxed. */
export function lower(dialect: SchedulerDialect, value: Sealed): Sealed {
  return walk(
    value,
    (key) => {
      const second = own(dialect.also, key);
      const first = own(dialect.fields, key) ?? key;
      return second === undefined ? first : [first, second];
    },
    (topology) => (dialect.topology === 'segments' ? { Segments: topology } : topology),
  );
}

/** Every dialect's field → neutral. */
const raised: ReadonlyMap<string, string> = new Map(
  Object.values(schedulerDialects).flatMap((d) =>
    Object.entries<string>(d.fields).map(([neutral, wire]): [string, string] => [wire, neutral]),
  ),
);

/** From any dialect's shape to the neutral one: clients accept each shape, whatever their dialect. */
export function raise(value: Json): Json;
export function raise(value: Sealed): Sealed;
export function raise(value: Sealed): Sealed {
  return walk(
    value,
    (key) => raised.get(key) ?? key,
    (topology) => (isMap(topology) && isMap(topology['Segments']) ? topology['Segments'] : topology),
  );
}

type Names = (key: string) => string | readonly string[];
type Shape = (one: Sealed) => Sealed;

/** Returns the value itself if nothing changes, as is the case for most answers. */
function walk(value: Sealed, names: Names, topology: Shape): Sealed {
  if (Array.isArray(value)) return mapped(value, (one) => walk(one, names, topology));
  if (!isMap(value)) return value;
  const keys = Object.keys(value);
  let out: [string, Node][] | undefined;
  keys.forEach((key, at) => {
    const held = value[key];
    const name = opaque.has(key) ? key : names(key);
    const now = held === undefined || opaque.has(key) ? held : shaped(key, held, names, topology);
    if (out === undefined && held !== undefined && name === key && now === held) return;
    out ??= keys.slice(0, at).map((before) => [before, value[before]]);
    if (now === undefined) return;
    for (const one of typeof name === 'string' ? [name] : name) out.push([one, now]);
  });
  return out ? Object.fromEntries(out) : value;
}

function shaped(key: string, held: Sealed, names: Names, topology: Shape): Sealed {
  if (topologyLists.has(key) && Array.isArray(held)) return mapped(withoutNull(held), topology);
  if (!byName.has(key) || !isMap(held)) return walk(held, names, topology);
  const keys = Object.keys(held);
  const values = Object.values<Node>(held);
  const now = values.map((one) => (one === undefined ? one : walk(one, names, topology)));
  if (now.every((one, at) => one === values[at])) return held;
  return Object.fromEntries(keys.map((name, at) => [name, now[at]]));
}

/** Servers send null in these lists for a plugin without a topology. */
const withoutNull = (list: readonly Sealed[]): readonly Sealed[] =>
  list.includes(null) ? list.filter((one) => one !== null) : list;

function mapped(list: readonly Sealed[], shape: Shape): readonly Sealed[] {
  const now = list.map(shape);
  return now.every((one, at) => one === list[at]) ? list : now;
}

export interface SecretsDialect {
  readonly headers: {
    readonly token: string;
    readonly namespace: string;
    /** Sent with every request: some listeners demand it. */
    readonly request: string;
    readonly noForwarding: string;
  };
  readonly capabilities: {
    /** A plain GET of a collection lists it; otherwise it is 405. */
    readonly plainList: boolean;
    /** Static credentials are in `data`; otherwise they are the whole body. */
    readonly wrapsCredentials: boolean;
  };
  readonly fields: Readonly<Record<string, string>>;
  /** Prefix of the server's environment variables with credentials of a key store. */
  readonly environmentPrefix: string;
  /** Field → neutral value → this dialect's. */
  readonly values: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

const secretsHeaders = (prefix: string): SecretsDialect['headers'] => ({
  token: `${prefix}Token`,
  namespace: `${prefix}Namespace`,
  request: `${prefix}Request`,
  noForwarding: `${prefix}No-Request-Forwarding`,
});

export const secretsDialects = {
  secrets: {
    headers: secretsHeaders('X-Secrets-'),
    capabilities: { plainList: true, wrapsCredentials: false },
    environmentPrefix: 'CLOUD_',
    fields: {},
    values: {},
  },
  vault: {
    headers: secretsHeaders('X-Vault-'),
    capabilities: { plainList: false, wrapsCredentials: true },
    environmentPrefix: 'AZURE_',
    fields: {
      last_service_rotation: 'last_vault_rotation',
      workspace_service_account: 'gsuite_service_account',
      workspace_admin_impersonate: 'gsuite_admin_impersonate',
    },
    values: {
      schema: { ldap: 'openldap' },
      provider: {
        cloud_directory: 'azure',
        workspace_directory: 'gsuite',
        cloud_keystore: 'azurekeyvault',
      },
      environment: { PublicCloud: 'AzurePublicCloud' },
    },
  },
} as const satisfies Record<string, SecretsDialect>;

export type SecretsDialectName = keyof typeof secretsDialects;

/** @throws never: an unknown name is refused by the connection's schema. */
export const secretsDialect = (name: string): SecretsDialect =>
  name === 'vault' ? secretsDialects.vault : secretsDialects.secrets;

/** The content of these belongs to users; nothing inside is renamed. */
const opaqueSecrets = new Set(['claim_mappings', 'bound_claims', 'metadata', 'meta', 'options']);

interface Renames {
  readonly field: (name: string) => string;
  /** By the neutral name of the field. */
  readonly value: (field: string, value: string) => string;
}

/** From the neutral shape to the dialect's. Boxed secrets stay boxed. */
export const lowerSecrets = (dialect: SecretsDialect, value: Sealed): Sealed =>
  renamed(value, '', {
    field: (name) => own(dialect.fields, name) ?? name,
    value: (field, held) => own(own(dialect.values, field) ?? {}, held) ?? held,
  });

const secretsFieldsRaised = new Map<string, string>();
/** `<field> <value>` of any dialect → neutral value. */
const secretsValuesRaised = new Map<string, string>();
for (const { fields, values } of Object.values<SecretsDialect>(secretsDialects)) {
  for (const [neutral, wire] of Object.entries(fields)) secretsFieldsRaised.set(wire, neutral);
  for (const [field, renames] of Object.entries(values)) {
    for (const [neutral, wire] of Object.entries(renames))
      secretsValuesRaised.set(`${field} ${wire}`, neutral);
  }
}

/** From any dialect's shape to the neutral one. The client removes envelopes. */
export const raiseSecrets = (value: Sealed): Sealed =>
  renamed(value, '', {
    field: (name) => secretsFieldsRaised.get(name) ?? name,
    value: (field, held) => secretsValuesRaised.get(`${field} ${held}`) ?? held,
  });

function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}

function renamed(value: Sealed, field: string, renames: Renames): Sealed {
  if (typeof value === 'string') return renames.value(field, value);
  if (Array.isArray(value)) return value.map((one: Sealed) => renamed(one, '', renames));
  if (!isMap(value)) return value;
  const out: [string, Node][] = [];
  for (const [name, held] of Object.entries(value)) {
    if (held === undefined) continue;
    if (opaqueSecrets.has(name)) out.push([name, held]);
    else out.push([renames.field(name), renamed(held, name, renames)]);
  }
  return Object.fromEntries(out);
}
