// docs/kubernetes.md shows what can be copied: it has to work.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Environment } from '@marcbachmann/cel-js';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { commonRequests } from '../../src/core/source/request.ts';
import { registry } from '../../src/kinds/registry.ts';
import { folder, holdfast } from '../support/cli.ts';
import { read } from './documents.ts';

const page = read('docs/kubernetes.md');
const blocks = (language: string): readonly string[] =>
  [...page.matchAll(/^```(\w+)\n(.*?)^```$/gms)].flatMap(([, name, text = '']) =>
    name === language ? [text] : [],
  );

test('each piece of YAML is YAML', () => {
  const errors = blocks('yaml').flatMap((text) => parseAllDocuments(text).flatMap((one) => one.errors));
  expect(errors).toEqual([]);
});

test('its objects are accepted', async () => {
  const cwd = await folder();
  mkdirSync(join(cwd, 'tree'));
  const objects = blocks('yaml').filter((text) => text.startsWith('apiVersion: holdfast.dev/'));
  expect(objects).toHaveLength(2);
  writeFileSync(join(cwd, 'tree/objects.yaml'), objects.join('---\n'));
  const installation = {
    apiVersion: 'holdfast.dev/v1alpha1',
    kind: 'Installation',
    metadata: { name: 'page' },
  };
  writeFileSync(join(cwd, 'tree/holdfast.yaml'), JSON.stringify(installation));
  expect(await holdfast(['validate', 'tree'], { cwd })).toMatchObject({ code: 0, stderr: '' });
});

test('every request that it makes is one, or an approval', () => {
  const known = [...commonRequests, ...registry.flatMap(({ kind }) => kind.requests)].map(({ name }) => name);
  const made = [...page.matchAll(/kubectl .*annotate .*holdfast\.dev\/([a-z-]+)=/g)].map(([, name]) => name);
  expect(made.filter((name) => name !== 'approve')).not.toEqual([]);
  expect(made.filter((name) => name !== 'approve' && !known.includes(name ?? ''))).toEqual([]);
});

const health = z.object({
  healthCheckExprs: z.tuple([
    z.looseObject({ inProgress: z.string(), failed: z.string(), current: z.string() }),
  ]),
});

test.for([
  { why: 'nothing was observed yet', seen: -1, conditions: [], is: 'inProgress' },
  { why: 'an edit was not observed yet', seen: 1, conditions: ['Ready=True'], is: 'inProgress' },
  { why: 'it works', seen: 2, conditions: ['Ready=False', 'Reconciling=True'], is: undefined },
  { why: 'only a person can help', seen: 2, conditions: ['Ready=False', 'Stalled=True'], is: 'failed' },
  { why: 'ready', seen: 2, conditions: ['Ready=True', 'Synced=True'], is: 'current' },
])('what Flux is told of an object: $why', ({ seen, conditions, is }) => {
  const text = blocks('yaml').find((one) => one.startsWith('healthCheckExprs:')) ?? '';
  const [expressions] = health.parse(parse(text)).healthCheckExprs;
  const status = {
    observedGeneration: BigInt(seen),
    conditions: conditions.map((one) => ({ type: one.split('=')[0], status: one.split('=')[1] })),
  };
  const cel = new Environment().registerVariable('status', 'dyn').registerVariable('metadata', 'dyn');
  const holds = (expression: string) => cel.parse(expression)({ status, metadata: { generation: 2n } });
  // As Flux asks: the first that holds.
  const first = (['inProgress', 'failed', 'current'] as const).find(
    (name) => holds(expressions[name]) === true,
  );
  expect(first).toBe(is);
});
