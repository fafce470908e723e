// How Terraform's providers name the fields of a kind, for `holdfast import`. PURE.
import { isRecord } from '../core/json.ts';
import type { FieldTable } from '../core/planning/diff.ts';
import type { Json } from '../core/secret.ts';
import { durationText } from './exported.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** The path of a field, with a function if its value is written differently. */
type Field = string | readonly [path: string, written: (value: unknown, attributes: Attributes) => unknown];

/** Resource types of Terraform that `holdfast import` converts to one kind. */
export interface ResourceType {
  readonly names: readonly string[];
  readonly provider: 'nomad' | 'vault';
  readonly table: FieldTable;
  readonly attributes: Readonly<Record<string, Field>>;
  /** Blocks that are read even if they are sensitive. By attribute: their parts that no field expresses. */
  readonly partly?: Readonly<Record<string, readonly string[]>>;
  /** The attribute with the object's name in its service, the default name, and the field for that name. */
  readonly name: readonly [attribute: string, otherwise: string, field: 'externalName' | 'mount'];
  /** For roles: the attribute with the mount, its default, and the resource type of the configuration. */
  readonly mount?: readonly [attribute: string, otherwise: string, config: string];
  /** Only resources whose attribute has this value are imported. */
  readonly only?: readonly [attribute: string, value: string];
  /** By attribute: the field, the end of the Secret's name, the key in it, and another field that needs the Secret. */
  readonly secrets?: Readonly<Record<string, readonly [field: string, end: string, key: string, by: string]>>;
  /** Fields that every imported manifest has. */
  readonly always: Readonly<Record<string, Json>>;
  /** Attributes that the service or the provider computes, or that repeat another attribute. */
  readonly unread: readonly string[];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const at = (value: unknown, name: string): unknown => (isRecord(value) ? value[name] : undefined);
/** An attribute of a single block, which is a list of one or an object. */
export const block = (value: unknown, name: string): unknown =>
  at(Array.isArray(value) ? value[0] : value, name);
export const blocks = (value: unknown, written: (one: unknown) => unknown): unknown =>
  listOf(value).map((one) => written(one));
/** Seconds as a duration. */
export const span = (value: unknown): unknown => (typeof value === 'number' ? durationText(value) : value);
/** Splits texts that a provider joins with commas. */
export const split = (value: unknown): unknown =>
  typeof value === 'string' ? value.split(',').map((text) => text.trim()) : value;
