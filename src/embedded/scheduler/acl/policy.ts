// Parses ACL policies and decides what several of them grant together, as Nomad's acl package does. PURE.
import { Fields } from '../../http/decode.ts';
import { Refusal } from '../../http/server.ts';

const kinds = ['agent', 'node', 'operator', 'plugin'] as const;
type Kind = (typeof kinds)[number];
type Level = 'deny' | 'write' | 'read' | 'list' | 'scale';

export interface PolicyRules {
  /** Pattern of a namespace name (`*` stands for any text) → capabilities, with shorthands expanded. */
  readonly namespaces: Readonly<Record<string, readonly string[]>>;
  readonly levels: Readonly<Partial<Record<Kind, Level>>>;
}

const words = (text: string): readonly string[] => text.split(' ');

const reads = [
  ...words('list-jobs parse-job read-job csi-list-volume csi-read-volume read-job-scaling'),
  ...words('list-scaling-policies read-scaling-policy host-volume-read'),
];
const writes = [
  ...words('scale-job submit-job dispatch-job read-logs read-fs alloc-exec alloc-lifecycle'),
  ...words('csi-mount-volume csi-write-volume submit-recommendation host-volume-create'),
];
const shorthands: Readonly<Record<string, readonly string[]>> = {
  '': [],
  deny: ['deny'],
  read: reads,
  write: [...reads, ...writes],
  scale: words('list-scaling-policies read-scaling-policy read-job-scaling scale-job'),
};
const capabilities = new Set([
  ...reads,
  ...writes,
  ...words(
    'deny alloc-node-exec csi-register-plugin sentinel-override host-volume-register host-volume-write',
  ),
]);
/** Capability → the capabilities that it includes. */
const implied: Readonly<Record<string, readonly string[]>> = {
  'host-volume-write': words('host-volume-register host-volume-create host-volume-delete host-volume-read'),
  'host-volume-register': words('host-volume-create host-volume-read'),
  'host-volume-create': words('host-volume-read'),
};

const levelsOf = (kind: Kind): readonly Level[] =>
  kind === 'plugin' ? ['deny', 'read', 'list', 'write'] : ['deny', 'read', 'write', 'scale'];

const invalid = (what: string) => new Refusal(400, `failed to parse rules: ${what}`);

/** Parses the JSON form of rules; HCL is not supported. An empty text grants nothing. @throws Refusal 400 */
export function rulesIn(text: string): PolicyRules {
  if (text === '') return { namespaces: {}, levels: {} };
  const f = new Fields(parsed(text), 'Rules');
  const namespaces = f.map('namespace', (value, at) => capabilitiesIn(new Fields(value, at)));
  for (const name of Object.keys(namespaces)) {
    if (!/^[a-zA-Z0-9-*]{1,128}$/.test(name)) throw invalid(`Invalid namespace name: ${name.slice(0, 128)}`);
  }
  const levels = kinds.flatMap((kind) => {
    const given = f.object(kind)?.text('policy', '');
    if (given === undefined) return [];
    const level = levelsOf(kind).find((one) => one === given);
    if (level === undefined) throw invalid(`Invalid ${kind} policy: ${given}`);
    return [[kind, level] as const];
  });
  if (levels.length === 0 && Object.keys(namespaces).length === 0) throw invalid('Invalid policy: no rules');
  return { namespaces, levels: Object.fromEntries(levels) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('the embedded scheduler takes rules as JSON, not as HCL');
  }
}

function capabilitiesIn(f: Fields): readonly string[] {
  const policy = f.text('policy', '');
  const short = Object.hasOwn(shorthands, policy) ? shorthands[policy] : undefined;
  if (!short) throw invalid(`Invalid namespace policy: ${policy}`);
  const given = f.texts('capabilities');
  const unknown = given.find((one) => !capabilities.has(one));
  if (unknown !== undefined) throw invalid(`Invalid namespace capability '${unknown}'`);
  return [...given, ...short].flatMap((one) => [one, ...(implied[one] ?? [])]);
}

/** Kind → action → the levels that allow it. As in Nomad, `write` on plugins allows nothing. */
const allowing: Readonly<Record<Kind, Readonly<Record<string, readonly Level[]>>>> = {
  agent: { read: ['read', 'write'], write: ['write'] },
  node: { read: ['read', 'write'], write: ['write'] },
  operator: { read: ['read', 'write'], write: ['write'] },
  plugin: { list: ['list', 'read'], read: ['read'] },
};
const precedence: readonly Level[] = ['deny', 'write', 'read', 'list'];

export class Granted {
  readonly #namespaces = new Map<string, Set<string>>();
  readonly #policies: readonly PolicyRules[];

  constructor(policies: readonly PolicyRules[]) {
    this.#policies = policies;
    for (const [name, given] of policies.flatMap(({ namespaces }) => Object.entries(namespaces))) {
      const all = new Set([...(this.#namespaces.get(name) ?? []), ...given]);
      this.#namespaces.set(name, all.has('deny') ? new Set(['deny']) : all);
    }
  }

  /**
   * @param capability `any`: returns whether any capability is granted
   * @param namespace `*`: returns whether any namespace grants the capability
   */
  inNamespace(capability: string, namespace: string): boolean {
    const gives = (given: ReadonlySet<string>) =>
      given.has(capability) || (capability === 'any' && given.size > 0 && !given.has('deny'));
    if (namespace === '*') return [...this.#namespaces.values()].some(gives);
    const given = this.#namespaces.get(namespace) ?? this.#namespaces.get(this.#closest(namespace));
    return given !== undefined && gives(given);
  }

  /** The matching pattern whose `*` covers the least of the name. */
  #closest(namespace: string): string {
    const rest = (pattern: string) => namespace.length - pattern.replaceAll('*', '').length;
    const matching = [...this.#namespaces.keys()].filter((pattern) => matches(pattern, namespace));
    const [closest = ''] = matching.toSorted((a, b) => rest(a) - rest(b) || (a < b ? 1 : -1));
    return closest;
  }

  ofKind(kind: string, what: string): boolean {
    const known = kinds.find((one) => one === kind);
    if (!known) return false;
    const given = this.#policies.map(({ levels }) => levels[known]);
    const level = precedence.find((one) => given.includes(one));
    return level !== undefined && (allowing[known][what]?.includes(level) ?? false);
  }
}

/** Matches piece by piece: a user's pattern must not become a slow regular expression. */
function matches(pattern: string, name: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return pattern === name;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return name.length - at >= last.length && name.endsWith(last);
}
