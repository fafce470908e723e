// The manifest of one object of a Terraform state, and what it does not express.
import type { Manifest } from '../../controller/discovery.ts';
import { objectName } from '../../core/kind/discovery.ts';
import { isRecord } from '../../core/json.ts';
import type { Json } from '../../core/secret.ts';
import { placeholder, specOf } from '../../schema/exported.ts';
import { FromSecret, isUnset, type ResourceType, type Said } from '../../schema/terraform.ts';
import { bounded, type Instance } from './instance.ts';

/** An attribute that the manifest does not express. */
export interface Lost {
  readonly attribute: string;
  /** It belongs to the mount itself, which Holdfast never touches. */
  readonly isOfMount: boolean;
}

interface Place {
  readonly key: Manifest['key'];
  /** Name of the connection or configuration that the object refers to. */
  readonly parent: string;
  readonly name: string;
}

export function declared(one: Instance, type: ResourceType, { key, parent, name }: Place) {
  const { attributes } = one;
  const { fields, unsaid } = fieldsOf(one, type);
  const secrets = Object.entries(type.secrets ?? {})
    .filter(([attribute, { by }]) => !isUnset(attributes[attribute]) || fields.has(by))
    .map(([, { path, from }]) => [path, from] as const);
  const notes: string[] = [];
  const have: Record<string, Json> = {};
  for (const [path, value] of [...fields, ...secrets]) {
    const { json, from } = resolved(value, objectName(name));
    have[path] = json;
    for (const secret of from)
      notes.push(
        `${path.slice(1).replaceAll('/', '.')}: not taken from the state; make the Secret ${secret}`,
      );
  }
  const field = type.name[2];
  const named = field === 'externalName' && key.name === name ? {} : { [field]: name };
  const spec: Manifest['spec'] = {
    [type.mount ? 'configRef' : 'connectionRef']: { name: parent },
    ...named,
    adoptionPolicy: 'AdoptIfIdentical',
    ...specOf(type.table, have),
    ...type.always,
  };
  const manifest: Manifest = { key, spec, notes };
  return { manifest, unsaid };
}

function fieldsOf({ attributes, sensitive }: Instance, type: ResourceType) {
  const fields = new Map<string, unknown>();
  const unsaid: Lost[] = [];
  const known = new Set([type.name[0], type.mount?.[0], 'namespace', ...type.unread]);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (known.has(attribute) || isUnset(value)) continue;
    if (type.secrets && Object.hasOwn(type.secrets, attribute)) continue;
    const said = saidOf(attribute, attributes, sensitive.has(attribute), type);
    for (const [path, one] of Object.entries(said.fields)) if (!isUnset(one)) fields.set(path, one);
    const isOfMount = type.ofMount?.includes(attribute) === true;
    const isUsual = value === (type.usual?.[attribute] ?? false);
    const lost = isUsual ? [] : (said.lost ?? []);
    unsaid.push(...lost.map((part) => ({ attribute: bounded(part), isOfMount })));
  }
  return { fields, unsaid };
}

/** The fields that an attribute comes to, and what of it no field expresses. */
function saidOf(
  attribute: string,
  attributes: Instance['attributes'],
  isSensitive: boolean,
  { attributes: all }: ResourceType,
): Said {
  const field = Object.hasOwn(all, attribute) ? all[attribute] : undefined;
  const value = attributes[attribute];
  if (field === undefined) return { fields: {}, lost: [attribute] };
  if (typeof field === 'function') {
    const { fields, lost = [] } = field(value, attributes, isSensitive);
    return { fields, lost: lost.map((part) => `${attribute}.${part}`) };
  }
  const [path, said] = typeof field === 'string' ? [field, value] : [field[0], field[1](value, attributes)];
  return isSensitive && !(said instanceof FromSecret)
    ? { fields: {}, lost: [attribute] }
    : { fields: { [path]: said } };
}

/** The value as a manifest has it, with references in place of what comes from Secrets, and the names of those. */
function resolved(value: unknown, name: string): { readonly json: Json; readonly from: readonly string[] } {
  const from = new Set<string>();
  const put = (one: unknown): unknown => {
    if (one instanceof FromSecret) {
      const ref = placeholder(`${name}-${one.end}`, one.key);
      from.add(ref.name);
      return ref;
    }
    if (Array.isArray(one)) return one.map(put);
    if (!isRecord(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([key, part]) => [key, put(part)]));
  };
  // oxlint-disable-next-line no-unsafe-type-assertion -- undefined is left out by the round trip
  const json = JSON.parse(JSON.stringify(put(value))) as Json;
  return { json, from: [...from] };
}
