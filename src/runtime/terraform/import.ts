// Converts a state of Terraform to manifests, in the form that `holdfast export` writes.
import { freeKey } from '../../controller/discovery.ts';
import { objectName } from '../../core/kind/discovery.ts';
import { documentOf } from '../discovery/export.ts';
import { problemOf, terraformTypes, type TerraformType as ResourceType } from '../kinds/lookup.ts';
import { isUnset } from '../../schema/terraform.ts';
import { bounded, type Instance } from './instance.ts';
import { declared, type Lost } from './manifest.ts';
import { readState } from './state.ts';

export interface ImportOptions {
  /** Namespace of the manifests. */
  readonly into: string;
  readonly schedulerConnection: string;
  readonly secretsConnection: string;
}

export interface Imports {
  /** Valid YAML. */
  readonly documents: readonly string[];
  readonly left: readonly { readonly address: string; readonly why: string }[];
  /** Attributes that the manifests do not express, by address. */
  readonly lost: readonly (Lost & { readonly address: string })[];
}

/** @throws UsageError if the file is not a state of Terraform */
export function importOf(file: string, options: ImportOptions): Imports {
  const state = readState(file);
  const left = [...state.left];
  const lost: Imports['lost'][number][] = [];
  const documents: string[] = [];
  const taken = new Set<string>();
  const addresses = new Map<string, string>();
  const configs = new Map<string, string>();
  // Objects that others refer to come first.
  const ordered = state.instances.toSorted((a, b) => rank(a) - rank(b));
  for (const one of ordered) {
    const type = terraformTypes.get(one.type);
    const why = type?.provider === one.provider ? unfit(one, type) : 'Holdfast has no kind for it';
    if (!type || why !== undefined) {
      left.push({ address: one.address, why: why ?? '' });
      continue;
    }
    const external = externalOf(one, type);
    const known = addresses.get(external.id);
    const connection = connectionOf(one, type, options);
    const parent = type.mount ? configs.get(external.parent) : connection.name;
    if (known !== undefined || parent === undefined) {
      const reason =
        known === undefined ? 'its configuration is not imported' : `it is the same object as ${known}`;
      left.push({ address: one.address, why: reason });
      continue;
    }
    const key = freeKey({ kind: type.kind, namespace: options.into, name: external.name }, taken);
    const { manifest, unsaid } = declared(one, type, { key, parent, name: external.name });
    const problem = problemOf(type.kind, manifest.spec);
    if (problem) {
      left.push({
        address: one.address,
        why: `${problem.path}: ${problem.got === '' ? '' : 'expected '}${problem.expected}`,
      });
      continue;
    }
    addresses.set(external.id, one.address);
    if (!type.mount) configs.set(external.id, key.name);
    const notes = [...(type.mount ? [] : connection.notes), ...manifest.notes];
    documents.push(documentOf({ ...manifest, notes }));
    lost.push(...unsaid.map((attribute) => ({ address: one.address, ...attribute })));
  }
  return { documents, left, lost };
}

const rank = ({ type }: Instance): number => (terraformTypes.get(type)?.mount ? 1 : 0);

/** What a service calls the namespace that it has from the start. */
const usualNamespace = { nomad: 'default', vault: '' };

/**
 * Objects of another provider configuration or namespace get a connection of their own. Through the usual one they would
 * be looked for, and made, in the wrong place.
 */
function connectionOf(one: Instance, { provider }: ResourceType, options: ImportOptions) {
  const usual = { nomad: options.schedulerConnection, vault: options.secretsConnection }[provider];
  const namespace = namespaceOf(one);
  const isUsual = namespace === '' || namespace === usualNamespace[provider];
  const other = [...(one.alias === undefined ? [] : [one.alias]), ...(isUsual ? [] : [namespace])];
  if (other.length === 0) return { name: usual, notes: [] };
  const name = objectName(`${usual}-${other.join('-')}`);
  const where = [
    ...(one.alias === undefined ? [] : [`provider alias ${one.alias}`]),
    ...(isUsual ? [] : [`namespace ${bounded(namespace)}`]),
  ].join(' and ');
  return { name, notes: [`connectionRef: declare ${name} for ${where}, or name the connection that is`] };
}

const namespaceOf = ({ attributes }: Instance): string => textAt(attributes, ['namespace', '']);

function unfit({ attributes }: Instance, { needs, name }: ResourceType): string | undefined {
  if (textAt(attributes, name) === '') return `${name[0]}: expected a text`;
  if (!needs || needs.some((attribute) => !isUnset(attributes[attribute]))) return undefined;
  return `${needs.join(', ')}: expected ${needs.length === 1 ? 'a value' : 'a value for one of them'}`;
}

function textAt(
  attributes: Instance['attributes'],
  [name, otherwise]: readonly [string, string, ...string[]],
): string {
  const held = attributes[name] ?? otherwise;
  return typeof held === 'string' ? held : '';
}

/** Identifies an external object and, if it has a configuration, that one. */
function externalOf(one: Instance, { names: [type = ''], name, mount, engine }: ResourceType) {
  const { provider, alias = '', attributes } = one;
  const at = [provider, alias, namespaceOf(one)];
  const named = textAt(attributes, name);
  const within = mount ?? engine;
  const path = within ? textAt(attributes, within) : '';
  const parent = JSON.stringify([...at, mount?.[2] ?? '', '', path]);
  return { name: named, parent, id: JSON.stringify([...at, type, path, named]) };
}
