// The form of `terraform show -json`: modules within modules, what is not imported, and what is refused.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readState } from '../../../src/runtime/terraform/state.ts';
import { folder } from '../../support/cli.ts';

const canary = 'canary-shown-31bd';
const resource = (address: string, more: object = {}) => ({
  address,
  mode: 'managed',
  type: 'nomad_csi_volume',
  provider_name: 'registry.terraform.io/hashicorp/nomad',
  values: { volume_id: address },
  sensitive_values: {},
  ...more,
});
const printed = (root_module: unknown, more: object = {}) =>
  JSON.stringify({ format_version: '1.0', values: { root_module }, ...more });

async function read(text: string) {
  const file = join(await folder(), 'shown.json');
  writeFileSync(file, text);
  return readState(file);
}

test('modules within modules are read, with addresses as Terraform writes them', async () => {
  const inner = {
    address: 'module.a[0].module.b["x"]',
    resources: [resource('module.a[0].module.b["x"].t.c[1]')],
  };
  const { instances, left } = await read(
    printed({
      resources: [resource('t.a["k"]')],
      child_modules: [{ address: 'module.a[0]', child_modules: [inner] }],
    }),
  );
  expect([instances.map(({ address }) => address), left]).toEqual([
    ['t.a["k"]', 'module.a[0].module.b["x"].t.c[1]'],
    [],
  ]);
});

test('what is read, replaced or destroyed by Terraform is left out; another registry is as good', async () => {
  const { instances, left } = await read(
    printed({
      resources: [
        resource('data.t.a', { mode: 'data' }),
        resource('t.b', { tainted: true }),
        resource('t.c', { deposed_key: '1a2b' }),
        resource('t.d', { provider_name: 'registry.opentofu.org/hashicorp/nomad' }),
        resource('t.e', { provider_name: 'registry.terraform.io/elsewhere/nomad' }),
      ],
    }),
  );
  expect(left.map(({ why }) => why)).toEqual([
    'Terraform only reads it',
    'Terraform is about to replace it (tainted)',
    'Terraform is about to destroy it (deposed)',
  ]);
  expect(instances.map(({ provider }) => provider)).toEqual(['nomad', '']);
});

test('an attribute is sensitive if any part of it is', async () => {
  const marks = { a: true, b: { c: [{}, { d: true }] }, e: { f: {} }, g: false };
  const { instances } = await read(printed({ resources: [resource('t.a', { sensitive_values: marks })] }));
  expect([...(instances[0]?.sensitive ?? [])]).toEqual(['a', 'b']);
});

test('an empty state has no values', async () => {
  expect(await read('{"format_version":"1.0"}')).toEqual({ instances: [], left: [] });
});

let deep: object = {};
for (let depth = 0; depth < 70; depth++) deep = { child_modules: [deep] };

test.for<[why: string, text: string, says: string]>([
  [
    'a plan holds wishes',
    printed({}, { planned_values: {} }),
    '/planned_values: expected a state (terraform show -json without a plan), got an object',
  ],
  ['null is no object', '{"format_version":"1.0","values":null}', '/values: expected an object, got null'],
  ['another format', '{"format_version":"2.0"}', '/format_version: expected 1.x'],
  ['values are no object', `{"format_version":"1.0","values":"${canary}"}`, '/values: expected an object'],
  ['there is no root', '{"format_version":"1.0","values":{}}', '/values/root_module: expected an object'],
  ['resources are no list', printed({ resources: canary }), '/values/root_module/resources: expected a list'],
  [
    'modules are no list',
    printed({ child_modules: 1 }),
    '/root_module/child_modules: expected a list, got 1',
  ],
  ['a module is none', printed({ child_modules: [1] }), '/child_modules/0: expected an object'],
  ['a resource is none', printed({ resources: [canary] }), '/resources/0: expected an object'],
  ['no address', printed({ resources: [{}] }), '/resources/0/address: expected a text, got nothing'],
  ['no type', printed({ resources: [{ address: 'a' }] }), '/resources/0/type: expected a text'],
  [
    'no values',
    printed({ resources: [resource('a', { values: canary })] }),
    '/resources/0/values: expected an object',
  ],
  ['modules without end', printed(deep), 'expected modules at most 64 deep'],
])('refused where it is wrong, and not quoted: %s', async ([, text, says]) => {
  const refusal = await read(text).then(
    () => 'read',
    (error: unknown) => String(error),
  );
  expect(refusal).toContain(says);
  expect(refusal).not.toContain(canary);
});
