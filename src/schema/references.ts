// References as data: a table of pointers, resolved over any spec in one walk. `*` is every key or element.
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

function* at(value: unknown, path: readonly string[], walked = ''): Generator<readonly [string, unknown]> {
  const [head, ...rest] = path;
  if (head === undefined) {
    yield [walked, value];
  } else if (isTree(value)) {
    const keys = head === '*' ? Object.keys(value) : Object.hasOwn(value, head) ? [head] : [];
    for (const key of keys) yield* at(value[key], rest, `${walked}/${key}`);
  }
}

export function referencesIn(
  rules: readonly ReferenceRule[],
  spec: unknown,
  owner: Key,
): readonly Reference[] {
  const found: Reference[] = [];
  for (const rule of rules) {
    for (const [field, value] of at(spec, rule.field.split('/').slice(1))) {
      if (!isTree(value) || typeof value['name'] !== 'string') continue;
      found.push(reference(rule, field, value, value['name'], owner));
    }
  }
  return found;
}

function reference(rule: ReferenceRule, field: string, value: Tree, name: string, owner: Key): Reference {
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
