// References as data: a table of pointers, resolved over any spec in one walk. `*` is every key or element.
import { trimmed } from '../core/shared-json.ts';
import type { Holds, Key, Reference } from '../core/resource.ts';

export type ReferenceRule =
  | {
      readonly field: string;
      readonly to: 'object';
      readonly kind: string;
      /** Cluster-scoped targets have no namespace; all others are in the object's own. */
      readonly scope: 'Namespaced' | 'Cluster';
      readonly holds: Holds;
      /** The object does not wait for the target; its kind handles each resolution. */
      readonly optional?: true;
    }
  | {
      readonly field: string;
      readonly to: 'secret';
      /** own: the object's namespace. given: the reference has a `namespace` (cluster-scoped kinds only). */
      readonly namespace: 'own' | 'given';
    };

type Tree = Readonly<Record<string, unknown>>;
const isTree = (value: unknown): value is Tree => value !== null && typeof value === 'object';

type Path = { readonly head: string; readonly rest: Path } | undefined;

const paths = new Map<string, Path>();

/** A rule's pointer, taken apart once: every visit asks for the references of several objects. */
function pathOf(field: string): Path {
  const known = paths.get(field);
  if (known) return known;
  const path = field
    .split('/')
    .slice(1)
    .reduceRight<Path>((rest, head) => ({ head, rest }), undefined);
  paths.set(field, path);
  return path;
}

/** Calls `take` with each value that the path leads to, and its pointer. */
function walk(
  value: unknown,
  path: Path,
  walked: string,
  take: (field: string, value: unknown) => void,
): void {
  if (path === undefined) return take(walked, value);
  if (!isTree(value)) return;
  const { head, rest } = path;
  if (head === '*') for (const key of Object.keys(value)) walk(value[key], rest, `${walked}/${key}`, take);
  else if (Object.hasOwn(value, head)) walk(value[head], rest, `${walked}/${head}`, take);
}

export function referencesIn(
  rules: readonly ReferenceRule[],
  spec: unknown,
  owner: Key,
): readonly Reference[] {
  const found: Reference[] = [];
  for (const rule of rules) {
    walk(spec, pathOf(rule.field), '', (field, value) => {
      if (!isTree(value) || typeof value['name'] !== 'string') return;
      found.push(reference(rule, field, value, value['name'], owner));
    });
  }
  return trimmed(found);
}

/** The latest of each rule: thousands of objects are kept, and most refer to one connection. */
const latest = new Map<ReferenceRule, Reference>();

function reference(rule: ReferenceRule, field: string, value: Tree, name: string, owner: Key): Reference {
  const made = newReference(rule, field, value, name, owner);
  const before = latest.get(rule);
  if (before && isSame(before, made)) return before;
  latest.set(rule, made);
  return made;
}

/** Of two references by one rule. */
const isSame = (one: Reference, other: Reference): boolean =>
  one.field === other.field &&
  one.target.namespace === other.target.namespace &&
  one.target.name === other.target.name &&
  (one.to !== 'secret' || other.to !== 'secret' || one.entry === other.entry);

function newReference(rule: ReferenceRule, field: string, value: Tree, name: string, owner: Key): Reference {
  if (rule.to === 'object') {
    const namespace = rule.scope === 'Cluster' ? '' : owner.namespace;
    const { kind, holds, optional } = rule;
    return { to: 'object', field, target: { kind, namespace, name }, holds, ...(optional && { optional }) };
  }
  const namespace = rule.namespace === 'given' ? textOf(value['namespace']) : owner.namespace;
  return { to: 'secret', field, target: { kind: 'Secret', namespace, name }, entry: textOf(value['key']) };
}

/** Specs are parsed first, so the value is a text. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
