// What Terraform's providers call the things that Holdfast declares: what `holdfast import` reads of a kind. PURE.
import { isRecord } from '../core/json.ts';
import type { FieldTable } from '../core/planning/diff.ts';
import type { Json } from '../core/secret.ts';
import { durationText } from './exported.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** A field, and how its value is written. */
type Field = string | readonly [path: string, written: (value: unknown, attributes: Attributes) => unknown];

/** A type of resource, by the provider's own words. */
export interface ResourceType {
  readonly names: readonly string[];
  readonly provider: 'nomad' | 'vault';
  readonly table: FieldTable;
  readonly attributes: Readonly<Record<string, Field>>;
  /** Blocks of which a part is read, however sensitive the rest, by attribute: the parts that no field says. */
  readonly partly?: Readonly<Record<string, readonly string[]>>;
  /** The attribute that names it in its service, the name if there is none, and the field that says so. */
  readonly name: readonly [attribute: string, otherwise: string, field: 'externalName' | 'mount'];
  /** The mount of a role, and the type of its configuration. */
  readonly mount?: readonly [attribute: string, otherwise: string, config: string];
  /** What the others of the type are, and Holdfast does not import. */
  readonly only?: readonly [attribute: string, value: string];
  /** By attribute: the field, the end of the placeholder's name, the key in it, and the field without which there is none. */
  readonly secrets?: Readonly<Record<string, readonly [field: string, end: string, key: string, by: string]>>;
  /** What manifests of adopted objects always say. */
  readonly always: Readonly<Record<string, Json>>;
  /** What the service or the provider computes, or another attribute says. */
  readonly unread: readonly string[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const at = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
/** A block that can be there once is a list of one, or an object. */
export const block = (value: unknown, name: string): unknown =>
  at(Array.isArray(value) ? value[0] : value, name);
export const blocks = (value: unknown, written: (one: unknown) => unknown): unknown =>
  listOf(value).map((one) => written(one));
/** Seconds as a duration. */
export const span = (value: unknown): unknown => (typeof value === 'number' ? durationText(value) : value);
/** Texts that a provider joins with commas. */
export const split = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((text) => text.trim()) : value;
