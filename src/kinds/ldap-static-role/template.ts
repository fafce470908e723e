// LDAPStaticRole: the little language of output entries: text with the parts of a credential filled in. PURE.
import type { Secret } from '../../core/secret.ts';

const names = ['password', 'last_password', 'username', 'dn', 'last_rotation'] as const;
type Name = (typeof names)[number];

/** What templates are filled in with. */
export type Values = Readonly<Record<Name, string | Secret>>;

const placeholder = `\\{\\{ *(${names.join('|')}) *\\}\\}`;
/** Single braces, as JSON has them: none beside another of its sort, and before other text or the end. */
const braces = '(\\{(\\}\\{)*\\}?|\\}(\\{\\})*\\{?)';

/**
 * Everything that is a template. Without lookahead, which Kubernetes' patterns don't have: so a placeholder that follows
 * a single brace directly is none.
 */
export const templatePattern = new RegExp(`^([^{}]|${placeholder}|${braces}[^{}])*${braces}?$`);

export const templateExpected = `text of up to 4096 characters in which double braces hold one of ${names.join(', ')}, as in "{{ password }}"`;

/** By name, in the order that templates and their boxes are put together: nothing secret is opened. */
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

/** Entries of an output that says nothing about them. */
export const usualData: Readonly<Record<string, string>> = {
  password: '{{ password }}',
  username: '{{ username }}',
  dn: '{{ dn }}',
};
