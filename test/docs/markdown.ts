// What generated pages are made of.

/** One cell: a bar would end it, and outside of code a bracket would be taken for HTML. */
const cell = (text: string): string =>
  text
    .replaceAll('|', String.raw`\|`)
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll(/`[^`]*`|</g, (found) => (found === '<' ? '&lt;' : found));

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): readonly string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`);

export const code = (text: string): string => `\`${text}\``;

export const codes = (texts: readonly string[]): string => texts.map(code).join(', ');

/** As the text of a heading becomes the name of its anchor. */
export const anchor = (heading: string): string => heading.toLowerCase();

export const generatedFrom = (what: string): string => `<!-- Generated from ${what} by \`npm run docs\`. -->`;
