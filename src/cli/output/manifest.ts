// An object with its status as a Kubernetes document, for `-o json` and `-o yaml`, and the values of printer columns.
import { isRecord } from '../../core/json.ts';
import { apiVersion } from '../../runtime/kinds/lookup.ts';
import type { Entry } from '../../core/source/source.ts';

type Document = Readonly<Record<string, unknown>>;

/** Requests become annotations. So does the file that declares the object: kustomize and kpt use the same name. */
export function manifestOf({ object, status }: Entry): Document {
  const { key, uid, generation, labels, createdAt, deleting, origin, requests, spec } = object;
  const annotations = {
    ...Object.fromEntries(Object.entries(requests).map(([name, token]) => [`holdfast.dev/${name}`, token])),
    ...(origin !== undefined && { 'config.kubernetes.io/path': origin }),
  };
  return {
    apiVersion,
    kind: key.kind,
    metadata: {
      name: key.name,
      ...(key.namespace !== '' && { namespace: key.namespace }),
      ...(uid !== '' && { uid, generation }),
      ...(createdAt !== undefined && { creationTimestamp: createdAt }),
      ...(labels && { labels }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    },
    ...(spec !== undefined && { spec }),
    status: { ...status, ...(deleting && { deleting }) },
  };
}

export const listOf = (items: readonly Document[]): Document => ({ apiVersion: 'v1', kind: 'List', items });

const steps = /\.(?<name>\w+)|\[(?<index>\d+)\]|\[\?\(@\.(?<field>\w+)=="(?<wanted>[^"]*)"\)\]/g;

/** Evaluates a printer column's JSONPath: names, indexes, and the first element with a field of a given value. */
export function valueAt(document: unknown, jsonPath: string): unknown {
  let at = document;
  for (const { groups = {} } of jsonPath.matchAll(steps)) {
    const { name, index, field, wanted } = groups;
    const list: readonly unknown[] = Array.isArray(at) ? at : [];
    if (name !== undefined) at = held(at, name);
    else if (field !== undefined) at = list.find((one) => held(one, field) === wanted);
    else at = list[Number(index)];
  }
  return at;
}

const held = (value: unknown, name: string): unknown =>
  isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
