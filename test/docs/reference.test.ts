// What the reference leaves out does not exist for those who read it. `npm run check` sees to it that its pages are up to date.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { conditionTypes, reasons } from '../../src/core/status/reasons.ts';
import { registry } from '../../src/kinds/registry.ts';
import { explained, type Explained } from '../../src/runtime/kinds/explain.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { root } from '../coverage/sources.ts';
import { others } from './annotations-page.ts';
import { commands, optionsOf } from './commands-page.ts';
import { followed } from './followed.ts';

const page = (name: string): string => readFileSync(`${root}/docs/reference/${name}.md`, 'utf8');
const kinds = registry.map(({ kind }) => kind.name);

const pathsIn = (one: Explained): readonly string[] =>
  one.fields.flatMap((field) => [field.path.slice(1).join('.'), ...pathsIn(field)]);

test.for(kinds)('each field of a %s has a row on its page', (kind) => {
  const spec = explained(kind)?.fields.find(({ path }) => path[0] === 'spec');
  const paths = spec ? pathsIn(spec) : [];
  expect(paths.length).toBeGreaterThan(10);
  const text = page(`kinds/${kind.toLowerCase()}`);
  expect(paths.filter((path) => !text.includes(`\n| \`${path}\` |`))).toEqual([]);
});

test('each field of status has a row', () => {
  const all = kinds.flatMap(
    (kind) => explained(kind)?.fields.filter(({ path }) => path[0] === 'status') ?? [],
  );
  const text = page('kinds/README');
  expect(all.flatMap(pathsIn).filter((path) => !text.includes(`\n| \`${path}\` |`))).toEqual([]);
});

test('each condition and each reason that a condition can have is on the page of a kind', () => {
  const texts = ['README', ...kinds.map((kind) => kind.toLowerCase())].map((name) => page(`kinds/${name}`));
  const conditional = Object.entries(reasons).flatMap(([reason, { conditions }]) =>
    conditions.length > 0 ? [reason] : [],
  );
  expect(conditional.filter((reason) => !texts.some((text) => text.includes(`[${reason}](`)))).toEqual([]);
  const types = Object.keys(conditionTypes);
  expect(types.filter((type) => !texts.some((text) => text.includes(`\n| \`${type}\` |`)))).toEqual([]);
});

test('each reason has a heading', () => {
  const text = page('reasons');
  expect(Object.keys(reasons).filter((reason) => !text.includes(`\n## ${reason}\n`))).toEqual([]);
});

test('each command has a heading, and each of its options a row', () => {
  const text = page('commands');
  for (const command of commands()) {
    const section = text.split(`\n## ${command.name()}\n`)[1]?.split('\n## ')[0] ?? '';
    expect(section, command.name()).not.toBe('');
    const missing = optionsOf(command).filter(
      ({ flags }) => !section.includes(`| \`${flags.replaceAll('|', String.raw`\|`)}\` |`),
    );
    expect(
      missing.map(({ flags }) => flags),
      command.name(),
    ).toEqual([]);
  }
});

test('the options of a cluster stand under the heading of the help, and no option of a directory does', () => {
  const [, run = ''] = page('commands').split('\n## run\n');
  const [common = '', ofCluster = ''] = (run.split('\n## ')[0] ?? '').split('\nWith --source kubernetes:\n');
  expect(common).toContain('| `--secrets-dir <dir>` |');
  expect(common).not.toContain('| `--once` |');
  expect(ofCluster).toContain('| `--once` |');
});

test('each metric that a scrape shows before anything has happened has a row', async () => {
  const figures = {
    queue: { depth: 0, running: 0, longestRunMs: 0 },
    workers: 1,
    objects: () => [],
    problems: () => [],
    connections: () => [],
    restores: () => [],
  };
  const scrape = await createMetrics({ version: '1.0.0', figures }).metrics();
  const names = [...scrape.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !page('metrics').includes(`\n| \`${name}\` |`))).toEqual([]);
});

test('each name under our prefix that src or deploy has is on the page of annotations', () => {
  const files = globSync(['src/**/*.ts', 'deploy/kustomize/**/*.yaml'], { cwd: root });
  const named = files.flatMap((file) => [
    ...readFileSync(`${root}/${file}`, 'utf8').matchAll(
      /holdfast\.dev\/([a-z][a-z-]+)|requestPrefix\}\$?\{?([a-z]+)`/g,
    ),
  ]);
  const names = new Set(named.map(([, full, tail]) => full ?? tail ?? ''));
  const notAnnotations = new Set(['v', 'holdfast']); // the API version, and the reporter of events
  const known = new Set([
    ...others.map(([name]) => name),
    ...registry.flatMap(({ kind }) => kind.requests.map(({ name }) => name)),
  ]);
  const text = page('annotations');
  const missing = [...names].filter((name) => !notAnnotations.has(name) && !known.has(name));
  expect(missing.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('a page whose commands are run has no others', () => {
  const fences = followed().flatMap((path) =>
    [...readFileSync(`${root}/${path}`, 'utf8').matchAll(/^ *```(\w+)$/gm)].map(([, of = '']) => of),
  );
  expect([...new Set(fences)].toSorted()).toEqual(['console', 'hcl', 'yaml']);
});

/** As GitHub names their anchors. */
const headings = (path: string) =>
  [...readFileSync(path, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

test('each link between pages leads to a file, and to a heading of it', () => {
  const pages = globSync(['*.md', 'docs/**/*.md'], { cwd: root });
  const dead = pages.flatMap((path) =>
    [
      ...readFileSync(join(root, path), 'utf8')
        .replaceAll(/`[^`\n]*`/g, '')
        .matchAll(/\]\(([^)\s#:]*)(?:#([^)\s]*))?\)/g),
    ]
      .filter(([, file = '', heading]) => {
        const target = file === '' ? join(root, path) : join(root, dirname(path), file);
        return !existsSync(target) || (heading !== undefined && !headings(target).includes(heading));
      })
      .map(([link]) => `${path}: ${link}`),
  );
  expect(dead).toEqual([]);
});
