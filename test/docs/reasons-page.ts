// docs/reference/reasons.md: what `kubectl describe`, `holdfast get` and the status page call a reason, one heading each.
import { conditionTypes, reasons } from '../../src/core/status/reasons.ts';

export const reasonsPage = 'docs/reference/reasons.md';

const standsIn = (types: readonly string[]): string =>
  types.length === 0
    ? 'No condition: `holdfast get`, the status page or the log show it.'
    : `${types.length === 1 ? 'Condition' : 'Conditions'}: ${types.map((type) => `\`${type}\``).join(', ')}.`;

export function reasonsText(): string {
  const types = Object.entries(conditionTypes).map(([type, meaning]) => `| \`${type}\` | ${meaning} |`);
  const each = Object.entries(reasons).map(
    ([reason, { conditions, cause, remedy }]) =>
      `## ${reason}\n\n${cause}\n\n**Remedy:** ${remedy}\n\n${standsIn(conditions)}\n`,
  );
  return [
    '# Conditions and reasons',
    '',
    '<!-- Generated from src/core/status/reasons.ts by `npm run docs`. -->',
    '',
    'Each object has conditions as Kubernetes defines them: a type, a status, a reason and a message. This page lists every',
    'type and every reason that Holdfast writes. The message of a condition names the field or the object in question.',
    '',
    '| Type | Meaning while its status is `True` |',
    '| --- | --- |',
    ...types,
    '',
    '`Reconciling`, `Stalled` and `FieldsKept` are present only while they are `True`.',
    '',
    ...each,
  ].join('\n');
}
