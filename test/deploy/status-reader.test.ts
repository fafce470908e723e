// The page leads to what its readers may read.
import { expect, test } from 'vitest';
import * as z from 'zod';
import { get, served } from '../web/serving.ts';
import { the } from './documents.ts';

const role = z.looseObject({ rules: z.array(z.looseObject({ nonResourceURLs: z.array(z.string()) })) });

test('whoever may read the status page may follow each of its links', async () => {
  const { rules } = the('ClusterRole', 'holdfast-status-reader', role);
  const granted = rules.flatMap(({ nonResourceURLs }) => nonResourceURLs);
  const mayGet = (path: string) =>
    granted.some((one) => (one.endsWith('*') ? path.startsWith(one.slice(0, -1)) : path === one));
  const { web } = await served({ unmanaged: async () => ({ items: [], total: 0, failed: [], atMs: 0 }) });
  const { body } = await get(`${web.url}/`);
  const paths = [...body.matchAll(/(?:href|src)="(\/[^"?#]*)/g)].map(([, path = '']) => path);
  expect(paths).toContain('/assets/live.js');
  expect([...new Set(paths)].filter((path) => !mayGet(path))).toEqual([]);
});
