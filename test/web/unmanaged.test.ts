// What nobody declares, as a page: listed when somebody looks, bounded, and nothing that can be clicked away.
import { expect, test } from 'vitest';
import type { UnmanagedView } from '../../src/core/status/view.ts';
import { get, served } from './serving.ts';

const markup = '<img src=x onerror=alert(1)>';
const found: UnmanagedView = {
  items: [
    { kind: 'CSIVolume', connection: 'SchedulerConnection/main', name: markup },
    { kind: 'OIDCRole', connection: 'SecretsConnection/vault', mount: 'oidc', name: 'admins' },
  ],
  total: 12,
  failed: [{ what: 'CSISnapshot through SchedulerConnection/main', message: `no ${markup}` }],
  atMs: 0,
};

test('it is listed when the page is asked for, and not before; names are text', async () => {
  let looks = 0;
  const unmanaged = () => {
    looks += 1;
    return Promise.resolve(found);
  };
  const { web } = await served({ unmanaged });
  const list = await get(`${web.url}/`);
  expect([list.body.includes('href="/unmanaged"'), looks]).toEqual([true, 0]);
  const { status, body } = await get(`${web.url}/unmanaged`);
  expect([status, looks]).toEqual([200, 1]);
  expect(body).toContain('12 found');
  expect(body).toContain('and 10 more');
  // As it has to be typed: without the manifests the command is refused.
  expect(body).toContain('<code>holdfast export manifests</code>');
  expect(body).not.toContain('holdfast export --');
  expect(body).toContain('<code>--connection SchedulerConnection/main</code>');
  expect(body).toContain('CSISnapshot through SchedulerConnection/main');
  expect(body).not.toContain(markup);
  expect(body).not.toContain('<form');
});

const refused = () => Promise.reject(new Error('it was looked at'));
const denied = () => Promise.resolve('denied' as const);

test('who may not read the rest may not read this', async () => {
  const { web } = await served({ unmanaged: refused, authorize: denied, host: '0.0.0.0' });
  const answer = await get(web.url.replace('0.0.0.0', '127.0.0.1') + '/unmanaged');
  expect([401, 403]).toContain(answer.status);
});
