// The registry, by what its kinds are needed for.
import type { Resource } from '../api/kubernetes/resources.ts';
import type { SpecError } from '../core/errors.ts';
import { apiVersion, group, type Declaration } from '../schema/declaration.ts';
import { validate } from '../schema/parse.ts';
import { registry } from '../kinds/registry.ts';
import type { Status } from '../core/status/status.ts';
import { commonRequests } from '../core/source/request.ts';
import { crdFiles } from '../schema/crd-files.ts';
import { yamlText } from '../schema/yaml-text.ts';
import type { ResourceType } from '../schema/terraform.ts';
import type { Json } from '../core/secret.ts';

export { apiVersion };
export const kinds = new Map(registry.map(({ kind }) => [kind.name, kind]));
export const declarations = registry.map(({ declaration }) => declaration);

export const declarationOf: ReadonlyMap<string, Declaration> = new Map(
  declarations.map((declaration) => [declaration.kind, declaration]),
);

/** Resource of each kind in a cluster. */
export const resources: ReadonlyMap<string, Resource> = new Map(
  declarations.map(({ kind, plural, scope }) => [
    kind,
    { apiVersion, kind, plural, namespaced: scope === 'Namespaced' },
  ]),
);

/** Kinds by all that kubectl takes for them, in lower case. */
const names = new Map(
  declarations.flatMap(({ kind, plural, shortNames }) =>
    [kind.toLowerCase(), plural, ...shortNames].flatMap((name) => [
      [name, kind] as const,
      [`${name}.${group}`, kind] as const,
    ]),
  ),
);

/** Kinds and their short names, as people type them. */
export const kindNames: readonly string[] = declarations.flatMap(({ kind, shortNames }) => [
  kind,
  ...shortNames,
]);

/** All that a kind may be called. */
export const namesOf = (kind: string): readonly string[] => {
  const { plural = '', shortNames = [] } = declarationOf.get(kind) ?? {};
  return [plural, ...shortNames];
};

/** The kind that is meant by a kind, a plural or a short name, in upper or lower case. */
export const kindNamed = (text: string): string | undefined => names.get(text.toLowerCase());

export interface TerraformType extends ResourceType {
  readonly kind: string;
}

/** Types of Terraform's resources by name, with the kind that declares such things. */
export const terraformTypes: ReadonlyMap<string, TerraformType> = new Map(
  registry.flatMap(({ kind, resources: of }) =>
    of ? of.names.map((name) => [name, { ...of, kind: kind.name }] as const) : [],
  ),
);

/** The first problem of a spec. */
export function problemOf(kind: string, spec: unknown): SpecError | undefined {
  const declaration = declarationOf.get(kind);
  const checked = declaration && validate(declaration, { spec });
  return checked && 'problems' in checked ? checked.problems[0] : undefined;
}

/** The same text for the same data. */
export const asYaml = (value: Json): string => yamlText(value);

export const crds = () => crdFiles(declarations);

/** What is remembered of an object once a person goes on from an earlier state. */
export const keep = (kind: string, status: Status): Status => kinds.get(kind)?.keep(status) ?? status;
const requests = [...commonRequests, ...registry.flatMap(({ kind }) => kind.requests)];

/** Names of the requests of which each value asks for one thing to be done once. */
export const onceRequests: ReadonlySet<string> = new Set(
  requests.flatMap((one) => (one.once ? [one.name] : [])),
);

/** What an object of that kind can be asked. */
export const requestsOf = (kind: string) => [...commonRequests, ...(kinds.get(kind)?.requests ?? [])];

/** A command that asks something of one object. */
export interface RequestCommand {
  readonly name: string;
  readonly help: string;
  readonly sets: 'token' | 'reason' | 'true';
  /** An object that it is for. */
  readonly example: string;
  /** Name of the request, for an object of that kind; `undefined`: it can't be asked that. */
  readonly requestOf: (kind: string) => string | undefined;
  /** Kinds that it is for. */
  readonly kinds: readonly string[];
}

/** Kinds of what is managed: all but connections. */
export const managedKinds: readonly string[] = registry.flatMap(({ kind }) =>
  kind.connectionField === undefined ? [] : [kind.name],
);

/** The commands that the requests of all kinds come to. */
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
    example: `${asked.at(-1)}/shop/web`,
    requestOf: (kind) => requestOf(kind)?.name,
    kinds: asked,
  };
});
