// What suspends an object, and how a person resumes it. PURE.
import { isRecord } from './json.ts';
import { keyText, type DeclaredObject } from './resource.ts';

export interface Suspension {
  readonly by: 'command' | 'annotation' | 'spec';
  /** Who ran the command, and when. Absent: unknown. */
  readonly who?: string;
}

/**
 * A command or annotation is reported before the spec. Once it is ended, the spec is reported if that suspends the object,
 * too.
 */
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
