// `npm run docs`: writes what of docs/ and of deploy/ is made from something else; with --check it only says what is stale. What has to
// be run to be known, a test asks; with --commands, the pages whose commands start processes are written anew, too.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { allCases } from '../coverage/cases.ts';
import { page } from '../coverage/page.ts';
import { root } from '../coverage/sources.ts';
import { annotationsPage, annotationsText } from './annotations-page.ts';
import { commandsPage, commandsText } from './commands-page.ts';
import { rerunPage } from './console.ts';
import { deployLists } from './deploy-lists.ts';
import { embeddedPage, pageText, rerun } from './embedded-page.ts';
import { followed } from './followed.ts';
import { kindPages } from './kind-page.ts';
import { metricsPage, metricsText } from './metrics-page.ts';
import { reasonsPage, reasonsText } from './reasons-page.ts';

const generated = [
  { path: 'docs/coverage.md', text: page(allCases()) },
  { path: reasonsPage, text: reasonsText() },
  { path: annotationsPage, text: annotationsText() },
  { path: commandsPage, text: commandsText() },
  { path: metricsPage, text: await metricsText() },
  ...kindPages(),
  ...deployLists,
] as const;

if (!process.argv.includes('--check')) {
  for (const { path, text } of generated) writeFileSync(`${root}/${path}`, text);
  writeFileSync(`${root}/${embeddedPage}`, await rerun(pageText()));
}

// Takes minutes; test/e2e/pages.test.ts says which page needs it.
if (process.argv.includes('--commands')) {
  for (const path of followed()) {
    writeFileSync(`${root}/${path}`, await rerunPage(readFileSync(`${root}/${path}`, 'utf8'), true));
  }
}

for (const { path, text } of generated) {
  if (existsSync(`${root}/${path}`) && readFileSync(`${root}/${path}`, 'utf8') === text) continue;
  process.stderr.write(`${path}: out of date; run npm run docs\n`);
  process.exitCode = 1;
}
