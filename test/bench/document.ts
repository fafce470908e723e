// docs/benchmarks.md: the tables in it are written by the benchmarks, each between its own markers.
import { readFileSync, writeFileSync } from 'node:fs';

const document = new URL('../../docs/benchmarks.md', import.meta.url);

/** @throws Error where the document has no place for it. */
export function writeSection(name: string, text: string): void {
  const [begin, end] = [`<!-- ${name}: begin, written by npm run bench -->`, `<!-- ${name}: end -->`];
  const before = readFileSync(document, 'utf8');
  const [from, to] = [before.indexOf(begin), before.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`docs/benchmarks.md: expected the lines ${begin} and ${end}`);
  writeFileSync(document, `${before.slice(0, from)}${begin}\n\n${text}\n\n${before.slice(to)}`);
}
