// A state file of Terraform, version 4, as `terraform state pull` prints it.
import { isRecord } from '../../core/json.ts';
import { bounded, whyNot, type Instance, type State, type Wrong } from './instance.ts';

/** @throws UsageError that names the place, what was expected and what was found */
export function fileState(state: Readonly<Record<string, unknown>>, wrong: Wrong): State {
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
      const why = whyNot(mode, held['deposed'] !== undefined, held['status'] === 'tainted');
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
