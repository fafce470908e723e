// `npm run docs`: writes what of docs/ is made from something else; with --check it only says what is stale. What has to
// be run to be known, a test asks.
import { readFileSync, writeFileSync } from 'node:fs';
import { documents } from '../coverage/items/all.ts';
import { page } from '../coverage/page.ts';
import { root } from '../coverage/sources.ts';
import { embeddedPage, pageText, rerun } from './embedded-page.ts';

const coverage = 'docs/coverage.md';

if (!process.argv.includes('--check')) {
  writeFileSync(`${root}/${coverage}`, page(documents));
  writeFileSync(`${root}/${embeddedPage}`, await rerun(pageText()));
} else if (readFileSync(`${root}/${coverage}`, 'utf8') !== page(documents)) {
  process.stderr.write(`${coverage}: out of date; run npm run docs\n`);
  process.exitCode = 1;
}
