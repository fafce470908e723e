// HTML that is safe by its type: whatever is put into a template is escaped, unless a template made it.

let make: (text: string) => Html;

export class Html {
  readonly #text: string;
  private constructor(text: string) {
    this.#text = text;
  }
  static {
    make = (text) => new Html(text);
  }
  toString(): string {
    return this.#text;
  }
}

/** `false` and `undefined` leave nothing behind. */
export type Value = Html | string | number | false | undefined | readonly Value[];

/** Values go between tags or into attributes in double quotes, nowhere else. */
export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let out = texts[0] ?? '';
  values.forEach((value, i) => (out += render(value) + (texts[i + 1] ?? '')));
  return make(out);
}

function render(value: Value): string {
  if (value === undefined || value === false) return '';
  if (value instanceof Html) return value.toString();
  if (typeof value === 'object') return value.map(render).join('');
  return visible(String(value)).replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);
}

/** Characters that a reader can't see, or that reorder what stands around them (joiners belong to scripts, and stay). */
const hidden = /(?![\n\t\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Shows them by their numbers: `\u{202e}`. Also the form that an element's `id` has in the browser. */
export const visible = (text: string): string =>
  text.replaceAll(hidden, (c) => `\\u{${(c.codePointAt(0) ?? 0).toString(16)}}`);
