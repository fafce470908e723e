// `metadata` as people write it and as `kubectl get -o yaml` prints it. The rules are those of Kubernetes: a cluster
// accepts what a directory accepts.
import * as z from 'zod';
import { name, namespace } from './parts.ts';

/** A name of up to 63 characters, after a DNS subdomain and a slash if there is one. */
const keyPattern =
  /^(?=.{1,253}\/|[^/]*$)([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?[A-Za-z0-9]([-._A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;
const keyExpected =
  'a key of letters, digits, -, _ and . of up to 63 characters, with a DNS name and / before it if it has an owner';
const labelKey = z.string().regex(keyPattern, keyExpected);
/** Kubernetes ignores case here. */
const annotationKey = z.string().regex(new RegExp(keyPattern, 'i'), keyExpected);
const finalizer = z
  .string()
  .regex(keyPattern, 'the name of a finalizer, such as example.com/name, up to 63 characters after the /');

const labelValue = z
  .string()
  .max(63, { abort: true })
  .regex(
    /^([A-Za-z0-9]([-._A-Za-z0-9]*[A-Za-z0-9])?)?$/,
    'letters, digits and, inside, -, _ and ., up to 63 characters',
  );

const annotationBytesMax = 262_144;
const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(text).length;

const annotations = z.record(annotationKey, z.string()).check(({ value, issues }) => {
  const bytes = Object.entries(value).reduce((sum, [key, text]) => sum + bytesOf(key) + bytesOf(text), 0);
  if (bytes <= annotationBytesMax) return;
  const message = `at most ${annotationBytesMax} bytes in all`;
  issues.push({ code: 'custom', message, input: value });
});

const filled = z.string().min(1);
const owner = z.strictObject({
  apiVersion: z.string().regex(/^([^/]+\/)?[^/]+$/, 'a version, such as apps/v1'),
  kind: filled,
  name: filled,
  uid: filled,
  controller: z.boolean().nullish(),
  blockOwnerDeletion: z.boolean().nullish(),
});

const owners = z.array(owner).check(({ value, issues }) => {
  if (value.filter(({ controller }) => controller === true).length <= 1) return;
  issues.push({ code: 'custom', message: 'at most one controller', input: value });
});

const instant = z.iso.datetime({ offset: true, error: 'a time such as 2026-11-22T10:00:00Z' }).nullish();

/** Fields that the API server writes are accepted, and ignored in a directory. */
const metadata = {
  name,
  labels: z.record(labelKey, labelValue).nullish(),
  annotations: annotations.nullish(),
  generateName: z.never('no generateName: a declared object has a name of its own').exactOptional(),
  uid: z.string().nullish(),
  resourceVersion: z.string().nullish(),
  generation: z.int().min(0).nullish(),
  selfLink: z.string().nullish(),
  creationTimestamp: instant,
  deletionTimestamp: instant,
  deletionGracePeriodSeconds: z.int().nullish(),
  ownerReferences: owners.nullish(),
  finalizers: z.array(finalizer).nullish(),
  managedFields: z.unknown().exactOptional(),
};

export const metadataOf = {
  Namespaced: z.strictObject({ ...metadata, namespace: namespace.exactOptional() }),
  Cluster: z.strictObject({
    ...metadata,
    namespace: z.never('no namespace: objects of this kind are cluster-scoped').exactOptional(),
  }),
};
