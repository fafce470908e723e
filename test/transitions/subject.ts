// What is tried of each kind: a spec to start from, and for each field two values that it may have.
import type { Spec } from '../support/manifests.ts';

/** Values by JSON pointers into the spec. */
export type Patch = Readonly<Record<string, unknown>>;

export interface FieldValues {
  /** As in the field table, or the name of a field that is not in it. */
  readonly field: string;
  readonly a: Patch;
  readonly b: Patch;
  /** Declared throughout, so that the field can be. */
  readonly beside?: Patch;
  /** For what else it is read, although what is there does not depend on it any more. */
  readonly later?: string;
  /** Why no service shows which of the values was declared. */
  readonly unseen?: string;
}

/** One object among many of its kind: nothing else has its name, its mount or its account. */
export interface Place {
  readonly name: string;
}

export interface Subject {
  readonly kind: string;
  /** Every required field; of an object at that place. */
  readonly base: (place: Place) => Spec;
  readonly fields: readonly FieldValues[];
  /** Whether the service could make it: what it can't is tried again and again. Absent: whatever is valid. */
  readonly makes?: (spec: Spec) => boolean;
  /** Fields that say what Holdfast may do, not what shall be there. */
  readonly policies: readonly string[];
}

/** A field that one pointer sets. */
export const field = (at: string, a: unknown, b: unknown, more: Partial<FieldValues> = {}): FieldValues => ({
  field: at,
  a: { [at]: a },
  b: { [at]: b },
  ...more,
});

/** Of the envelope (src/schema/parts.ts): each has tests of what it does. */
export const envelope = [
  'adoptionPolicy',
  'deletionPolicy',
  'drift',
  'managementPolicy',
  'replacePolicy',
  'suspend',
];
