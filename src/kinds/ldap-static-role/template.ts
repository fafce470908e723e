// LDAPStaticRole: templates of output entries: text with parts of a credential. PURE.
import type { Secret } from '../../core/secret.ts';

const names = ['password', 'last_password', 'username', 'dn', 'last_rotation'] as const;
type Name = (typeof names)[number];

export type Values = Readonly<Record<Name, string | Secret>>;

const placeholder = `\\{\\{ *(${names.join('|')}) *\\}\\}`;
/** Single braces, as in JSON: not beside another one of the same sort, and before other text or the end. */
const braces = '(\\{(\\}\\{)*\\}?|\\}(\\{\\})*\\{?)';

/**
 * Matches every valid template. Kubernetes' patterns have no lookahead, so a placeholder right after a single brace is
 * not valid.
 */
export const templatePattern = new RegExp(`^([^{}]|${placeholder}|${braces}[^{}])*${braces}?$`);

export const templateExpected = `text of up to 4096 characters in which double braces hold one of ${names.join(', ')}, as in "{{ password }}"`;

/** The parts of the text, in order. No secret is opened. */
export function fill(template: string, values: Values): readonly (string | Secret)[] {
  const parts: (string | Secret)[] = [];
  let from = 0;
  for (const found of template.matchAll(new RegExp(placeholder, 'g'))) {
    const name = names.find((known) => known === found[1]);
    if (name === undefined) continue;
    if (found.index > from) parts.push(template.slice(from, found.index));
    parts.push(values[name]);
    from = found.index + found[0].length;
  }
  if (from < template.length) parts.push(template.slice(from));
  return parts;
}

/** Entries of an output that declares none. */
export const usualData: Readonly<Record<string, string>> = {
  password: '{{ password }}',
  username: '{{ username }}',
  dn: '{{ dn }}',
};
