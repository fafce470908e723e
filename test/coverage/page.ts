// docs/coverage.md, from the rows: one table per section, each cell a link to the file that is meant.
import { routes } from '../../src/api/routes.ts';
import type { Item, Place, Section } from './item.ts';
import { declaredType, handlerOf } from './sources.ts';

const schedulerRoutes = 'src/api/scheduler/routes.ts';
const secretsRoutes = 'src/api/secrets/routes.ts';

const routesOf = (op: string): string =>
  op in routes && /^(?:sys|mount|token|login|ldap|oidc|kms)\./.test(op) ? secretsRoutes : schedulerRoutes;

const link = (text: string, file: string): string =>
  `[${text.replaceAll('|', String.raw`\|`).replaceAll('[]', String.raw`\[\]`)}](../${file})`;

const placeCell = ({ file, name, note }: Place): string =>
  link(`\`${name}\``, file) + (note === undefined ? '' : `: ${note}`);

function clientCell({ client }: Item): string {
  if ('op' in client) {
    const { op, parameter } = client;
    const shown = parameter === undefined ? `\`${op}\`` : `\`${op}\` \`${parameter}\``;
    return link(shown, routesOf(op));
  }
  if (!('type' in client)) return placeCell(client);
  const place = declaredType(client.type.replace(/\..*/, ''));
  return place === undefined ? '' : link(`\`${client.type}.${client.field}\``, place.file);
}

function embeddedCell({ embedded }: Item): string {
  const place = 'served' in embedded ? handlerOf(embedded.served) : embedded;
  if (place === undefined) return '';
  const folder = place.file.replace(/^src\/embedded\//, '');
  const note = 'note' in place && place.note !== undefined ? `: ${place.note}` : '';
  return link(`${folder} \`${place.name}\``, place.file) + note;
}

function testCell({ test: { file, title, row } }: Item): string {
  const folder = file.replace(/^test\//, '');
  const shown = row === undefined ? title : `${title} (${row})`;
  return link(`${folder}: ${shown}`.replaceAll('$', '&#36;').replaceAll('*', String.raw`\*`), file);
}

const cells = (one: Item): readonly string[] => [
  one.item.replaceAll('|', String.raw`\|`),
  clientCell(one),
  embeddedCell(one),
  testCell(one),
];

const table = ({ title, items }: Section): string =>
  [
    `### ${title}`,
    '',
    '| item | client | embedded | test |',
    '| --- | --- | --- | --- |',
    ...items.map((one) => `| ${cells(one).join(' | ')} |`),
    '',
  ].join('\n');

const introduction = `# Coverage of the two APIs

What the documents of the two APIs say, row by row, and where it is ours: the client, the embedded service, a test. The
documents are the scheduler's (conventions, allocations, events, volumes) and the secrets service's (OIDC login, directory
credentials, key management); names are theirs, in the dialects \`cluster\` and \`secrets\`.

Definitions of words have no row. The rows are data in \`test/coverage/items\`; \`npm run docs\` writes this page, and \`npm run check\` says when it is stale.
What a cell claims is checked:

- **client**: an operation, a parameter, a field that the types lack does not compile; of anything else, the file declares it.
- **embedded**: who answers is read from the table of endpoints; of a field of a reply, a scenario is played on the embedded
  services and every field must be seen there, of its kind (\`test/coverage/replies.test.ts\`); of parameters and fields of
  bodies, the file reads a field of that name.
- **test**: the file runs as part of \`npm test\` and holds a test of exactly that title; titles of tables are shown as
  they are written there, with the row that is meant behind them.

\`test/coverage/coverage.test.ts\` fails for an empty cell, for a wrong one, and for an operation of the route tables that no
row names. What the documents leave open ("not shown") has no row, nor has what they say is to be done at an identity
provider (registering an application there, granting it permissions).
`;

export const page = (
  documents: readonly { readonly title: string; readonly sections: readonly Section[] }[],
) =>
  `${[introduction, ...documents.flatMap(({ title, sections }) => [`## ${title}\n`, ...sections.map(table)])]
    .join('\n')
    .trimEnd()}\n`;
