// What both forms of a Terraform state come to: the objects that Terraform manages, and those that can't be imported.
import { oneLine } from '../../api/http/request.ts';
import { UsageError } from '../../core/errors.ts';

const nameMax = 128;

export interface Instance {
  /** As Terraform writes it: `module.a.nomad_csi_volume.data["x"]`. */
  readonly address: string;
  readonly type: string;
  /** Name of the provider, if it is one of HashiCorp's. */
  readonly provider: string;
  /** Alias of the provider's configuration. Absent: the default one, or the form does not tell. */
  readonly alias?: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Attributes that the state marks as sensitive, wholly or in part. */
  readonly sensitive: ReadonlySet<string>;
}

export interface State {
  readonly instances: readonly Instance[];
  /** Objects that can't be imported, whatever their type. */
  readonly left: readonly { readonly address: string; readonly why: string }[];
}

/** @returns why an object that Terraform knows of can't be imported; `undefined`: it can */
export function whyNot(mode: unknown, isDeposed: boolean, isTainted: boolean): string | undefined {
  if (mode !== 'managed') return 'Terraform only reads it';
  if (isDeposed) return 'Terraform is about to destroy it (deposed)';
  return isTainted ? 'Terraform is about to replace it (tainted)' : undefined;
}

export const bounded = (text: string): string =>
  oneLine(text.length > nameMax ? `${text.slice(0, nameMax)}…` : text);

/** Builds the error for a place in the file. */
export type Wrong = (place: string, expected: string, got: unknown) => UsageError;

export const wrongIn =
  (file: string): Wrong =>
  (place, expected, got) =>
    new UsageError(`${file}: ${place}: expected ${expected}, got ${shown(got)}`);

/** Never shows a text, because it may be a secret. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  if (typeof value === 'object') return Array.isArray(value) ? 'a list' : 'an object';
  return `a value of type ${typeof value}`;
}
