// The registry as the commands need it.
import { keyText, type Key } from '../core/resource.ts';
import { registry } from '../kinds/registry.ts';

export const kinds = new Map(registry.map(({ kind }) => [kind.name, kind]));
export const declarations = registry.map(({ declaration }) => declaration);

/** keyText of the connection through which an object is reached; `undefined` for connections themselves. */
export function connectionOf(key: Key, spec: unknown): string | undefined {
  const kind = kinds.get(key.kind);
  if (!kind || kind.connectionField === undefined) return undefined;
  const through = kind.open({ key, spec }, {}).references.find((r) => r.field === kind.connectionField);
  return through && keyText(through.target);
}
