// What changes what is stored: creates, updates, deletions, and what refuses them.
import { isRecord, parseJson } from '../../../src/core/json.ts';
import { isDeepStrictEqual } from 'node:util';
import { namespaces, type Resource } from '../../../src/api/kubernetes/resources.ts';
import {
  alreadyExists,
  badRequest,
  conflict,
  forbidden,
  groupOf,
  invalid,
  notFound,
  otherVersion,
  Refused,
} from './answers.ts';
import {
  bodyOf,
  composed,
  created,
  frozen,
  marked,
  merged,
  metadataOf,
  refuseNew,
  textOf,
  traitsOf,
  updated,
  type Fields,
  type Stored,
} from './objects.ts';
import type { Store } from './store.ts';

/** Where a write goes, and whether it is only tried. */
export interface Target {
  readonly of: Resource;
  readonly namespace: string;
  /** Empty: a new object, whose body has the name. */
  readonly name: string;
  readonly isStatus: boolean;
  readonly dryRun: boolean;
}

export interface Written {
  readonly object: Stored;
  readonly is: 'created' | 'updated' | 'marked' | 'gone';
}

/** What a deletion asks for. */
interface Preconditions {
  readonly uid: string;
  readonly resourceVersion: string;
}

export const immortal = ['default', 'kube-node-lease', 'kube-public', 'kube-system'];

export interface Origin {
  readonly wallMs: () => number;
  readonly newUid: () => string;
}

export class Writes {
  readonly #store: Store;
  readonly #origin: Origin;
  readonly #namespaces: Resource;

  constructor(store: Store, of: Resource, origin: Origin) {
    this.#store = store;
    this.#namespaces = of;
    this.#origin = origin;
  }

  /** @throws Refused */
  found({ of, namespace, name }: Target): Stored {
    const found = this.#store.get(of, namespace, name);
    if (!found) throw notFound(of, name);
    return found;
  }

  create(target: Target, text: string): Written {
    const { of } = target;
    const body = bodyOf(of, text);
    const metadata = metadataOf(body);
    return this.#add(
      { ...target, name: textOf(metadata['name']) },
      { ...body, metadata: placed(target, metadata) },
    );
  }

  replace(target: Target, text: string): Written {
    const { of, name } = target;
    const body = bodyOf(of, text);
    const metadata = placed(target, metadataOf(body));
    refuseOtherName(target, metadata);
    const { uid } = metadata;
    const existing = this.#store.get(of, target.namespace, name);
    if (!existing && !traitsOf(of).putCreates) throw notFound(of, name);
    if (uid !== undefined && uid !== existing?.metadata.uid)
      throw conflict(of, name, `${storageError(target)}${otherUid(uid, existing)}`);
    if (existing) return this.#update(target, existing, { ...body, metadata });
    const { resourceVersion, ...unversioned } = metadata;
    const { is, object } = this.#add(target, { ...body, metadata: unversioned }, true);
    if (!target.dryRun || resourceVersion === undefined) return { is, object };
    return { is, object: composed(of, object, { ...object.metadata, resourceVersion }) };
  }

  patch(target: Target, text: string): Written {
    const patch = parseJson(text);
    if (!isRecord(patch)) throw badRequest('Invalid JSON Patch');
    const existing = this.found(target);
    const wanted = merged(existing, patch);
    if (!isRecord(wanted)) throw badRequest('Invalid JSON Patch');
    const metadata = placed(target, metadataOf(wanted));
    refuseOtherName(target, metadata);
    return this.#update(target, existing, { ...wanted, metadata });
  }

  delete(target: Target, text: string): Written {
    const options = text === '' ? {} : parseJson(text);
    if (!isRecord(options)) throw badRequest('the options of a deletion are no object');
    const { of, name } = target;
    if (of.kind === namespaces.kind && immortal.includes(name))
      throw forbidden(of, name, 'this namespace may not be deleted');
    const existing = this.found(target);
    const { preconditions } = options;
    if (isRecord(preconditions)) demand(of, existing, preconditions);
    const tried = Array.isArray(options['dryRun']) && options['dryRun'].includes('All');
    // The query counts only where there is no body.
    return this.end(of, existing, text === '' ? target.dryRun : tried);
  }

  /** Deletes at once, or marks what finalizers hold. */
  end(of: Resource, existing: Stored, dryRun = false): Written {
    const { finalizers, deletionTimestamp } = existing.metadata;
    if (finalizers === undefined && of.kind !== namespaces.kind) {
      if (!dryRun) this.#store.remove(of, existing);
      return { is: 'gone', object: existing };
    }
    if (deletionTimestamp !== undefined) return { is: 'marked', object: existing };
    const object = marked(of, existing, this.#origin.wallMs());
    return { is: 'marked', object: dryRun ? object : this.#store.put(of, object) };
  }

  #add({ of, namespace, name, dryRun }: Target, body: Fields, byPut = false): Written {
    if (of.namespaced) this.#admit(of, namespace, name);
    const metadata = metadataOf(body);
    if (name === '') throw nameless(of);
    const { newUid, wallMs } = this.#origin;
    const made = created(of, { ...body, metadata }, { uid: newUid(), wallMs: wallMs(), byPut });
    refuseNew(of, made);
    if (metadata['resourceVersion'] !== undefined)
      throw new Refused(500, '', 'resourceVersion should not be set on objects to be created');
    const other = this.#store.get(of, namespace, name);
    if (other) throw alreadyExists(of, name, other.metadata.deletionTimestamp !== undefined);
    return { is: 'created', object: dryRun ? made : this.#store.put(of, made) };
  }

  /** Whether anything may be created in the namespace. */
  #admit(of: Resource, namespace: string, name: string): void {
    const found = this.#store.get(this.#namespaces, '', namespace);
    if (!found) throw notFound(this.#namespaces, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(of, name, why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }

  #update({ of, name, isStatus, dryRun }: Target, existing: Stored, wanted: Fields): Written {
    const { resourceVersion } = metadataOf(wanted);
    if (resourceVersion === undefined && !traitsOf(of).takesAnyVersion)
      throw invalid(of, name, [unversioned], of.plural);
    if (resourceVersion !== undefined && resourceVersion !== existing.metadata.resourceVersion)
      throw otherVersion(of, name);
    const object = updated(of, existing, wanted, isStatus);
    if (isHeldByNothing(of, object)) {
      if (!dryRun) this.#store.remove(of, existing);
      return { is: 'updated', object };
    }
    const isSame = isDeepStrictEqual(object, existing);
    return { is: 'updated', object: dryRun || isSame ? object : this.#store.put(of, object) };
  }
}

const unversioned = {
  field: 'metadata.resourceVersion',
  reason: 'FieldValueInvalid',
  message: 'Invalid value: 0: must be specified for an update',
} as const;

const nameless = (of: Resource): Refused =>
  invalid(of, '', [
    {
      field: 'metadata.name',
      reason: 'FieldValueRequired',
      message: 'Required value: name or generateName is required',
    },
  ]);

/** With the namespace of the path. @throws Refused if the body has another one */
function placed({ of, namespace }: Target, metadata: Fields): Fields {
  const { namespace: given = namespace, ...rest } = metadata;
  if (given !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  return frozen(of.namespaced ? { ...rest, namespace } : rest);
}

function refuseOtherName({ name }: Target, { name: given }: Fields): void {
  if (given !== name)
    throw badRequest(
      `the name of the object (${textOf(given)}) does not match the name on the URL (${name})`,
    );
}

const otherUid = (uid: unknown, existing?: Stored): string =>
  `Precondition failed: UID in precondition: ${textOf(uid)}, UID in object meta: ${existing?.metadata.uid ?? ''}`;

/** As etcd's layer says it, or that of trials. */
function storageError({ of, namespace, name, dryRun }: Target): string {
  const group = traitsOf(of).isBuiltIn ? [] : [groupOf(of)];
  const key = [
    dryRun ? '' : '/registry',
    ...group,
    of.plural,
    ...(of.namespaced ? [namespace] : []),
    name,
  ].join('/');
  return `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: `;
}

function demand(of: Resource, existing: Stored, wanted: Partial<Preconditions>): void {
  const { uid, resourceVersion } = wanted;
  const { metadata } = existing;
  const { name } = metadata;
  if (of.kind === namespaces.kind && uid !== undefined && uid !== metadata.uid)
    throw conflict(of, name, otherUid(uid, existing));
  if (uid !== undefined && uid !== metadata.uid)
    throw conflict(
      of,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`,
      of.kind,
    );
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion)
    throw conflict(
      of,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`,
      of.kind,
    );
}

/** Nothing keeps an object any more that is being deleted. */
function isHeldByNothing(of: Resource, { metadata, spec }: Stored): boolean {
  if (metadata.deletionTimestamp === undefined || metadata.finalizers !== undefined) return false;
  return of.kind !== namespaces.kind || !isRecord(spec) || spec['finalizers'] === undefined;
}
