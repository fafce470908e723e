// The dialects as one table: header names, capabilities, and the shapes that differ (services.md#scheduler-dialects).
// Clients convert requests and answers by it, embedded services render by it; other code does not branch on a dialect.
import type { Json, Sealed } from '../core/secret.ts';

interface FieldNames {
  /** Neutral field → this dialect's, anywhere in a body. */
  readonly fields: Readonly<Record<string, string>>;
  /** Neutral field → a second name to send it under, for what ignores the first (services.md#secrets-dialects). */
  readonly also: Readonly<Record<string, string>>;
}

export interface SchedulerDialect extends FieldNames {
  readonly headers: {
    readonly token: string;
    readonly index: string;
    readonly lastContact: string;
    readonly knownLeader: string;
    readonly nextToken: string;
    readonly csiSecrets: string;
  };
  readonly capabilities: {
    /** Creating or registering a registered volume updates the volume; otherwise it is an error. */
    readonly upsert: boolean;
    /** `plugin_id` matches exactly; otherwise it is a prefix. */
    readonly exactPluginID: boolean;
    /** Registering answers with the volume; otherwise with an empty body. */
    readonly registerReturnsBody: boolean;
    /** The event stream has topics for volumes and plugins. */
    readonly volumeEventTopics: boolean;
  };
  /** bare: `{k: v}`. segments: `{Segments: {k: v}}`. */
  readonly topology: 'bare' | 'segments';
  /** The value of `ResourceExhausted` for a volume that is not exhausted. */
  readonly resourceExhausted: 0 | null;
  /** How a reschedule's delay in nanoseconds is written. */
  readonly rescheduleDelay: 'digits' | 'number';
  /**
   * Operation → all permissions that it needs, if they differ from its route's `acl`
   * (services.md#scheduler-permissions). Where one of several suffices, the one that other operations need, too.
   */
  readonly permissions: Readonly<Record<string, readonly string[]>>;
}

const writing = ['namespace:csi-write-volume', 'plugin:read'];
const listing = ['namespace:csi-read-volume'];
const each = (ops: string, needs: readonly string[]) =>
  Object.fromEntries(ops.split(' ').map((op) => [op, needs]));

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
    also: { Task: 'TaskName' }, // a restart ignores unknown keys: without its own it would restart all tasks
    topology: 'segments',
    resourceExhausted: null,
    rescheduleDelay: 'number',
    permissions: {
      ...each('volume.list volume.external snapshot.list', listing),
      ...each('volume.register volume.create volume.delete snapshot.create snapshot.delete', writing),
      'volume.detach': ['namespace:csi-mount-volume', 'plugin:read'],
    },
  },
} as const satisfies Record<string, SchedulerDialect>;

export type SchedulerDialectName = keyof typeof schedulerDialects;

/** @throws never: the connection's schema refuses an unknown name. */
export const schedulerDialect = (name: string): SchedulerDialect =>
  name === 'nomad' ? schedulerDialects.nomad : schedulerDialects.cluster;

/** Fields whose content belongs to users or names nodes: nothing inside is renamed. */
const opaque = new Set(
  (
    'Secrets Parameters Context Meta Env Config Details ' +
    'NodesAvailable ClassFiltered ConstraintFiltered ClassExhausted DimensionExhausted Scores'
  ).split(' '),
);
/** Maps with users' names as keys; their values have fields that are renamed. */
const byName = new Set(['TaskStates', 'TaskResources']);
const topologyLists = new Set(['Topologies', 'Required', 'Preferred']);

type Node = Sealed | undefined;
export const isMap = (v: Node): v is { readonly [key: string]: Node } =>
  v !== null && typeof v === 'object' && !Array.isArray(v) && Object.getPrototypeOf(v) === Object.prototype;

/** Converts the neutral shape to the dialect's. Boxed secrets stay boxed. */
export function lower(dialect: SchedulerDialect, value: Sealed): Sealed {
  return walk(
    value,
    (key) => sentAs(dialect, key),
    (topology) => (dialect.topology === 'segments' ? { Segments: topology } : topology),
  );
}

/** Field of any dialect → neutral field. */
const raised = neutralNames(schedulerDialects);

/** Converts any dialect's shape to the neutral one: clients accept each shape, whatever their dialect. */
export function raise(value: Json): Json;
export function raise(value: Sealed): Sealed;
export function raise(value: Sealed): Sealed {
  return walk(
    value,
    (key) => raised.get(key) ?? key,
    (topology) => (isMap(topology) && isMap(topology['Segments']) ? topology['Segments'] : topology),
  );
}

function neutralNames(dialects: Readonly<Record<string, FieldNames>>): ReadonlyMap<string, string> {
  const all = Object.values(dialects).flatMap(({ fields }) => Object.entries(fields));
  return new Map(all.map(([neutral, wire]) => [wire, neutral]));
}

type Names = (key: string) => string | readonly string[];
function sentAs({ fields, also }: FieldNames, key: string): ReturnType<Names> {
  const second = own(also, key);
  const first = own(fields, key) ?? key;
  return second === undefined ? first : [first, second];
}

type Shape = (one: Sealed) => Sealed;

/** Returns the value itself if nothing changes, which holds for most answers. */
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

/** Servers send null in topology lists for a plugin without a topology. */
const withoutNull = (list: readonly Sealed[]): readonly Sealed[] =>
  list.includes(null) ? list.filter((one) => one !== null) : list;

function mapped(list: readonly Sealed[], shape: Shape): readonly Sealed[] {
  const now = list.map(shape);
  return now.every((one, at) => one === list[at]) ? list : now;
}

export interface SecretsDialect extends FieldNames {
  readonly headers: {
    readonly token: string;
    readonly namespace: string;
    /** Sent with every request, because some listeners require it. */
    readonly request: string;
    readonly noForwarding: string;
  };
  readonly capabilities: {
    /** A plain GET of a collection lists it; otherwise the answer is 405. */
    readonly plainList: boolean;
    /** The answer holds static credentials in `data`; otherwise they are its whole body. */
    readonly wrapsCredentials: boolean;
    /** It may know the document alone: forms of values (secrets/forms.ts), and endpoints (secrets/refusals.ts). */
    readonly documentAlone: boolean;
  };
  /** Prefix of the server's environment variables that hold credentials of a key store. */
  readonly environmentPrefix: string;
  /** Neutral field → neutral value → this dialect's value. */
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
    capabilities: { plainList: true, wrapsCredentials: false, documentAlone: true },
    environmentPrefix: 'CLOUD_',
    fields: {},
    also: { token_policies: 'policies' },
    values: {},
  },
  vault: {
    headers: secretsHeaders('X-Vault-'),
    capabilities: { plainList: false, wrapsCredentials: true, documentAlone: false },
    environmentPrefix: 'AZURE_',
    fields: {
      last_service_rotation: 'last_vault_rotation',
      workspace_service_account: 'gsuite_service_account',
      workspace_admin_impersonate: 'gsuite_admin_impersonate',
    },
    also: {},
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

/** @throws never: the connection's schema refuses an unknown name. */
export const secretsDialect = (name: string): SecretsDialect =>
  name === 'vault' ? secretsDialects.vault : secretsDialects.secrets;

/** Fields whose content belongs to users: nothing inside is renamed. */
const opaqueSecrets = new Set(['claim_mappings', 'bound_claims', 'metadata', 'meta', 'options']);

/** `value` gets the name that the field has before renaming. */
type Renames = { readonly field: Names; readonly value: (field: string, value: string) => string };

/** Converts the neutral shape to the dialect's. Boxed secrets stay boxed. */
export const lowerSecrets = (dialect: SecretsDialect, value: Sealed): Sealed =>
  renamed(value, '', {
    field: (name) => sentAs(dialect, name),
    value: (field, held) => own(own(dialect.values, field) ?? {}, held) ?? held,
  });

const secretsFieldsRaised = neutralNames(secretsDialects);
/** `<field> <value>` of any dialect → neutral value. */
const secretsValuesRaised = new Map<string, string>();
for (const { values } of Object.values<SecretsDialect>(secretsDialects))
  for (const [field, renames] of Object.entries(values))
    for (const [neutral, wire] of Object.entries(renames))
      secretsValuesRaised.set(`${field} ${wire}`, neutral);

/** Converts any dialect's shape to the neutral one. Envelopes stay: secrets/decode.ts removes them. */
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
    else for (const one of [renames.field(name)].flat()) out.push([one, renamed(held, name, renames)]);
  }
  return Object.fromEntries(out);
}
