// Reads a state file of Terraform, bounded in size, and extracts the objects that Terraform manages.
import { readFileSync, statSync } from 'node:fs';
import { oneLine } from '../../api/http/request.ts';
import { UsageError } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';

const sizeMaxMiB = 32;
const nameMax = 128;

export interface Instance {
  /** As Terraform writes it: `module.a.nomad_csi_volume.data["x"]`. */
  readonly address: string;
  readonly type: string;
  /** Name of the provider, if it is one of HashiCorp's. */
  readonly provider: string;
  /** Alias of the provider's configuration. Absent: the default one. */
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

/** @throws UsageError that names the place, what was expected and what was found */
export function readState(file: string): State {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile())
    throw new UsageError(`${file}: expected a state file of Terraform, and there is none`);
  if (found.size > sizeMaxMiB * 1024 * 1024)
    throw new UsageError(`${file}: expected at most ${sizeMaxMiB} MiB, got ${found.size} bytes`);
  return stateIn(readFileSync(file, 'utf8'), file);
}

function stateIn(text: string, file: string): State {
  const wrong = (place: string, expected: string, got: unknown) =>
    new UsageError(`${file}: ${place}: expected ${expected}, got ${shown(got)}`);
  const state = parseJson(text);
  if (!isRecord(state))
    throw new UsageError(`${file}: expected a JSON object, as terraform state pull prints it`);
  const { version, resources } = state;
  if (version !== 4) throw wrong('/version', '4, as terraform state pull prints it', version);
  if (!Array.isArray(resources)) throw wrong('/resources', 'a list', resources);
  const instances: Instance[] = [];
  const left: State['left'][number][] = [];
  for (const [at, one] of resources.entries()) {
    const place = `/resources/${at}`;
    if (!isRecord(one)) throw wrong(place, 'an object', one);
    const { mode, type, name, instances: all } = one;
    if (typeof type !== 'string') throw wrong(`${place}/type`, 'a text', type);
    if (typeof name !== 'string') throw wrong(`${place}/name`, 'a text', name);
    if (!Array.isArray(all)) throw wrong(`${place}/instances`, 'a list', all);
    const module = typeof one['module'] === 'string' ? `${one['module']}.` : '';
    for (const [index, held] of all.entries()) {
      if (!isRecord(held)) throw wrong(`${place}/instances/${index}`, 'an object', held);
      const key = held['index_key'];
      const isKeyed = typeof key === 'string' || typeof key === 'number';
      const data = mode === 'managed' ? '' : 'data.';
      const address = bounded(`${module}${data}${type}.${name}${isKeyed ? `[${JSON.stringify(key)}]` : ''}`);
      const why = whyNot(mode, held);
      const { attributes } = held;
      if (why !== undefined) left.push({ address, why });
      else if (!isRecord(attributes))
        throw wrong(`${place}/instances/${index}/attributes`, 'an object', attributes);
      else
        instances.push({
          address,
          type,
          ...providerOf(one['provider']),
          attributes,
          sensitive: sensitiveIn(held),
        });
    }
  }
  return { instances, left };
}

function whyNot(mode: unknown, held: Readonly<Record<string, unknown>>): string | undefined {
  if (mode !== 'managed') return 'Terraform only reads it';
  if (held['deposed'] !== undefined) return 'Terraform is about to destroy it (deposed)';
  return held['status'] === 'tainted' ? 'Terraform is about to replace it (tainted)' : undefined;
}

function providerOf(text: unknown): Pick<Instance, 'provider' | 'alias'> {
  const pattern = /provider\["[^"/]+\/hashicorp\/(?<name>[a-z]+)"\](?:\.(?<alias>[\w-]+))?$/;
  const { name = '', alias } = (typeof text === 'string' ? pattern.exec(text)?.groups : undefined) ?? {};
  return { provider: name, ...(alias !== undefined && { alias: bounded(alias) }) };
}

/** Each path is a list of steps; the first step names the attribute. */
function sensitiveIn({
  sensitive_attributes: paths,
}: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  const all: readonly unknown[] = Array.isArray(paths) ? paths : [];
  return new Set(
    all.flatMap((path) => {
      const first: unknown = Array.isArray(path) ? path[0] : undefined;
      return isRecord(first) && typeof first['value'] === 'string' ? [first['value']] : [];
    }),
  );
}

export const bounded = (text: string): string =>
  oneLine(text.length > nameMax ? `${text.slice(0, nameMax)}…` : text);

/** Never shows a text, because it may be a secret. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number') return String(value);
  return Array.isArray(value) ? 'a list' : `a value of type ${typeof value}`;
}
