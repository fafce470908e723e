// What the list and the page of an object tell beside conditions, and that a headline counts what the rows show.
import { expect, test } from 'vitest';
import { marks, states, type ObjectView } from '../../src/core/status/view.ts';
import { objectPath } from '../../src/web/query.ts';
import { condition, keyOf, memoryOf, objectView } from './fake-view.ts';
import { get, served } from './serving.ts';

const markup = '<img src=x onerror=alert(1)>';
const textOf = (body: string): string =>
  body
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&#39;', "'")
    .replaceAll(/\s+/g, ' ');

test('who suspended an object is told in the list and on its page, also while there is nothing to do', async () => {
  const { web, view } = await served();
  const suspension = { by: 'command', who: 'ann, 2026-11-20T11:00Z' } as const;
  view.set(objectView(keyOf('held'), { suspension }));
  const list = textOf((await get(web.url)).body);
  expect(list).toContain('Suspended by command (ann, 2026-11-20T11:00Z)');
  expect(list).toMatch(/1 Suspended/);
  const page = textOf((await get(web.url + objectPath(keyOf('held')))).body);
  expect(page).toContain('by command (ann, 2026-11-20T11:00Z); holdfast resume CSIVolume/shop/held ends it');
});

test('where nothing can be recorded, the list says so and what to do: no object can', async () => {
  const { web, view } = await served();
  view.set(objectView(keyOf('data')));
  expect((await get(web.url)).body).not.toContain('state.sqlite');
  view.refused = `state.sqlite can't be written: ${markup}`;
  const { body } = await get(web.url);
  expect(body).not.toContain('<img');
  expect(textOf(body)).toMatch(/state\.sqlite can't be written: .*\. Check the free space/);
});

const values = ['True', 'False', 'Unknown', undefined] as const;

const drift = { summary: '1 field', detectedAt: '', fields: [{ path: '/a', cause: 'drift' as const }] };
const ofType = (type: string, reason: string) =>
  values.map((value) => (value ? [condition(type, value, reason)] : []));

/** One object of every combination of what states and marks are made from. */
function ofEachSort(): readonly ObjectView[] {
  const conditions = ofType('Stalled', 'Lost').flatMap((stalled) =>
    ofType('Ready', 'InSync').flatMap((ready) =>
      ofType('Reconciling', 'Busy').map((reconciling) => [...stalled, ...ready, ...reconciling]),
    ),
  );
  const marked = { deleting: true, suspension: { by: 'spec' } as const };
  return conditions.flatMap((held, i) => [
    objectView(keyOf(`plain-${i}`), { status: memoryOf({ conditions: held }) }),
    objectView(keyOf(`marked-${i}`), { ...marked, status: memoryOf({ conditions: held, drift }) }),
  ]);
}

const shown = (body: string, name: string): number =>
  body.split(`<tr role="row" class="s-${name}"`).length - 1;

test('the headline, the title, the counts and the groups count exactly what the rows show, of every state', async () => {
  const { web, view } = await served();
  const objects = ofEachSort();
  for (const object of objects) view.set(object);
  const { body } = await get(web.url);
  const text = textOf(body);
  const stalled = shown(body, 'stalled');
  const more = `${shown(body, 'not-ready')} more are not ready, ${shown(body, 'reconciling')} more are being reconciled`;
  expect(text).toContain(`${stalled} of ${objects.length} objects need attention, ${more}`);
  expect(body).toContain(`data-title="(${stalled}) Holdfast"`);
  const grouped = textOf((await get(`${web.url}/?group=namespace`)).body);
  expect(grouped).toContain(
    `${objects.length} objects, ${stalled} stalled, ${shown(body, 'not-ready')} not ready`,
  );
  for (const name of [...states, ...marks]) {
    const [, counted] =
      new RegExp(`class="s-${name}" href="/\\?state=${name}"[^>]*>.*?<b>(\\d+)</b>`, 's').exec(body) ?? [];
    const { body: picked } = await get(`${web.url}/?state=${name}`);
    const rows = picked.split('<tr role="row" class="s-').length - 1;
    expect([name, Number(counted)]).toEqual([name, rows]);
    expect(rows, name).toBeGreaterThan(0);
    const isState = states.some((state) => state === name);
    if (isState) expect(shown(picked, name), name).toBe(rows);
  }
});
