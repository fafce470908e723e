// The manifests of deploy/kustomize, as they stand in their files.
import { globSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { group } from '../../src/schema/declaration.ts';
import { registry } from '../../src/kinds/registry.ts';

export const house = resolve(import.meta.dirname, '../..');
export const read = (path: string): string => readFileSync(resolve(house, path), 'utf8');

const document = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z
    .looseObject({
      name: z.string(),
      namespace: z.string().exactOptional(),
      labels: z.record(z.string(), z.string()).default({}),
    })
    .default({ name: '', labels: {} }), // of a kustomization
});
export type Document = z.infer<typeof document>;

const yaml = (text: string): readonly Document[] =>
  parseAllDocuments(text, { strict: true }).map((one) => {
    if (one.errors[0]) throw one.errors[0];
    return document.parse(one.toJS());
  });

const files = globSync('deploy/kustomize/**/*.yaml', { cwd: house }).toSorted();
const all = files.flatMap((path) =>
  yaml(read(path)).map((one) => ({ folder: dirname(path).split('/').at(-1), ...one })),
);

/** Those of one folder. */
export const documents = (folder: 'base' | 'admission' | 'namespaced'): readonly Document[] =>
  all.filter((one) => one.folder === folder);

/** @throws Error if there is none, or if it is of another shape */
export function the<Schema extends z.ZodType>(kind: string, name: string, schema: Schema): z.infer<Schema> {
  const found = all.find((one) => one.kind === kind && one.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name}`);
  return schema.parse(found);
}

const rule = z.looseObject({
  apiGroups: z.array(z.string()).default([]),
  resources: z.array(z.string()).default([]),
  resourceNames: z.array(z.string()).default([]),
  verbs: z.array(z.string()),
});

/** What a role grants: `<group>/<resource>[/<name>] <verb>`. */
export const grants = (kind: 'ClusterRole' | 'Role', name: string): readonly string[] =>
  the(kind, name, z.looseObject({ rules: z.array(rule) })).rules.flatMap(
    ({ apiGroups, resources, resourceNames, verbs }) =>
      apiGroups.flatMap((api) =>
        resources.flatMap((resource) =>
          (resourceNames.length > 0 ? resourceNames.map((one) => `/${one}`) : ['']).flatMap((suffix) =>
            verbs.map((verb) => `${api}/${resource}${suffix} ${verb}`),
          ),
        ),
      ),
  );

const reference = z.looseObject({
  roleRef: z.looseObject({ kind: z.enum(['ClusterRole', 'Role']), name: z.string() }),
});

/** What an installation grants to Holdfast: `<Role or ClusterRole> <name>: <group>/<resource> <verb>`. */
export function grantsOf(installation: 'base' | 'namespaced'): readonly string[] {
  const folders = installation === 'base' ? (['base'] as const) : (['base', 'namespaced'] as const);
  const bindings = folders.flatMap(documents).filter(({ kind }) => kind.endsWith('Binding'));
  const roles = bindings
    .map((one) => reference.parse(one).roleRef)
    .map(({ kind, name }) =>
      grants(kind, name).map(
        (grant) => `${kind} ${name}: ${grant.replace(/^(coordination.*\/leases|\/namespaces)\/\S+/, '$1')}`,
      ),
    );
  return [...new Set(roles.flat())];
}

/** Kinds by their names in URLs, as `grants` has them. */
const plurals = (managed: boolean): readonly string[] =>
  registry
    .filter(({ kind }) => (kind.connectionField !== undefined) === managed)
    .map(({ declaration }) => `${group}/${declaration.plural}`);
export const connections = plurals(false);
export const managed = plurals(true);

/** Cells of the table below a heading of docs/kubernetes.md, without backquotes, by row. */
export function table(heading: string): readonly (readonly string[])[] {
  const section = read('docs/kubernetes.md').split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((row) => row.replaceAll('`', '').slice(2, -2).split(' | '));
}
