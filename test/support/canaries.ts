// Looking for secrets where none may be: unique values that were planted, in any of the usual forms, whole or cut in two.
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name → value. */
export type Canaries = Readonly<Record<string, string>>;

/** How a value may look in text: as it stands, in JSON, in a URL, in hex, in base64 wherever it begins. */
export function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => {
    const padded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return padded.slice(offset === 0 ? 0 : 4, Math.floor(((bytes.length + offset) * 4) / 3) - 1);
  });
  const shown = [value, JSON.stringify(value).slice(1, -1), encodeURIComponent(value)];
  return [...shown, bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...base64];
}

/** Names of those that are in there, be it by half: a text that is cut short may hold the beginning of one. */
export const found = (haystack: string, canaries: Canaries): readonly string[] =>
  Object.entries(canaries)
    .filter(([, value]) => {
      const half = value.length / 2;
      const forms = [value.slice(0, half), value.slice(half)].flatMap(formsOf);
      return forms.some((form) => haystack.includes(form));
    })
    .map(([name]) => name);

/** The bytes of every file below a folder, byte for character; what a folder in `except` holds is left out. */
export function contents(folder: string, except: readonly string[]): string {
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter((path) => !except.includes(path))
    .map((path) => {
      const at = lstatSync(path);
      if (at.isDirectory()) return contents(path, except);
      return at.isFile() ? readFileSync(path, 'latin1') : '';
    })
    .join('\n');
}
