// The order in which a dry run plans objects, as waves of keys.
import { keyText } from '../core/resource.ts';
import type { DecisionPorts } from './reconcile/decision.ts';
import { isConnection } from './index/connection-path.ts';

/**
 * Connections come first, because all other objects are observed through them. Then referents come before the objects that
 * refer to them. Objects being deleted come last: others may take over their external objects, and replacements count towards
 * the same deletion limits. Among these, an object comes after those that refer to it. Connections that are being deleted come
 * once more at the end, when nothing may use them any more.
 */
export function wavesOf<E, Reader>(
  keys: readonly string[],
  ports: DecisionPorts<E, Reader>,
): readonly (readonly string[])[] {
  const others = keys.filter((key) => !isConnection(key, ports));
  const connections = keys.filter((key) => isConnection(key, ports));
  const isDeleting = (key: string) => ports.source.read(key)?.object.deleting === true;
  const targets = (key: string) =>
    (ports.graph.get(key)?.references ?? []).map(({ target }) => keyText(target)).filter((at) => at !== key);
  const staying = others.filter((key) => !isDeleting(key));
  const leaving = others.filter(isDeleting);
  return [
    connections,
    ...ordered(staying, targets),
    ...ordered(leaving, (key) => ports.graph.dependents(key).filter((at) => at !== key)),
    connections.filter(isDeleting),
  ];
}

/** In waves: each comes after those of them that it waits for. In a cycle none comes before another. */
function ordered(
  keys: readonly string[],
  waitsFor: (key: string) => readonly string[],
): readonly (readonly string[])[] {
  const waves: (readonly string[])[] = [];
  const left = new Set(keys);
  while (left.size > 0) {
    const free = [...left].filter((key) => !waitsFor(key).some((other) => left.has(other)));
    const wave = free.length > 0 ? free : [...left];
    for (const key of wave) left.delete(key);
    waves.push(wave);
  }
  return waves;
}
