// Runs the house's linter, with the house's own configuration, over files that are written for the purpose.
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';

const house = resolve(import.meta.dirname, '../..');

const Report = z.object({
  diagnostics: z.array(z.object({ code: z.string().optional(), message: z.string(), filename: z.string() })),
});

/**
 * Lints all `files` (path → text) in one run.
 * @returns path → the rules that reported it, each once; a clean file has an empty list.
 */
export function lint(files: ReadonlyMap<string, string>): ReadonlyMap<string, readonly string[]> {
  const tree = mkdtempSync(join(tmpdir(), 'house-'));
  try {
    for (const config of ['.oxlintrc.json', 'tsconfig.json'])
      copyFileSync(join(house, config), join(tree, config));
    symlinkSync(join(house, 'node_modules'), join(tree, 'node_modules'));
    for (const [path, text] of files) {
      mkdirSync(dirname(join(tree, path)), { recursive: true });
      writeFileSync(join(tree, path), text);
    }
    return reported([...files.keys()], run(tree));
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
}

function run(tree: string): z.infer<typeof Report> {
  const oxlint = join(house, 'node_modules/oxlint/bin/oxlint');
  const ran = spawnSync(process.execPath, [oxlint, '--format', 'json', 'src', 'test'], {
    cwd: tree,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!ran.stdout.startsWith('{')) throw new Error(`oxlint did not report: ${ran.stdout}${ran.stderr}`);
  return Report.parse(JSON.parse(ran.stdout));
}

function reported(
  paths: readonly string[],
  { diagnostics }: z.infer<typeof Report>,
): ReadonlyMap<string, readonly string[]> {
  const rules = new Map(paths.map((path) => [path, new Set<string>()]));
  for (const { filename, code, message } of diagnostics) {
    const file = rules.get(filename);
    if (file === undefined)
      throw new Error(`oxlint reported a file that was not given to it: ${filename}: ${message}`);
    file.add(code ?? message);
  }
  return new Map(Array.from(rules, ([path, found]) => [path, [...found].toSorted()]));
}
