// What a kind declares about itself, as data for the parser, the CRD, the reference pages and the sources.
import type * as z from 'zod';
import type { FieldTable } from '../core/planning/diff.ts';
import type { ReferenceRule } from './references.ts';

/** A CEL rule over `self` (the spec) and, on updates, `oldSelf`. */
export interface Rule {
  readonly rule: string;
  readonly message: string;
  /** As in Kubernetes: `.create.capacity`. */
  readonly fieldPath?: string;
}

export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly jsonPath: string;
  /** 1: with -o wide only. */
  readonly priority?: 1;
}

export interface Declaration<Spec extends z.ZodType = z.ZodType> {
  readonly kind: string;
  readonly plural: string;
  readonly shortNames: readonly string[];
  readonly scope: 'Namespaced' | 'Cluster';
  readonly description: string;
  /** Every field is described and bounded. No refinements, transforms or defaults: a CRD can't hold them. */
  readonly spec: Spec;
  /** JSON pointers into the spec. Immutable fields, and those that need a replacement, become transition rules. */
  readonly fields: FieldTable;
  readonly references: readonly ReferenceRule[];
  /** Rules that neither the shape nor the field table can express. */
  readonly rules: readonly Rule[];
  /**
   * Why an object with this spec, which is valid, does nothing all the same: what no schema can tell. `validate` warns of it.
   * @returns the field and the reason, such as `/schedule: it never comes`
   */
  doubt?(spec: z.infer<Spec>): string | undefined;
  /** Printer columns between Drift and Reason. Kinds with an external name show it first. */
  readonly columns: readonly Column[];
}

export const group = 'holdfast.dev';
export const version = 'v1alpha1';
export const apiVersion = `${group}/${version}`;
