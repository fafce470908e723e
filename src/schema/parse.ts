// Parses a raw document to a spec that a kind can trust: shape first, then the CEL rules, like the API server.
import * as z from 'zod';
import { SpecError } from '../core/errors.ts';
import type { Key } from '../core/resource.ts';
import { compile, objectRulesOf, rulesOf, type BrokenRule, type Rules } from './cel.ts';
import { apiVersion, type Declaration } from './declaration.ts';
import { nearest } from '../core/text/nearest.ts';
import { metadataOf } from './metadata.ts';
import { pointerTo, problemsMax, shape, shown, unfit } from './problems.ts';

export type Checked<Spec> = { readonly spec: Spec } | { readonly problems: readonly SpecError[] };

interface Compiled {
  readonly spec: Rules;
  readonly object: Rules;
}

const compiled = new WeakMap<Declaration, Compiled>();

function rulesFor(declaration: Declaration): Compiled {
  const known = compiled.get(declaration);
  if (known) return known;
  const rules = { spec: compile(rulesOf(declaration)), object: compile(objectRulesOf(declaration)) };
  compiled.set(declaration, rules);
  return rules;
}

/**
 * The specs that a declaration accepted, because sources and kinds both parse them. A spec never changes. Schemas convert
 * nothing and fill in nothing, so a valid spec is its own parsed form, and is held once.
 */
const accepted = new WeakMap<Declaration, WeakSet<object>>();

function acceptedBy(declaration: Declaration): WeakSet<object> {
  const known = accepted.get(declaration) ?? new WeakSet();
  accepted.set(declaration, known);
  return known;
}

/** Counts a spec as valid without checking it: this very schema accepted an equal one, in an earlier process. */
export const accept = (declaration: Declaration, spec: object): void =>
  void acceptedBy(declaration).add(spec);

/**
 * Checks the `spec` of a whole document. Reports at most 20 problems: those of its shape or, if there are none, the
 * rules that it breaks. Paths are JSON pointers from the document's root.
 * @param old the last valid spec, for transition rules
 */
export function validate<S extends z.ZodType>(
  declaration: Declaration<S>,
  document: unknown,
  old?: unknown,
): Checked<z.infer<S>> {
  const checked = check(declaration, fieldOf(document, 'spec'), old);
  if (old === undefined || 'problems' in checked) return checked;
  const metadata = { name: fieldOf(fieldOf(document, 'metadata'), 'name') ?? '' };
  const [now, before] = [
    { metadata, spec: fieldOf(document, 'spec') },
    { metadata, spec: old },
  ];
  const broken = rulesFor(declaration).object(now, before);
  return broken.length > 0 ? { problems: broken.map((rule) => asProblem(rule, '')) } : checked;
}

const fieldOf = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object'
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined;

/** For kinds: the typed spec. @throws SpecError the first problem */
export const parser =
  <S extends z.ZodType>(declaration: Declaration<S>) =>
  (raw: unknown): z.infer<S> => {
    if (raw !== null && typeof raw === 'object' && acceptedBy(declaration).has(raw)) return asSpec<S>(raw);
    const checked = check(declaration, raw, undefined);
    if ('spec' in checked) return checked.spec;
    throw checked.problems[0] ?? new SpecError('/spec', 'is not valid', '');
  };

function check<S extends z.ZodType>(
  declaration: Declaration<S>,
  raw: unknown,
  old: unknown,
): Checked<z.infer<S>> {
  const refused = unfit(raw, '/spec');
  if (refused) return { problems: [refused] };
  const shaped = shape(declaration.spec, raw, '/spec');
  if ('problems' in shaped) return shaped;
  const broken = rulesFor(declaration).spec(raw, old);
  if (broken.length > 0) {
    return { problems: broken.slice(0, problemsMax).map((rule) => asProblem(rule, '/spec', raw)) };
  }
  if (raw === null || typeof raw !== 'object') return { spec: shaped.value };
  accept(declaration, raw);
  return { spec: asSpec<S>(raw) };
}

// oxlint-disable-next-line no-unsafe-type-assertion -- called with what this schema accepted, and it converts nothing
const asSpec = <S extends z.ZodType>(raw: object): z.infer<S> => raw as z.infer<S>;

function asProblem({ rule, failure }: BrokenRule, root: string, self?: unknown): SpecError {
  const steps = (rule.fieldPath ?? '').split('.').slice(1);
  const path = pointerTo(root, steps);
  const why = failure === undefined ? '' : ` (the rule can't be evaluated: ${failure})`;
  return new SpecError(path, `${rule.message}${got(rule.message, steps, self)}${why}`, '');
}

/** Which of those are there of which exactly one is needed: one too many, or none. */
function got(message: string, steps: readonly string[], self: unknown): string {
  const [, choice] = /^exactly one of (.+) is needed$/.exec(message) ?? [];
  if (choice === undefined) return '';
  const at = steps.reduce(fieldOf, self);
  const present = choice.split(/, | and /).filter((name) => fieldOf(at, name) !== undefined);
  return `, got ${present.join(' and ') || 'none'}`;
}

export interface Envelope<D> {
  readonly declaration: D;
  readonly key: Key;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Not checked here, but by `validate`. */
  readonly spec: unknown;
}

const ignored = z.unknown().exactOptional();

const envelopeOf = <M extends z.ZodType>(metadata: M) =>
  z.strictObject({
    apiVersion: z.literal(apiVersion),
    kind: z.string(),
    metadata,
    spec: ignored,
    status: ignored,
  });

const envelopes = {
  Namespaced: envelopeOf(metadataOf.Namespaced),
  Cluster: envelopeOf(metadataOf.Cluster),
};

/** Parses a document except its spec, which `validate` checks. A missing namespace is `default`. */
export function parseEnvelope<D extends Pick<Declaration, 'kind' | 'scope'>>(
  document: unknown,
  kinds: readonly D[],
): Envelope<D> | { readonly problems: readonly SpecError[] } {
  const refused = unfit(document, '');
  if (refused) return { problems: [refused] };
  if (document === null || typeof document !== 'object' || Array.isArray(document)) {
    return {
      problems: [new SpecError('/', 'a map with apiVersion, kind, metadata and spec', shown(document))],
    };
  }
  const kind = 'kind' in document ? document.kind : undefined;
  const declaration = kinds.find((known) => known.kind === kind);
  if (!declaration) return { problems: [unknownKind(kind, kinds)] };
  const shaped = shape(envelopes[declaration.scope], document, '');
  if ('problems' in shaped) return shaped;
  const { metadata: meta, spec, status } = shaped.value;
  // A status written by hand would mislead readers. One that an API server printed has metadata of that server beside it.
  if (status !== undefined && !isPrinted(meta)) {
    const expected = 'no status (Holdfast keeps its own: remove it from the file)';
    return { problems: [new SpecError('/status', expected, shown(status))] };
  }
  const place = declaration.scope === 'Cluster' ? '' : (meta.namespace ?? 'default');
  return {
    declaration,
    key: { kind: declaration.kind, namespace: place, name: meta.name },
    annotations: meta.annotations ?? {},
    labels: meta.labels ?? {},
    spec,
  };
}

/** Metadata that only an API server sets. */
const isPrinted = (meta: Readonly<Record<string, unknown>>): boolean =>
  ['uid', 'resourceVersion', 'creationTimestamp'].some((field) => typeof meta[field] === 'string');

function unknownKind(kind: unknown, kinds: readonly { readonly kind: string }[]): SpecError {
  const known = kinds.map((k) => k.kind);
  const all = `one of ${known.join(', ')}`;
  if (kind === undefined) return new SpecError('/kind', `is required (${all})`, '');
  const meant = typeof kind === 'string' ? nearest(kind, known) : undefined;
  const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
  return new SpecError('/kind', `${all}${hint}`, shown(kind));
}
