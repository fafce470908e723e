// How Terraform's providers name the fields of a kind, for `holdfast import`. PURE.
import { isRecord } from '../core/json.ts';
import type { FieldTable } from '../core/planning/diff.ts';
import type { Json } from '../core/secret.ts';
import { durationText } from './exported.ts';

type Attributes = Readonly<Record<string, unknown>>;

/** Stands for a value that a manifest takes from a Secret: never from the state. */
export class FromSecret {
  /** How the Secret's name ends, after that of the object. */
  readonly end: string;
  readonly key: string;
  constructor(end: string, key: string) {
    this.end = end;
    this.key = key;
  }
}

export const fromSecret = (end: string, key: string) => (): FromSecret => new FromSecret(end, key);

/** What an attribute comes to: fields by path, and the parts of it that no field expresses. */
export interface Said {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly lost?: readonly string[];
}

/**
 * The path of a field; with a function if its value is written differently; or a function alone where several fields
 * express the attribute, which then withholds itself what may be sensitive.
 */
type Field =
  | string
  | readonly [path: string, written: (value: unknown, attributes: Attributes) => unknown]
  | ((value: unknown, attributes: Attributes, isSensitive: boolean) => Said);

/** Resource types of Terraform that `holdfast import` converts to one kind. */
export interface ResourceType {
  readonly names: readonly string[];
  readonly provider: 'nomad' | 'vault';
  readonly table: FieldTable;
  readonly attributes: Readonly<Record<string, Field>>;
  /** The attribute with the object's name in its service, the default name, and the field for that name. */
  readonly name: readonly [attribute: string, otherwise: string, field: 'externalName' | 'mount'];
  /** For roles: the attribute with the mount, its default, and the resource type of the configuration. */
  readonly mount?: readonly [attribute: string, otherwise: string, config: string];
  /** For what has its mount as a field: the attribute with it, and its default. */
  readonly engine?: readonly [attribute: string, otherwise: string];
  /** Only resources with a value for one of these are imported: without, there is nothing to declare. */
  readonly needs?: readonly string[];
  /** By attribute: the field, what it is taken from, and another field that needs it although the state has none. */
  readonly secrets?: Readonly<
    Record<string, { readonly path: string; readonly from: FromSecret; readonly by: string }>
  >;
  /** Fields that every imported manifest has. */
  readonly always: Readonly<Record<string, Json>>;
  /** Attributes that the service or the provider computes, or that repeat another attribute. */
  readonly unread: readonly string[];
  /** Attributes of the mount itself, which Holdfast leaves as it is. */
  readonly ofMount?: readonly string[];
  /** Values of attributes without a field that need no mention. */
  readonly usual?: Readonly<Record<string, Json>>;
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

/** Terraform keeps what was never set as null, or as the zero of its type. */
export function isUnset(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === 0) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Attributes of every mount of a secrets engine that a resource makes along with its configuration. */
export const ofEngine = [
  'description',
  'default_lease_ttl_seconds',
  'max_lease_ttl_seconds',
  'audit_non_hmac_request_keys',
  'audit_non_hmac_response_keys',
  'allowed_managed_keys',
  'allowed_response_headers',
  'delegated_auth_accessors',
  'external_entropy_access',
  'identity_token_key',
  'listing_visibility',
  'local',
  'options',
  'passthrough_request_headers',
  'plugin_version',
  'seal_wrap',
] as const;
