// Seals the type parameters of a kind (spec, live state, own status), so that one registry holds all kinds and the engine
// handles them alike. There are no casts and no `any`: each stage closes over the types of the one before.
import type { Status } from '../status/status.ts';
import type { Discovery } from './discovery.ts';
import type { Throwaway } from '../effect.ts';
import type { PolicyChoice } from '../planning/policy.ts';
import type { DeclaredObject, ExternalObject, ExternalRef, Key } from '../resource.ts';
import type { RequestDeclaration } from '../source/request.ts';
import type { Json } from '../secret.ts';
import type { TimelineStep } from '../status/view.ts';
import type { Closed, Interference, Kind, Open } from './kind.ts';
import { externalOf, OpenedObject, ownStatus, type Opened } from './opened.ts';

export interface SealedKind<E, Reader> {
  readonly name: string;
  readonly connectionField: string | undefined;
  readonly leavesNothing?: true;
  readonly servesUnready?: true;
  readonly requests: readonly RequestDeclaration[];
  readonly discovery: readonly Discovery<Reader>[];
  readonly generates: readonly string[];
  throwaways(status: Status, key: Key): readonly Throwaway[];
  external(ref: ExternalRef): ExternalObject;
  /** `undefined`: its objects have none, or the object has no valid spec. @throws SpecError */
  unplaced(object: Pick<DeclaredObject, 'key' | 'spec'>, ref: ExternalRef): ExternalObject | undefined;
  data(status: Status): readonly string[];
  /** Its objects compete for the data that they declare (kind.ts, `places`). */
  readonly contends?: true;
  /** The kind has `isPresent`. Absent: that is `undefined` of all its objects, and tells nothing. */
  readonly tellsPresence?: true;
  isPresent(status: Status): boolean | undefined;
  timeline(status: Status): readonly TimelineStep[];
  interference(ref: ExternalRef): Interference | undefined;
  serviceID(status: Status): string | undefined;
  /** What is open outside, according to the status alone. */
  openIn(status: Status): Open<E> | undefined;
  closing(status: Status, read: Reader, signal: AbortSignal): Promise<Json | undefined>;
  closed(status: Status, how: Closed, read: Reader, signal: AbortSignal): Promise<Status>;
  /** Whether a removal has begun that can still be undone, or an update that removes the object for a moment. */
  isHalfRemoved(status: Status): boolean;
  /** The status once a person trusts an older state: data that was about to be destroyed is kept. */
  keep(status: Status): Status;
  /** @throws SpecError */
  open(object: Pick<DeclaredObject, 'key' | 'spec' | 'requests'>, defaults: PolicyChoice): Opened<E, Reader>;
}

export function defineKind<Spec, Live, Own extends Json, E, Reader>(
  declared: Kind<Spec, Live, Own, E, Reader>,
): SealedKind<E, Reader> {
  const kind = { ...declared, parseOwn: ofLast((own: unknown) => declared.parseOwn(own)) };
  return {
    name: kind.name,
    connectionField: kind.connectionField,
    ...(kind.leavesNothing && { leavesNothing: true }),
    ...(kind.isPresent && { tellsPresence: true }),
    ...(kind.servesUnready && { servesUnready: true }),
    external: (ref) => externalOf(kind, ref),
    unplaced({ key, spec }, ref) {
      const found = spec === undefined ? undefined : kind.unplaced?.(kind.parse(spec), key, ref);
      return found && externalOf(kind, found);
    },
    ...(kind.places && { contends: true }),
    data: (status) => kind.data?.(ownStatus(kind, status)) ?? [],
    requests: kind.requests ?? [],
    discovery: kind.discovery ?? [],
    generates: kind.generates ?? [],
    throwaways: (status, key) => kind.throwaways?.(ownStatus(kind, status), key) ?? [],
    isPresent: (status) => kind.isPresent?.(ownStatus(kind, status)),
    timeline: (status) => kind.timeline?.(status) ?? [],
    interference: (ref) => kind.interference?.(ref),
    serviceID: (status) => kind.serviceID?.(status),
    openIn: (status) => kind.open?.(ownStatus(kind, status)),
    closing: async (status, read, signal) => kind.closing?.(ownStatus(kind, status), read, signal),
    async closed(status, how, read, signal) {
      const own = await kind.closed?.(ownStatus(kind, status), how, read, signal);
      const { own: _own, ...rest } = status;
      return own === undefined ? rest : { ...rest, own };
    },
    isHalfRemoved: (status) => kind.isHalfRemoved?.(ownStatus(kind, status)) === true,
    keep(status) {
      const recorded = ownStatus(kind, status);
      return recorded.own !== undefined && kind.keep ? kind.keep(recorded) : status;
    },
    open: (object, defaults) => new OpenedObject(kind, object, defaults),
  };
}

/** Remembers the last result: in a visit, the same is asked for several times. */
function ofLast<A, B>(make: (of: A) => B): (of: A) => B {
  let last: { readonly of: A; readonly made: B } | undefined;
  return (of) => (last = last && last.of === of ? last : { of, made: make(of) }).made;
}
