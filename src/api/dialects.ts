// The dialects as one table: header names, capabilities, and the shapes that differ (wire.md 1.1). Clients lower and
// raise with it, the embedded service renders with it; nothing else branches on a dialect.
import type { Sealed } from '../core/secret.ts';

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
  };
  /** Neutral field → this dialect's, anywhere in a volume. */
  readonly fields: Readonly<Record<string, string>>;
  /** bare: `{k: v}`. segments: `{Segments: {k: v}}`. */
  readonly topology: 'bare' | 'segments';
  readonly resourceExhausted: 'number' | 'time';
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
    capabilities: { upsert: false, exactPluginID: false, registerReturnsBody: false },
    fields: {},
    topology: 'bare',
    resourceExhausted: 'number',
  },
  nomad: {
    headers: headers('X-Nomad-'),
    capabilities: { upsert: true, exactPluginID: true, registerReturnsBody: true },
    fields: { Version: 'ProviderVersion', FsType: 'FSType' },
    topology: 'segments',
    resourceExhausted: 'time',
  },
} as const satisfies Record<string, SchedulerDialect>;

export type SchedulerDialectName = keyof typeof schedulerDialects;

/** @throws never: an unknown name is refused by the connection's schema. */
export const schedulerDialect = (name: string): SchedulerDialect =>
  name === 'nomad' ? schedulerDialects.nomad : schedulerDialects.cluster;

/** These hold what users named; nothing inside them is renamed. */
const opaque = new Set(['Secrets', 'Parameters', 'Context', 'Meta']);
const topologyLists = new Set(['Topologies', 'Required', 'Preferred']);

type Node = Sealed | undefined;
const isMap = (v: Node): v is { readonly [key: string]: Node } =>
  v !== null && typeof v === 'object' && !Array.isArray(v) && Object.getPrototypeOf(v) === Object.prototype;

/** From the documents' shape into the dialect's. Boxed secrets stay boxed. */
export function lower(dialect: SchedulerDialect, value: Sealed): Sealed {
  return walk(
    value,
    (key) => (Object.hasOwn(dialect.fields, key) ? dialect.fields[key] : undefined) ?? key,
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
export function raise(value: Sealed): Sealed {
  return walk(
    value,
    (key) => raised.get(key) ?? key,
    (topology) => (isMap(topology) && isMap(topology['Segments']) ? topology['Segments'] : topology),
  );
}

function walk(value: Sealed, rename: (key: string) => string, topology: (one: Sealed) => Sealed): Sealed {
  if (Array.isArray(value)) return value.map((v: Sealed) => walk(v, rename, topology));
  if (!isMap(value)) return value;
  const out: [string, Node][] = [];
  for (const [key, held] of Object.entries(value)) {
    if (held === undefined) continue;
    if (opaque.has(key)) out.push([key, held]);
    else if (topologyLists.has(key) && Array.isArray(held)) out.push([key, held.map(topology)]);
    else out.push([rename(key), walk(held, rename, topology)]);
  }
  return Object.fromEntries(out);
}
