// Views of the kind registry: by name, by resource, by Terraform type, and by request.
import type { Resource } from '../../api/kubernetes/resources.ts';
import type { SpecError } from '../../core/errors.ts';
import { apiVersion, group, type Declaration } from '../../schema/declaration.ts';
import { validate } from '../../schema/parse.ts';
import { registry } from '../../kinds/registry.ts';
import type { Status } from '../../core/status/status.ts';
import { commonRequests, type RequestDeclaration } from '../../core/source/request.ts';
import { crdFiles } from '../../schema/crd/crd-files.ts';
import { yamlText } from '../../schema/yaml-text.ts';
import type { ResourceType } from '../../schema/terraform.ts';
import type { Json } from '../../core/secret.ts';

export { apiVersion, group };
export const kinds = new Map(registry.map(({ kind }) => [kind.name, kind]));
export const declarations = registry.map(({ declaration }) => declaration);

export const declarationOf: ReadonlyMap<string, Declaration> = new Map(
  declarations.map((declaration) => [declaration.kind, declaration]),
);

export const resources: ReadonlyMap<string, Resource> = new Map(
  declarations.map(({ kind, plural, scope }) => [
    kind,
    { apiVersion, kind, plural, namespaced: scope === 'Namespaced' },
  ]),
);

/**
 * The kinds whose objects may refer to an object of this kind, or name the same external object: the latter are of the kind
 * itself, as each type of external object has one kind.
 */
export const relatedKinds = (kind: string): readonly string[] => [
  kind,
  ...declarations.flatMap((one) =>
    one.kind !== kind && one.references.some((r) => r.to === 'object' && r.kind === kind) ? one.kind : [],
  ),
];

/** Every name that kubectl accepts for a kind, in lower case → the kind. */
const names = new Map(
  declarations.flatMap(({ kind, plural, shortNames }) =>
    [kind.toLowerCase(), plural, ...shortNames].flatMap((name) => [
      [name, kind] as const,
      [`${name}.${group}`, kind] as const,
    ]),
  ),
);

export const kindNames: readonly string[] = declarations.flatMap(({ kind, shortNames }) => [
  kind,
  ...shortNames,
]);

export const namesOf = (kind: string): readonly string[] => {
  const { plural = '', shortNames = [] } = declarationOf.get(kind) ?? {};
  return [plural, ...shortNames];
};

/** Finds a kind by its name, plural or short name, in upper or lower case. */
export const kindNamed = (text: string): string | undefined => names.get(text.toLowerCase());

export interface TerraformType extends ResourceType {
  readonly kind: string;
}

/** Terraform's resource types by name, each with the kind for such objects. */
export const terraformTypes: ReadonlyMap<string, TerraformType> = new Map(
  registry.flatMap(({ kind, resources: of }) =>
    of ? of.names.map((name) => [name, { ...of, kind: kind.name }] as const) : [],
  ),
);

/** The first problem of a spec; `undefined`: it is valid. */
export function problemOf(kind: string, spec: unknown): SpecError | undefined {
  const declaration = declarationOf.get(kind);
  const checked = declaration && validate(declaration, { spec });
  return checked && 'problems' in checked ? checked.problems[0] : undefined;
}

/** Deterministic: equal data gives equal text. */
export const asYaml = (value: Json): string => yamlText(value);

export const crds = () => crdFiles(declarations);

/** What to remember of an object once a person approved a restored state. */
export const keep = (kind: string, status: Status): Status => kinds.get(kind)?.keep(status) ?? status;
const requests = [...commonRequests, ...registry.flatMap(({ kind }) => kind.requests)];

/** Names of the requests whose every value asks for one thing to be done once. */
export const onceRequests: ReadonlySet<string> = new Set(
  requests.flatMap((one) => (one.once ? [one.name] : [])),
);

/** Names of the requests that only objects that are being deleted accept. */
export const deletionRequests: ReadonlySet<string> = new Set(
  requests.flatMap((one) => (one.onlyDeleting ? [one.name] : [])),
);

export const requestsOf = (kind: string) => [...commonRequests, ...(kinds.get(kind)?.requests ?? [])];

export interface RequestCommand {
  readonly name: string;
  readonly help: string;
  readonly sets: 'token' | 'reason' | 'true';
  /** Arguments for an example. */
  readonly sample: string;
  /** Name of the request for an object of that kind; `undefined`: the kind does not accept it. */
  readonly requestOf: (kind: string) => string | undefined;
  readonly kinds: readonly string[];
}

/** All kinds but connections. */
export const managedKinds: readonly string[] = registry.flatMap(({ kind }) =>
  kind.connectionField === undefined ? [] : [kind.name],
);

const generated = registry.flatMap(({ kind }) => kind.generates);

const sampleOf = (kind: string, asked: RequestDeclaration | undefined): string =>
  `${asked?.command?.ofGenerated ? generated[0] : kind}/${asked?.command?.sample}`;

export const requestCommands: readonly RequestCommand[] = [
  ...new Set(requests.flatMap(({ command }) => command?.name ?? [])),
].map((name) => {
  const requestOf = (kind: string) => requestsOf(kind).find(({ command }) => command?.name === name);
  const asked = managedKinds.filter((kind) => requestOf(kind) !== undefined);
  const helps = asked.flatMap((kind) => requestOf(kind)?.help ?? []);
  return {
    name,
    help: [...new Set(helps)].join('; '),
    sets: requestOf(asked[0] ?? '')?.command?.sets ?? 'token',
    sample: sampleOf(asked[0] ?? '', requestOf(asked[0] ?? '')),
    requestOf: (kind) => requestOf(kind)?.name,
    kinds: asked,
  };
});
