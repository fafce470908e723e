// Publishes outputs as Secrets in the namespace of the object. Annotations name the owner; a Secret that this object did
// not write is never changed (docs/decisions/0021-outputs-in-kubernetes.md). The Secrets have no ownerReferences: the
// garbage collector would delete a password with an object whose `deletionPolicy` is Retain, or that is deleted to be
// restored elsewhere.
import { createHmac, randomBytes } from 'node:crypto';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import type { Written } from '../../api/kubernetes/options.ts';
import {
  secrets,
  type KubernetesObject,
  type Metadata,
  type ObjectName,
} from '../../api/kubernetes/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { isTexts } from '../../core/json.ts';
import { keyText } from '../../core/resource.ts';
import { holdsSecret, reveal, Secret, type Sealed } from '../../core/secret.ts';
import type { Output, Published } from '../../core/source/output.ts';
import { isOwn, ownerOf, type Publisher } from '../publisher.ts';

const annotation = {
  owner: 'holdfast.dev/owner',
  uid: 'holdfast.dev/owner-uid',
  revision: 'holdfast.dev/revision',
  digest: 'holdfast.dev/digest',
} as const;
const managed = { 'app.kubernetes.io/managed-by': 'holdfast' };
/** The only type that is written: a Secret of another type may grant something by its existence. */
const type = 'Opaque';
const tries = 3;

type Texts = Readonly<Record<string, string>>;

export class Outputs {
  readonly #client: Pick<KubernetesClient, 'get' | 'create' | 'replace' | 'remove'>;

  constructor(client: Pick<KubernetesClient, 'get' | 'create' | 'replace' | 'remove'>) {
    this.#client = client;
  }

  /** @throws ApiError `OutputUnusable` */
  async published(publisher: Publisher, name: string): Promise<Published> {
    const found = await explained(publisher, name, () => this.#client.get(secrets, at(publisher, name)));
    return judged(found, publisher);
  }

  /** @throws ApiError `OutputConflict` if another owner's Secret has the name, `OutputUnusable` */
  publish(publisher: Publisher, output: Output): Promise<void> {
    return this.#write(publisher, output, false);
  }

  /**
   * Has the API server check everything but the values, by a dry run: permissions, quotas, admission. It sends no
   * entries, so that the API server rejects it for an immutable Secret.
   * @throws ApiError as `publish` would
   */
  tryPublish(publisher: Publisher, name: string): Promise<void> {
    return this.#write(publisher, { name, revision: '', entries: {} }, true);
  }

  /** Deletes the output. A Secret that is absent, or not this object's, is left alone. @throws ApiError */
  async withdraw(publisher: Publisher, name: string): Promise<void> {
    await explained(publisher, name, async () => {
      const found = await this.#client.get(secrets, at(publisher, name));
      if (!found || judged(found, publisher).is !== 'ours') return;
      await this.#client.remove(secrets, at(publisher, name), found.metadata.uid);
    });
  }

  async #write(publisher: Publisher, output: Output, dryRun: boolean): Promise<void> {
    const { name } = output;
    for (let turn = 0; turn < tries; turn++) {
      const { is } = await explained(publisher, name, () => this.#attempt(publisher, output, dryRun));
      if (is === 'done' || is === 'tried') return;
    }
    throw conflict(publisher, name, 'is written by somebody else at the same time');
  }

  async #attempt(publisher: Publisher, output: Output, dryRun: boolean): Promise<Written> {
    const place = at(publisher, output.name);
    const found = await this.#client.get(secrets, place);
    const before = judged(found, publisher);
    if (before.is === 'foreign') throw conflict(publisher, output.name, `belongs to ${before.owner}`);
    const body = bodyOf(publisher, output, found);
    const write = found
      ? this.#client.replace(secrets, place, body, { dryRun })
      : this.#client.create(secrets, place.namespace, body, { dryRun });
    const written = await write.catch((error: unknown) => Promise.reject(ofImmutable(error, found)));
    // Else the next look would find another output than the written one, and it would be written again and again.
    if (written.is === 'done' && !isWhole(written.object, publisher)) throw changed();
    return written;
  }
}

const at = ({ key: { namespace } }: Publisher, name: string): ObjectName => ({ namespace, name });

function judged(found: KubernetesObject | undefined, publisher: Publisher): Published {
  if (!found) return { is: 'absent' };
  const { annotations = {} } = found.metadata;
  const owner = annotations[annotation.owner];
  const uid = annotations[annotation.uid];
  if (owner === undefined || uid === undefined || found['type'] !== type)
    return { is: 'foreign', owner: 'somebody else' };
  if (!isOwn(uid, publisher)) return { is: 'foreign', owner: ownerOf(owner, uid, publisher) };
  const revision = annotations[annotation.revision] ?? '';
  const digest = annotations[annotation.digest] ?? '';
  const data = isTexts(found['data']) ? found['data'] : {};
  const isAsWritten = digest === digestOf(digest.split('.')[0] ?? '', revision, data);
  return { is: 'ours', revision, whole: uid === publisher.uid && isAsWritten };
}

const isWhole = (stored: KubernetesObject, publisher: Publisher): boolean => {
  const now = judged(stored, publisher);
  return now.is === 'ours' && now.whole;
};

const changed = (): ApiError =>
  unusable('its entries are changed while they are stored, as by an admission webhook');

/** The API server says of it no more than that its data is invalid. */
const ofImmutable = (error: unknown, found: KubernetesObject | undefined): unknown =>
  error instanceof ApiError && error.status === 422 && found?.['immutable'] === true
    ? unusable('it is immutable: delete it, and it is written anew', error)
    : error;

const unusable = (message: string, cause?: ApiError): ApiError =>
  new ApiError('waiting', 'OutputUnusable', message, { cause });

/** Keeps what other writers have added to the metadata. */
function bodyOf(
  publisher: Publisher,
  { name, revision, entries }: Output,
  found: KubernetesObject | undefined,
): Sealed {
  const { key, uid } = publisher;
  const encoded = Object.entries(entries).map(([entry, parts]) => {
    const value = parts.map((part) => (part instanceof Secret ? reveal(part) : part)).join('');
    return [entry, Buffer.from(value).toString('base64')] as const;
  });
  // A name among them is no secret: it may be that of the namespace, which refusals quote.
  const data = encoded.map(([entry, text]) => [
    entry,
    holdsSecret(entries[entry] ?? []) ? Secret.of(`${name}/${entry}`, revision, text) : text,
  ]);
  const salt = randomBytes(16).toString('base64url');
  const { labels, annotations, ...metadata }: Partial<Metadata> = found?.metadata ?? at(publisher, name);
  return {
    ...found,
    apiVersion: secrets.apiVersion,
    kind: secrets.kind,
    type,
    metadata: {
      ...metadata,
      labels: { ...labels, ...managed },
      annotations: {
        ...annotations,
        [annotation.owner]: keyText(key),
        [annotation.uid]: uid,
        [annotation.revision]: revision,
        [annotation.digest]: digestOf(salt, revision, Object.fromEntries(encoded)),
      },
    },
    data: Object.fromEntries(data),
  };
}

/** Shows whether the values are still the written ones. The salt prevents comparisons with the digest of another Secret. */
function digestOf(salt: string, revision: string, data: Texts): string {
  const entries = Object.keys(data)
    .toSorted()
    .map((entry) => [entry, data[entry]]);
  const sum = createHmac('sha256', salt)
    .update(JSON.stringify([revision, entries]))
    .digest('base64url');
  return `${salt}.${sum}`;
}

const conflict = ({ key }: Publisher, name: string, why: string): ApiError =>
  new ApiError('waiting', 'OutputConflict', `output ${key.namespace}/${name} ${why}`);

/** Turns errors of the API server into errors of the output: they do not mean that the object's service has an outage. */
async function explained<T>({ key }: Publisher, name: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason === 'OutputConflict') throw error;
    const { mayHaveHadEffect, retryAfterMs } = error;
    const message = `output ${key.namespace}/${name} can't be used: ${error.message}`;
    const kind = error.class === 'refused' ? 'waiting' : error.class; // someone has to grant the permission
    throw new ApiError(kind, 'OutputUnusable', message, { mayHaveHadEffect, retryAfterMs, cause: error });
  }
}
