// A misspelt suspend suspends nothing, and the volume was made without a word: only validate and plan told of it.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, Holdfast, holdfast } from '../../support/cli.ts';
import { installation, Tree } from '../../support/manifests.ts';

const manifest = (name: string, annotation: string) => ({
  apiVersion: 'holdfast.dev/v1alpha1',
  kind: 'SchedulerConnection',
  metadata: { name, annotations: { [`holdfast.dev/${annotation}`]: 'true' } },
  spec: { dialect: 'cluster', addresses: ['embedded'] },
});
const pointer = '/metadata/annotations/holdfast.dev~1suspnd';

async function place() {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree'));
  tree.put('holdfast.yaml', installation());
  tree.put('a.yaml', manifest('a', 'suspnd'));
  tree.put('b.yaml', manifest('b', 'suspend'));
  return { cwd, tree };
}

const warnings = (text: string): readonly string[] => text.match(/^warning: .*$/gm) ?? [];
const told = [
  expect.stringMatching(new RegExp(`^warning: a\\.yaml:\\d+:\\d+: ${pointer}: asks for nothing: `)),
];

test.each([
  { args: ['apply', 'tree'], says: told },
  { args: ['apply', 'tree', '-o', 'json'], says: told },
  { args: ['apply', join('tree', 'a.yaml')], says: told },
  { args: ['apply', join('tree', 'b.yaml')], says: [] },
  { args: ['dev', 'tree', '--once'], says: told },
])('$args says once, on standard error, that an annotation asks for nothing', async ({ args, says }) => {
  const { cwd } = await place();
  const { stderr } = await holdfast([...args, '--timeout', '1'], { cwd });
  expect(warnings(stderr)).toEqual(says);
});

test('the log of run has it once for each manifest that says it, also of one that is edited meanwhile', async () => {
  const { cwd, tree } = await place();
  const running = new Holdfast(['run', '--source', 'tree', '--listen', 'off'], { cwd });
  await running.says(/"key":"SchedulerConnection\/a".*"an annotation does nothing"/, 9_000);
  tree.put('b.yaml', manifest('b', 'suspnd'));
  await running.says(/"key":"SchedulerConnection\/b".*"an annotation does nothing"/, 9_000);
  const lines = (await running.stop()).stdout.split('\n').filter((line) => line.includes('does nothing'));
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    ['a', 'b'].map((name) =>
      expect.objectContaining({
        level: 'warn',
        key: `SchedulerConnection/${name}`,
        origin: `${name}.yaml`,
        warning: expect.stringContaining(`${pointer}: asks for nothing`),
      }),
    ),
  );
});
