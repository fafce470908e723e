// Converts a state file of Terraform to manifests, in the form that `holdfast export` writes.
import { freeKey, type Manifest } from '../../controller/discovery.ts';
import { objectName } from '../../core/kind/discovery.ts';
import type { Json } from '../../core/secret.ts';
import { placeholder, specOf } from '../../schema/exported.ts';
import { documentOf } from '../discovery/export.ts';
import { problemOf, terraformTypes, type TerraformType as ResourceType } from '../kinds/lookup.ts';
import { block } from '../../schema/terraform.ts';
import { bounded, readState, type Instance } from './state.ts';

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
  readonly lost: readonly { readonly address: string; readonly attribute: string }[];
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
    const parent = type.mount ? configs.get(external.parent) : connectionOf(type, options);
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
    documents.push(documentOf(manifest));
    lost.push(...unsaid.map((attribute) => ({ address: one.address, attribute: bounded(attribute) })));
  }
  return { documents, left, lost };
}

const rank = ({ type }: Instance): number => (terraformTypes.get(type)?.mount ? 1 : 0);

const connectionOf = ({ provider }: ResourceType, options: ImportOptions): string =>
  ({ nomad: options.schedulerConnection, vault: options.secretsConnection })[provider];

function unfit({ attributes }: Instance, { only, name }: ResourceType): string | undefined {
  if (only && attributes[only[0]] !== only[1]) return `only those of ${only[0]} ${only[1]} are imported`;
  return textAt(attributes, name) === '' ? `${name[0]}: expected a text` : undefined;
}

function textAt(
  attributes: Instance['attributes'],
  [name, otherwise]: readonly [string, string, ...string[]],
): string {
  const held = attributes[name] ?? otherwise;
  return typeof held === 'string' ? held : '';
}

/** Identifies an external object and, if it has a mount, the configuration that it belongs to. */
function externalOf(
  { provider, alias = '', attributes }: Instance,
  { names: [type = ''], name, mount }: ResourceType,
) {
  const at = [provider, alias, textAt(attributes, ['namespace', ''])];
  const named = textAt(attributes, name);
  const path = mount ? textAt(attributes, mount) : '';
  const parent = JSON.stringify([...at, mount?.[2] ?? '', '', path]);
  return { name: named, parent, id: JSON.stringify([...at, type, path, named]) };
}

interface Place {
  readonly key: Manifest['key'];
  /** Name of the connection or configuration that the object refers to. */
  readonly parent: string;
  readonly name: string;
}

function declared(one: Instance, type: ResourceType, { key, parent, name }: Place) {
  const { attributes, sensitive, alias } = one;
  const have: Record<string, Json> = {};
  const unsaid: string[] = [];
  const known = new Set([type.name[0], type.mount?.[0], type.only?.[0], 'namespace', ...type.unread]);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (known.has(attribute) || isUnset(value) || type.secrets?.[attribute]) continue;
    const field = Object.hasOwn(type.attributes, attribute) ? type.attributes[attribute] : undefined;
    const unread = type.partly?.[attribute];
    const isWithheld = sensitive.has(attribute) && !unread;
    if (field === undefined || isWithheld) {
      if (value !== false) unsaid.push(attribute);
      continue;
    }
    const said = typeof field === 'string' ? value : field[1](value, attributes);
    const path = typeof field === 'string' ? field : field[0];
    if (!isUnset(said)) have[path] = json(said);
    for (const part of unread ?? []) if (!isUnset(block(value, part))) unsaid.push(`${attribute}.${part}`);
  }
  const secrets = Object.entries(type.secrets ?? {}).filter(
    ([attribute, [, , , by]]) => !isUnset(attributes[attribute]) || have[by] !== undefined,
  );
  const refs = secrets.map(
    ([, [field, end, of]]) => [field, placeholder(`${objectName(name)}-${end}`, of)] as const,
  );
  const notes = refs.map(
    ([field, ref]) => `${field}: it is not taken from the state; make the Secret ${ref.name}`,
  );
  const namespace = textAt(attributes, ['namespace', '']);
  if (alias !== undefined)
    notes.push(`provider alias ${alias}: see that the connection leads to the same service`);
  if (!['', 'default'].includes(namespace))
    notes.push(`namespace ${bounded(namespace)}: see that it is that of the connection`);
  const field = type.name[2];
  const named = field === 'externalName' && key.name === name ? {} : { [field]: name };
  const spec: Manifest['spec'] = {
    [type.mount ? 'configRef' : 'connectionRef']: { name: parent },
    ...named,
    adoptionPolicy: 'AdoptIfIdentical',
    ...specOf(type.table, have),
    ...Object.fromEntries(refs),
    ...type.always,
  };
  return { manifest: { key, spec, notes }, unsaid };
}

// oxlint-disable-next-line no-unsafe-type-assertion -- undefined is left out by the round trip
const json = (value: unknown): Json => JSON.parse(JSON.stringify(value)) as Json;

function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}
