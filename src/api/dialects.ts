// The dialects as one table: header names, capabilities, and the shapes that differ (wire.md 1.1). Clients lower and
// raise with it, the embedded service renders with it; nothing else branches on a dialect.
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
    /** Creating or registering a volume that is registered updates it. In the documents it is an error. */
    readonly upsert: boolean;
    /** `plugin_id` is an exact match; in the documents a prefix. */
    readonly exactPluginID: boolean;
    /** Registering answers with the volume; in the documents the body is not shown, and is empty. */
    readonly registerReturnsBody: boolean;
    /** Volumes and plugins have topics of the event stream; the documents know none. */
    readonly volumeEventTopics: boolean;
  };
  /** Neutral field → this dialect's, anywhere in a volume or an allocation. */
  readonly fields: Readonly<Record<string, string>>;
  /**
   * Neutral field → a second name under which it is sent as well. The restart of an allocation reads another key than
   * its signal does; it ignores keys that it does not know, and then restarts everything (wire.md 1.1).
   */
  readonly also: Readonly<Record<string, string>>;
  /** bare: `{k: v}`. segments: `{Segments: {k: v}}`. */
  readonly topology: 'bare' | 'segments';
  /** Of what is not exhausted. */
  readonly resourceExhausted: 0 | null;
  /** How long a reschedule was put off, in nanoseconds. */
  readonly rescheduleDelay: 'digits' | 'number';
}

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
  },
} as const satisfies Record<string, SchedulerDialect>;

export type SchedulerDialectName = keyof typeof schedulerDialects;

/** @throws never: an unknown name is refused by the connection's schema. */
export const schedulerDialect = (name: string): SchedulerDialect =>
  name === 'nomad' ? schedulerDialects.nomad : schedulerDialects.cluster;

/** These hold what users named; nothing inside them is renamed. */
const opaque = new Set(
  (
    'Secrets Parameters Context Meta Env Config Details ' +
    'NodesAvailable ClassFiltered ConstraintFiltered ClassExhausted DimensionExhausted Scores'
  ).split(' '),
);
/** Maps by a name that users gave, to what has fields again. */
const byName = new Set(['TaskStates', 'TaskResources']);
const topologyLists = new Set(['Topologies', 'Required', 'Preferred']);

type Node = Sealed | undefined;
export const isMap = (v: Node): v is { readonly [key: string]: Node } =>
  v !== null && typeof v === 'object' && !Array.isArray(v) && Object.getPrototypeOf(v) === Object.prototype;

/** From the documents' shape into the dialect's. Boxed secrets stay boxed. */
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

/** From any dialect's shape into the documents': clients accept each shape, whatever they were told. */
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

/** What needs no other name and no other shape is handed on as it is: most answers are whole. */
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

/** Servers have empty places in these lists, where a plugin answered with a topology. */
const withoutNull = (list: readonly Sealed[]): readonly Sealed[] =>
  list.includes(null) ? list.filter((one) => one !== null) : list;

function mapped(list: readonly Sealed[], shape: Shape): readonly Sealed[] {
  const now = list.map(shape);
  return now.every((one, at) => one === list[at]) ? list : now;
}

/** The secrets service's dialects (wire.md 1.2). */
export interface SecretsDialect {
  readonly headers: {
    readonly token: string;
    readonly namespace: string;
    /** Sent with every request: some listeners ask for it. */
    readonly request: string;
    readonly noForwarding: string;
  };
  readonly capabilities: {
    /** A plain GET of a collection lists it, as in the documents; elsewhere 405. */
    readonly plainList: boolean;
    /** Static credentials come inside `data`; in the documents they don't. */
    readonly wrapsCredentials: boolean;
  };
  /** Neutral field → this dialect's. */
  readonly fields: Readonly<Record<string, string>>;
  /** Of the variables of the server's process that hold credentials of a key store. */
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

/** These hold what users named; nothing inside them is renamed. */
const opaqueSecrets = new Set(['claim_mappings', 'bound_claims', 'metadata', 'meta', 'options']);

interface Renames {
  readonly field: (name: string) => string;
  /** By the neutral name of the field that holds it. */
  readonly value: (field: string, value: string) => string;
}

/** From the documents' shape into the dialect's. Boxed secrets stay boxed. */
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

/** From any dialect's shape into the documents'. Envelopes are the client's business. */
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
