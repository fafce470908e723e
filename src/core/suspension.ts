// What suspends an object, and how that ends. PURE.
import { isRecord } from './json.ts';
import { keyText, type DeclaredObject } from './resource.ts';

export interface Suspension {
  readonly by: 'command' | 'annotation' | 'spec';
  /** Who ran the command, and when. Absent: not known. */
  readonly who?: string;
}

/** Annotation and command go before the spec: whoever ends them sees that next. */
export function suspensionOf({ requests, byCommand, spec }: DeclaredObject): Suspension | undefined {
  if (requests['suspend'] === 'true') {
    const who = byCommand?.['suspend'];
    if (who === undefined) return { by: 'annotation' };
    return { by: 'command', ...(who !== '' && { who }) };
  }
  return isRecord(spec) && spec['suspend'] === true ? { by: 'spec' } : undefined;
}

export const originText = ({ by, who }: Suspension): string =>
  by === 'spec' ? 'by its spec' : who === undefined ? `by ${by}` : `by ${by} (${who})`;

export function suspensionText(suspension: Suspension, { key }: Pick<DeclaredObject, 'key'>): string {
  const origin = originText(suspension);
  switch (suspension.by) {
    case 'command':
      return `${origin}; holdfast resume ${keyText(key)} ends it`;
    case 'annotation':
      return `${origin} holdfast.dev/suspend; removing it ends it`;
    case 'spec':
      return `${origin}; removing suspend from it ends it`;
  }
}
