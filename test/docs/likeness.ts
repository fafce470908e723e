// What differs each time that a page's commands are run: times, ages, IDs, free ports and the folder. All of it is here.
import { join } from 'node:path';

/** What a page may state in any way. */
const unstable: readonly (readonly [RegExp, string])[] = [
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'TIME'],
  [/\b\d\d:\d\d:\d\d\b/g, 'TIME'],
  [/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'UUID'],
  [/\bvol-[0-9a-f]{13}\b/g, 'vol-ID'],
  [/(?<![\w.])(\d+(ms|s|m|h|d))+\b/g, 'AGE'],
  [/http:\/\/127\.0\.0\.1:\d+/g, 'ADDRESS'],
  [/\bby=\S+/g, 'by=SOMEBODY'],
  [/ {2,}|(?<=\S) +$/gm, '  '], // columns are as wide as what is in them
];

/** What a later command repeats, so the page's own and today's are exchanged. */
const repeated = /(?<=holdfast approve )[0-9a-z]{8}\b/g;

/** The same for texts that tell the same. */
export const alike = (text: string): string =>
  unstable.reduce((so, [pattern, name]) => so.replaceAll(pattern, name), text);

export class Likeness {
  readonly #folder: string;
  /** The page's → today's. */
  readonly #names: Map<string, string>;

  constructor(folder: string, ports: readonly (readonly [string, string])[]) {
    this.#folder = folder;
    this.#names = new Map([
      ['/srv/holdfast', join(folder, 'work')],
      ...ports.map(([page, now]) => [`:${page}`, `:${now}`] as const),
      ...ports.map(([page, now]) => [`port ${page}`, `port ${now}`] as const),
    ]);
  }

  /** A command of the page, for today. */
  actual(command: string): string {
    return [...this.#names].reduce((line, [page, now]) => line.replaceAll(page, now), command);
  }

  /** An output of today, as the page has it; the page's own if that is alike. */
  shown(output: string, page: string): string {
    const known = new Set(this.#names.values());
    const todays = new Set(output.match(repeated) ?? []);
    const pages = [...new Set(page.match(repeated) ?? [])].filter((one) => !this.#names.has(one));
    for (const now of todays) if (!known.has(now)) this.#names.set(pages.shift() ?? now, now);
    const ofSudo = output.replaceAll(join(this.#folder, 'root/'), '/');
    const shown = [...this.#names].reduce((text, [own, now]) => text.replaceAll(now, own), ofSudo);
    return alike(shown) === alike(page) ? page : shown;
  }
}
