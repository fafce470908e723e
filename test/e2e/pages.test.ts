// Pages that people follow: what they tell to type is typed, and what is printed is compared. `npm run docs -- --commands` writes
// what is printed now.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../coverage/sources.ts';
import { commandsOf, rerunPage } from '../docs/console.ts';
import { followed } from '../docs/followed.ts';

test.for(followed())('%s: each command prints what the page says', { timeout: 300_000 }, async (path) => {
  const page = readFileSync(`${root}/${path}`, 'utf8');
  expect(commandsOf(page).length).toBeGreaterThan(0);
  expect(await rerunPage(page)).toBe(page);
});
