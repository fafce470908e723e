// docs/coverage.md, from the clauses and the cases that name them.
import type { Case } from './cases.ts';
import { documents } from './clauses.ts';
import { clauses, namesIn } from './proves.ts';

export const unproven = (cases: readonly Case[]): readonly string[] => {
  const proven = new Set(cases.map(({ clause }) => clause));
  return clauses.filter((clause) => !proven.has(clause));
};

const shown = (clause: string): string =>
  [
    clause,
    namesIn(clause)
      .map((name) => `\`${name}\``)
      .join(', '),
  ]
    .filter(Boolean)
    .join(': ');

const link = ({ file, title }: Case): string => {
  const text = title.replaceAll(/[[\]*|<>_]/g, String.raw`\$&`).replaceAll('$', '&#36;');
  return `[${text}](../${file})`;
};

const row = (clause: string, found: readonly Case[]): string => {
  const servers = new Set(found.flatMap(({ runsOn }) => runsOn));
  const links = new Set(found.map(link));
  return `| ${shown(clause)} | ${[...links].join('<br>')} | ${['embedded', 'Nomad', 'OpenBao', 'client'].filter((one) => servers.has(one)).join(', ')} |`;
};

const introduction = `# Coverage of the two APIs

What the documents of the two APIs say, clause by clause and in our own words, and the cases that prove it. The documents are
the scheduler's (conventions, allocations, events, volumes) and the secrets service's (OIDC login, directory credentials, key
management); names are theirs, in the dialects \`cluster\` and \`secrets\`.

The clauses are data in \`test/coverage/clauses.ts\`; a case names what it proves by \`proves(…)\`, and where a clause lists the
fields of a reply, states each of them. \`npm run docs\` writes this page. On the right, where at least one of the cases can run: on the embedded service, on Nomad or
OpenBao as well ([real-servers.md](real-servers.md) says what a server has to have for that, and what was run), or of the
client alone. Titles of tables are shown as they are written.
`;

export function page(cases: readonly Case[]): string {
  const lines = [introduction];
  for (const [document, chapters] of Object.entries(documents)) {
    lines.push(`## ${document}\n`);
    for (const [chapter, entries] of Object.entries<readonly string[]>(chapters)) {
      const rows = entries.flatMap((entry) => {
        const [clause = ''] = entry.split(' := ');
        const found = cases.filter((one) => one.clause === clause);
        return found.length === 0 ? [] : [row(clause, found)];
      });
      lines.push(`### ${chapter}\n`, '| clause | cases | on |', '| --- | --- | --- |', ...rows, '');
    }
  }
  const left = unproven(cases).map((clause) => `- ${shown(clause)}`);
  return `${[...lines, '## No case proves\n', ...left].join('\n')}\n`;
}
