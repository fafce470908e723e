// `npm run build`: the program as files that need Node 24 and nothing else, in dist/. Its parts find each other by their
// place: whatever asks for a file beside itself (pages' assets, programs of threads) finds it beside the bundle.
import { createHash } from 'node:crypto';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, type Metafile } from 'esbuild';

const root = import.meta.dirname;

/**
 * A static import of what an older Node lacks would end in a riddle, so the program is loaded after this look. The signal
 * would open an inspector.
 */
const launcher = `#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
process.on('SIGUSR1', () => {});
if (Number(process.versions.node.split('.')[0]) >= 24) {
  module.enableCompileCache(fileURLToPath(new URL('.cache', import.meta.url)));
  void import('./main.mjs').then(({ main }) => main());
} else {
  process.stderr.write('holdfast needs Node 24 or newer, and this is ' + process.version + '\\n');
  process.exitCode = 1;
}
`;

/** For what is written in CommonJS among the packages. */
const banner =
  "import { createRequire as requireOfHoldfast } from 'node:module'; const require = requireOfHoldfast(import.meta.url);";

/** Of everything that may change what the program does with a file: its sources, and the versions of all packages. */
function programHash(): string {
  const files = [...globSync('src/**/*.ts', { cwd: root }).toSorted(), 'package-lock.json'];
  const sum = createHash('sha256');
  for (const file of files)
    sum
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return sum.digest('base64');
}

/**
 * Makes `holdfast.mjs` and all that it needs beside it.
 * @param directory is made; files of those names in it are replaced.
 * @throws Error where something can't be bundled.
 */
export async function bundle(directory: string): Promise<void> {
  const threads = globSync('src/**/*-thread.ts', { cwd: root }); // each is the program of a thread
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/main.ts', ...threads].map((file) => ({ in: file, out: basename(file, '.ts') })),
    outdir: directory,
    splitting: true, // a command loads what it uses
    chunkNames: 'part-[hash]', // beside the entries: what finds its neighbours may be in any of them
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    banner: { js: banner },
    define: { HOLDFAST_PROGRAM: JSON.stringify(programHash()) }, // for src/runtime/program.ts
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none', // whole licences go along instead
    metafile: true,
    logLevel: 'warning',
  });
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'holdfast.mjs'), launcher, { mode: 0o755 });
  cpSync(join(root, 'src/web/assets'), join(directory, 'assets'), { recursive: true });
  writeFileSync(join(directory, 'LICENSES.txt'), licences(metafile));
}

/** Those of ours and of every package of which something is in the bundle, as most of them demand. */
function licences({ inputs }: Metafile): string {
  const bundled = Object.keys(inputs).flatMap(
    (file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [],
  );
  const packages = [...new Set(bundled)].toSorted();
  const texts = packages.map((path) => `${path.replace(/^.*node_modules\//, '')}\n\n${licenceIn(path)}`);
  return [licenceIn('.'), ...texts].join(`\n${'-'.repeat(80)}\n\n`);
}

/** @throws Error for a package without one: it can't be passed on. */
function licenceIn(path: string): string {
  const [file] = globSync('{LICENSE,LICENCE,UNLICENSE,license,licence}{,.md,.txt}', {
    cwd: join(root, path),
  });
  if (file === undefined) throw new Error(`${path}: expected a file with its licence, got none`);
  return readFileSync(join(root, path, file), 'utf8');
}

if (import.meta.main) {
  const directory = join(root, 'dist');
  rmSync(directory, { recursive: true, force: true });
  await bundle(directory);
}
