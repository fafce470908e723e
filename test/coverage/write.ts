// `npm run docs`: writes docs/coverage.md; with --check it only says whether that is stale.
import { readFileSync, writeFileSync } from 'node:fs';
import { documents } from './items/all.ts';
import { page } from './page.ts';
import { root } from './sources.ts';

const file = `${root}/docs/coverage.md`;
const text = page(documents);
if (!process.argv.includes('--check')) writeFileSync(file, text);
else if (readFileSync(file, 'utf8') !== text) {
  process.stderr.write('docs/coverage.md: out of date; run npm run docs\n');
  process.exitCode = 1;
}
