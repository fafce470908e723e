// A tree of real files, two small kinds to fill it with, and what a reader makes of it.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { renderProblem } from '../../../../src/core/text/problem.ts';
import { TreeReader, type TreeReaderOptions } from '../../../../src/sources/directory/tree/reader.ts';
import type { Declaration } from '../../../../src/schema/declaration.ts';

const common = { shortNames: [], description: 'For tests.', references: [], columns: [] };

const disk: Declaration = {
  ...common,
  kind: 'Disk',
  plural: 'disks',
  scope: 'Namespaced',
  spec: z.strictObject({
    size: z.int().min(1).max(100),
    owner: z.string().max(20).exactOptional(),
    mounts: z
      .array(z.strictObject({ path: z.string().max(20) }))
      .max(5)
      .exactOptional(),
    tags: z.record(z.string().max(20), z.string().max(20)).exactOptional(),
  }),
  fields: { '/size': { change: 'in-place' }, '/owner': { change: 'identity' } },
  rules: [{ rule: 'self.size != 13', message: 'thirteen brings bad luck', fieldPath: '.size' }],
};

const site: Declaration = {
  ...common,
  kind: 'Site',
  plural: 'sites',
  scope: 'Cluster',
  spec: z.strictObject({ city: z.string().max(20) }),
  fields: {},
  rules: [],
};

export const installation = 'apiVersion: holdfast.dev/v1alpha1\nkind: Installation\nmetadata: {name: lab}\n';

/** A whole document; `spec` is YAML in flow style. */
export const diskText = (name: string, spec = '{size: 1}', meta = ''): string =>
  `apiVersion: holdfast.dev/v1alpha1\nkind: Disk\nmetadata: {name: ${name}, namespace: shop${meta}}\nspec: ${spec}\n`;

export interface Tree {
  readonly root: string;
  readonly write: (path: string, text: string | Uint8Array) => void;
  /** A reader of this tree; `reader()` twice gives two that know nothing of each other. */
  readonly reader: (options?: Partial<TreeReaderOptions>) => TreeReader;
}

/** Real files below a directory of their own, readable by every user; gone when the test is. */
export function treeOf(files: Readonly<Record<string, string | Uint8Array>> = {}): Tree {
  const base = mkdtempSync(join(tmpdir(), 'holdfast-tree-'));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  chmodSync(base, 0o755);
  const root = join(base, 'tree');
  const write = (path: string, text: string | Uint8Array): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  write('holdfast.yaml', installation);
  for (const [path, text] of Object.entries(files)) write(path, text);
  const reader = (options: Partial<TreeReaderOptions> = {}): TreeReader =>
    new TreeReader({ root, declarations: [disk, site], ...options });
  return { root, write, reader };
}

/** What is used, and the first line of each problem as a person sees it. */
export async function look(
  tree: Tree,
  options: Partial<TreeReaderOptions> = {},
): Promise<{ objects: readonly string[]; lines: readonly string[] }> {
  const { objects, problems } = await tree.reader(options).read();
  const lines = problems.map((problem) => renderProblem(problem, { color: false }).split('\n', 1)[0] ?? '');
  return { objects: [...objects.keys()], lines };
}
