// An object with its status as a document of Kubernetes, for `-o json` and `-o yaml`; and what a column shows of it.
import { isRecord } from '../../core/json.ts';
import { apiVersion } from '../../runtime/kinds.ts';
import type { Entry } from '../../core/source/source.ts';

type Document = Readonly<Record<string, unknown>>;

/** Requests are annotations; the file of a directory's object is where kustomize and kpt keep it. */
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

/** What a printer column's JSONPath finds: names, positions, and the first element with a field of that value. */
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
