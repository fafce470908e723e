// Text that others wrote, so that people see all of it. PURE.

/** Characters that are invisible, or that reorder their surroundings. Joiners are kept, because scripts need them. */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Shows hidden characters by number: `\u{202e}`. Browsers use this form in `id`s too. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
