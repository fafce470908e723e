// The CEL rules of a declaration, compiled once and evaluated as the Kubernetes API server does, so that offline checks
// and admission agree. A rule that can't be evaluated counts as broken; it never crashes.
import { Environment, type ASTNode } from '@marcbachmann/cel-js';
import type { Field, FieldTable } from '../core/planning/diff.ts';
import type { Declaration, Rule } from './declaration.ts';
import { bytes } from './parts.ts';

/** Kubernetes quantities as `quantity()` of parts.ts accepts them: whole numbers of bytes. */
class Quantity {
  readonly bytes: number;
  constructor(text: string) {
    this.bytes = bytes(text);
  }
}

/** The functions of Kubernetes' CEL libraries that rules use, besides CEL's own. */
const environment = new Environment()
  .registerVariable('self', 'dyn')
  .registerVariable('oldSelf', 'dyn')
  .registerType('Quantity', Quantity)
  .registerFunction('quantity(string): Quantity', (text: string) => new Quantity(text))
  .registerFunction('Quantity.compareTo(Quantity): int', (a: Quantity, b: Quantity) =>
    BigInt(Math.sign(a.bytes - b.bytes)),
  )
  .registerFunction('isURL(string): bool', (text: string) => URL.canParse(text));

export interface BrokenRule {
  readonly rule: Rule;
  /** Why the rule could not be evaluated. Absent: the spec breaks it. */
  readonly failure?: string;
}

/** The rules that a spec breaks. Transition rules apply only with an earlier spec. */
export type Rules = (self: unknown, oldSelf?: unknown) => readonly BrokenRule[];

/** @throws Error for a rule that is not CEL or not boolean: a mistake in the declaration, not in a document */
export function compile(rules: readonly Rule[]): Rules {
  const compiled = rules.map((rule) => {
    const run = environment.parse(rule.rule);
    const { valid, type, error } = run.check();
    if (!valid || (type !== 'bool' && type !== 'dyn')) {
      throw new Error(`rule ${rule.rule}: ${error?.summary ?? `gives ${type}, not bool`}`);
    }
    return { rule, run, aboutChange: /\boldSelf\b/.test(rule.rule) };
  });
  return (self, oldSelf) => {
    const context = { self: asCel(self), oldSelf: asCel(oldSelf) };
    const broken: BrokenRule[] = [];
    for (const { rule, run, aboutChange } of compiled) {
      if (aboutChange && oldSelf === undefined) continue;
      try {
        if (run(context) !== true) broken.push({ rule });
      } catch (error) {
        broken.push({ rule, failure: error instanceof Error ? firstLine(error.message) : 'unknown' });
      }
    }
    return broken;
  };
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? '';

/**
 * JSON as Kubernetes passes it to CEL: whole numbers are int, a bigint here (specs hold no fractions). Maps become Map,
 * because a plain object with a key `constructor` would mislead the evaluator.
 */
function asCel(value: unknown): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(asCel);
  if (value === null || typeof value !== 'object') return value;
  return new Map(Object.entries(value).map(([key, held]) => [key, asCel(held)]));
}

/** All rules of a spec: the declared ones, and those that follow from the field table. */
export const rulesOf = ({ rules, fields }: Pick<Declaration, 'rules' | 'fields'>): readonly Rule[] => [
  ...rules,
  ...transitionRules(fields),
];

const defaultsToName = '/externalName';
const never = 'never changes; declare another object instead';

/** Rules over the whole object: the default external name may be declared or omitted. */
export const objectRulesOf = ({ fields }: Pick<Declaration, 'fields'>): readonly Rule[] =>
  Object.hasOwn(fields, defaultsToName)
    ? [
        {
          rule: `${externalNameOf('self')} == ${externalNameOf('oldSelf')}`,
          message: never,
          fieldPath: '.spec.externalName',
        },
      ]
    : [];

const externalNameOf = (object: string): string =>
  `(has(${object}.spec.externalName) ? ${object}.spec.externalName : ${object}.metadata.name)`;

/** Rules for fields that never change, and for fields that change only by replacement. */
function transitionRules(fields: FieldTable): readonly Rule[] {
  return Object.entries<Field>(fields).flatMap(([pointer, { change, compare }]): Rule[] => {
    const fieldPath = pointer.replaceAll('/', '.');
    if (pointer === defaultsToName) return [];
    const same = unchanged(pointer, compare === 'set' ? sameItems : identical);
    if (change === 'identity') return [{ rule: same, message: never, fieldPath }];
    if (change === 'replace') {
      const asked = `has(self.replacePolicy) && self.replacePolicy == 'WhenUnused'`;
      const message = "can't be changed in place; set replacePolicy: WhenUnused to have the object replaced";
      return [{ rule: `(${asked}) || ${same}`, message, fieldPath }];
    }
    return [];
  });
}

const identical = (a: string, b: string): string => `${a} == ${b}`;
const sameItems = (a: string, b: string): string =>
  `${a}.all(one, one in ${b}) && ${b}.all(one, one in ${a})`;

/** Absent equals absent. Uses has(), which every Kubernetes version supports, not optionals. */
function unchanged(pointer: string, same: typeof identical): string {
  const names = pointer.split('/').slice(1);
  const there = (root: string): string =>
    names.map((_, i) => `has(${[root, ...names.slice(0, i + 1)].join('.')})`).join(' && ');
  const [now, then] = [there('self'), there('oldSelf')];
  const equal = same(['self', ...names].join('.'), ['oldSelf', ...names].join('.'));
  return `(${now} ? ${then} && ${equal} : !(${then}))`;
}

/** The fields of the spec that a rule names, as paths below `self` and `oldSelf`. */
export function fieldsRead(rule: string): readonly (readonly string[])[] {
  const found: (readonly string[])[] = [];
  const visit = (node: ASTNode): void => {
    const path = pathOf(node);
    if (path) found.push(path);
    else for (const child of [node.args].flat(3)) if (isNode(child)) visit(child);
  };
  visit(environment.parse(rule).ast);
  return found;
}

function pathOf(node: ASTNode): readonly string[] | undefined {
  if (node.op === 'id') return node.args === 'self' || node.args === 'oldSelf' ? [] : undefined;
  if (node.op !== '.') return undefined;
  const [parent, name] = node.args;
  const path = pathOf(parent);
  return path && [...path, name];
}

const isNode = (value: unknown): value is ASTNode =>
  value !== null && typeof value === 'object' && 'op' in value && 'args' in value;
