// HTML that is safe by its type: templates escape every value that no template made.
import { visible } from '../../core/text/visible.ts';

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

/** `false` and `undefined` render as nothing. */
export type Value = Html | string | number | false | undefined | readonly Value[];

/** Values may stand between tags or in attributes in double quotes, nowhere else. */
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
