// docs/embedded.md shows what the embedded services answer, asked by the commands that it shows.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { defaultSeed } from '../../src/embedded/secrets/fixtures/seed.ts';
import { pageText, rerun } from './embedded-page.ts';

function hasCurl(): boolean {
  try {
    execFileSync('curl', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test.skipIf(!hasCurl())(
  'each answer on the page is the one that curl gets now: npm run docs writes them',
  async () => {
    const page = pageText();
    expect(await rerun(page)).toBe(page);
  },
);

test('ten endpoints of each service are shown', () => {
  const page = pageText();
  const asked = (base: string) =>
    new Set(
      [...page.matchAll(/^\$ curl ((?:'[^']*'|"[^"]*"|\\\n|[^'"\\\n]|\\.)*)$/gm)].flatMap(([, line = '']) => {
        const [, path = ''] = new RegExp(`"\\$${base}(/v1/[^"?]*)`).exec(line) ?? [];
        const [, method = 'GET'] = / -X (\w+)/.exec(line) ?? [];
        return path === '' ? [] : [`${method} ${path}`];
      }),
    );
  expect(asked('S').size).toBeGreaterThanOrEqual(10);
  expect(asked('V').size).toBeGreaterThanOrEqual(10);
});

test('each entry of the fresh directory is listed with its password, and no other', () => {
  const listed = [...pageText().matchAll(/^\| `([^`]*dc=org)` *\| `([^`]+)` *\|$/gm)];
  const shown = listed.map(([, dn, password]) => ({ dn, password }));
  expect(defaultSeed.entries).toMatchObject(shown);
  expect(shown).toHaveLength(defaultSeed.entries?.length ?? 0);
});
