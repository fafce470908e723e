// `npm run docs`: writes what of docs/ and of deploy/ is made from something else; with --check it only says what is stale. What has to
// be run to be known, a test asks.
import { readFileSync, writeFileSync } from 'node:fs';
import { allCases } from '../coverage/cases.ts';
import { page } from '../coverage/page.ts';
import { root } from '../coverage/sources.ts';
import { deployLists } from './deploy-lists.ts';
import { embeddedPage, pageText, rerun } from './embedded-page.ts';
import { reasonsPage, reasonsText } from './reasons-page.ts';
import { requestsPage, requestsText } from './requests-page.ts';

const generated = [
  { path: 'docs/coverage.md', text: page(allCases()) },
  { path: reasonsPage, text: reasonsText() },
  { path: requestsPage, text: requestsText() },
  ...deployLists,
] as const;

if (!process.argv.includes('--check')) {
  for (const { path, text } of generated) writeFileSync(`${root}/${path}`, text);
  writeFileSync(`${root}/${embeddedPage}`, await rerun(pageText()));
}

for (const { path, text } of generated) {
  if (readFileSync(`${root}/${path}`, 'utf8') === text) continue;
  process.stderr.write(`${path}: out of date; run npm run docs\n`);
  process.exitCode = 1;
}
