// The lists of our resources in manifests that are written by hand: a kind is added in one place.
import { readFileSync } from 'node:fs';
import { root } from '../coverage/sources.ts';
import { registry } from '../../src/kinds/registry.ts';
import { crdName } from '../../src/schema/crd/crd.ts';

const plurals = (managed: boolean): readonly string[] =>
  registry
    .filter(({ kind }) => (kind.connectionField !== undefined) === managed)
    .map(({ declaration }) => declaration.plural)
    .toSorted();

/** A list of resources, and above it what it is of. */
const list = /^( *)resources: # each (managed kind|connection)(\/\w+)?\n(?:\1 {2}- .*\n)*/gm;

const filled = (text: string): string =>
  text.replaceAll(list, (_, indent: string, what: string, subresource = '') => {
    const names = plurals(what === 'managed kind').map(
      (name) => `${indent}  - ${name}${String(subresource)}\n`,
    );
    return `${indent}resources: # each ${what}${String(subresource)}\n${names.join('')}`;
  });

const crds = (text: string): string => {
  const [start] = text.split(/^ {2}- /m);
  const files = registry.map(({ declaration }) => `  - ${crdName(declaration)}.yaml\n`);
  return `${start}${files.toSorted().join('')}`;
};

const roles = ['operator-role', 'connections-role', 'user-roles'];

export const deployLists: readonly { readonly path: string; readonly text: string }[] = [
  ...roles.map((name) => [`deploy/kustomize/base/${name}.yaml`, filled] as const),
  ['crds/Kustomization', crds] as const,
].map(([path, fill]) => ({ path, text: fill(readFileSync(`${root}/${path}`, 'utf8')) }));
