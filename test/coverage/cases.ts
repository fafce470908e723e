// Which case proves what, read from the tests' text: the calls of proves() and documented(), the title above them, and
// where the case runs.
import { globSync, readFileSync } from 'node:fs';
import { root } from './sources.ts';

export interface Case {
  readonly file: string;
  /** Of a table, its template. */
  readonly title: string;
  readonly clause: string;
  readonly runsOn: readonly string[];
}

const call = /^ +.*\b(?:proves|documented)\(\s*((?:'[^']*'|"[^"]*"|,|\s)+)/gm;
const titled = /(?:\btest(?:\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?|\))\(\s*(['"`])((?:\\.|(?!\1).)*)\1,/g;

export const allCases = (): readonly Case[] =>
  globSync('test/**/*.ts', { cwd: root })
    .filter((file) => !file.startsWith('test/coverage/') || file.endsWith('.test.ts'))
    .toSorted()
    .flatMap((file) => casesIn(file, readFileSync(`${root}/${file}`, 'utf8')));

export function casesIn(file: string, text: string): readonly Case[] {
  return [...text.matchAll(call)].flatMap(({ index, 1: clauses = '' }) => {
    const before = text.slice(0, index);
    const title = [...before.matchAll(titled)].at(-1);
    if (!title) throw new Error(`${file}: ${clauses} stands in no case`);
    const runsOn = serversOf(file, gatesOf(before, title.index));
    return [...clauses.matchAll(/'([^']*)'|"([^"]*)"/g)].map(([, single, double]) => ({
      file,
      title: title[2] ?? '',
      clause: single ?? double ?? '',
      runsOn,
    }));
  });
}

/** The conditions of the case and of what it stands in: the formatter indents what is inside. */
function gatesOf(text: string, at: number): string {
  const end = text.indexOf('\n', at);
  const lines = text.slice(0, end < 0 ? undefined : end).split('\n');
  let indent = Infinity;
  const gates: string[] = [];
  for (const line of lines.toReversed()) {
    const own = line.search(/\S/);
    if (own < 0 || own >= indent || !/^\s*(?:describe|test|\]\))/.test(line)) continue;
    indent = line.trimStart().startsWith('])') ? own + 1 : own; // the table's head is as far in
    gates.push(/^\s*(?:describe|test)\.((?:run|skip)If\(.*?\))(?:\(|\.each)/.exec(line)?.[1] ?? '');
  }
  return gates.join(' ');
}

const embeddedOnly =
  /runIf\((?:bench\.)?(?:target\.embedded|target\.hasKMS|target\.dialectName === 'secrets')\)|skipIf\(upserts\)/;

function serversOf(file: string, gates: string): readonly string[] {
  if (file.startsWith('test/api/')) return ['client'];
  if (!file.startsWith('test/contract/') || embeddedOnly.test(gates)) return ['embedded'];
  return file.startsWith('test/contract/secrets/') ? ['embedded', 'OpenBao'] : ['embedded', 'Nomad'];
}
