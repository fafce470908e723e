// Writes block YAML for generated files: the same text for the same data. So little of YAML needs no package.
import type { Json } from '../core/secret.ts';

export const yamlText = (value: Json): string => `${linesOf(value).join('\n')}\n`;

function linesOf(value: Json): readonly string[] {
  if (isList(value)) {
    if (value.length === 0) return ['[]'];
    return value.flatMap((item) => linesOf(item).map((line, i) => (i === 0 ? '- ' : '  ') + line));
  }
  if (value === null || typeof value !== 'object') return [scalar(value)];
  const entries = Object.entries(value);
  if (entries.length === 0) return ['{}'];
  return entries.flatMap(([key, held]) => {
    const lines = linesOf(held);
    if (isFlat(held)) return [`${scalar(key)}: ${lines.join('')}`];
    return [`${scalar(key)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

const isFlat = (value: Json): boolean =>
  value === null || typeof value !== 'object' || Object.keys(value).length === 0;

/** Text that every YAML reader takes as text. Any other value is written as JSON, which is YAML too. */
const plain = /^[A-Za-z][-A-Za-z0-9 ,.;()/']*$/;
const taken = /^(true|false|null|yes|no|on|off|y|n)$|\s$/i;

const scalar = (value: string | number | boolean | null): string =>
  typeof value === 'string' && plain.test(value) && !taken.test(value) ? value : JSON.stringify(value);
