// What the pages tell of an object or a connection beside its conditions. It has to be true of every object: of one that
// waits for its turn, of one that no file could be read for, of a service that has no lists.
import { expect, test } from 'vitest';
import { objectPath } from '../../src/web/query.ts';
import { keyOf, nowMs, objectView, stalled, withConditions } from './fake-view.ts';
import { get, served } from './serving.ts';

async function pageOf(object: ReturnType<typeof objectView>, path: string): Promise<string> {
  const { web, view } = await served();
  view.set(object);
  return (await get(web.url + path)).body.replaceAll(/<(?!time)[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
}

test.for([
  ['the list', '/'],
  ['the detail page', objectPath(keyOf('data'))],
])('an object whose turn has not come is due now, not in the past: %s', async ([, path = '']) => {
  const body = await pageOf(objectView(keyOf('data'), { nextVisitMs: nowMs - 180_000 }), path);
  expect(body).toMatch(/<time [^>]* data-due>now /);
  expect(body).not.toContain('3 min ago');
});

test('an object that is refused in its file has no generation that could be reconciled', async () => {
  const refused = withConditions(keyOf('data'), stalled('InvalidSpec', 'unknown field'));
  const body = await pageOf({ ...refused, generation: 0 }, objectPath(keyOf('data')));
  expect(body).not.toMatch(/Generation|not reconciled/);
});

test('a page of no object says how to begin, and does not lead back to itself', async () => {
  const { web, view } = await served();
  const begin = 'lists the kinds.';
  expect((await get(web.url)).body).toContain(begin);
  expect((await get(web.url)).body).not.toContain('No object matches');
  view.set(objectView(keyOf('data')));
  const filtered = (await get(`${web.url}/?q=none`)).body;
  expect(filtered).toContain('No object matches');
  expect(filtered).not.toContain(begin);
});

test('a service that was not listed shows no list: of a secrets service there never is one', async () => {
  const key = keyOf('main', 'SecretsConnection', '');
  const body = await pageOf(objectView(key, { connection: { watch: 'polling' } }), '/');
  expect(body).toContain('Watch Polling Objects none');
});
