// Proves that the import table of the house is checked: every edge that it forbids is written down and reported, every
// edge that it allows is written down and is not.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { lint } from './lint.ts';

const rule = 'eslint(no-restricted-imports)';

interface Row {
  /** `#` is where the cases differ. */
  readonly at: string;
  readonly may: readonly string[];
  /** Of these, types only. */
  readonly types?: readonly string[];
  /** It may open secrets. */
  readonly opens?: true;
}

const everything = [
  'api',
  'cli',
  'controller',
  'core',
  'embedded',
  'kinds',
  'kinds/another',
  'live',
  'runtime',
  'schema',
  'sources',
  'telemetry',
  'web',
];
const kinds = ['kinds', 'kinds/another'];

const folders: readonly Row[] = [
  { at: 'src/core/#.ts', may: ['core'] },
  { at: 'src/core/planning/#.ts', may: ['core'] },
  { at: 'src/schema/#.ts', may: ['core', 'schema'] },
  { at: 'src/schema/crd/#.ts', may: ['core', 'schema'] },
  { at: 'src/api/#.ts', may: ['core', 'api'], opens: true },
  { at: 'src/api/scheduler/#.ts', may: ['core', 'api'], opens: true },
  { at: 'src/kinds/#.ts', may: ['core', 'schema', 'api', ...kinds] },
  { at: 'src/kinds/#/kind.ts', may: ['core', 'schema'], types: ['api'] },
  { at: 'src/kinds/#/schema.ts', may: ['core', 'schema'], types: ['api'] },
  { at: 'src/kinds/#/plan.ts', may: ['core', 'schema'], types: ['api'] },
  { at: 'src/live/#.ts', may: ['core', 'schema', 'api', 'live'] },
  { at: 'src/sources/directory/#.ts', may: ['core', 'schema', 'api', 'sources'] },
  { at: 'src/sources/#/outputs.ts', may: ['core', 'schema', 'api', 'sources'], opens: true },
  { at: 'src/sources/#/control.ts', may: ['core', 'schema', 'api', 'sources'] },
  { at: 'src/controller/#.ts', may: ['core', 'telemetry', 'controller'] },
  { at: 'src/embedded/#.ts', may: ['core', 'embedded'], types: ['api'] },
  { at: 'src/embedded/scheduler/#.ts', may: ['core', 'embedded'], types: ['api'] },
  { at: 'src/web/#.ts', may: ['core', 'telemetry', 'web'] },
  { at: 'src/telemetry/#.ts', may: ['core', 'telemetry'] },
  { at: 'src/runtime/#.ts', may: everything.filter((folder) => folder !== 'cli') },
  { at: 'src/cli/#.ts', may: ['cli', 'core', 'runtime', 'telemetry'], types: everything },
  { at: 'src/cli/commands/#.ts', may: ['cli', 'core', 'runtime', 'telemetry'], types: everything },
  { at: 'test/cli/#.test.ts', may: everything, opens: true },
  { at: 'test/simulation/oracle/#.ts', may: [] },
];

interface Case {
  readonly why: string;
  readonly file: string;
  readonly text: string;
  readonly rules: readonly string[];
}

const value = (from: string, name = 'it'): string =>
  `import { ${name} } from '${from}';\nexport const use = ${name};\n`;
const type = (from: string): string => `import type { It } from '${from}';\nexport type Use = It;\n`;

const path = (from: string, to: string): string => {
  const relativePath = relative(dirname(from), to);
  return relativePath.startsWith('.') ? relativePath : `./${relativePath}`;
};

function edge(row: Row, target: string, how: 'value' | 'type', allowed: boolean): Case {
  const file = row.at.replace('#', `${how}-of-${target.replace('/', '-')}`);
  const text = (how === 'value' ? value : type)(path(file, `src/${target}/it.ts`));
  const why = `${row.at} ${allowed ? 'may' : 'may not'} import a ${how} of ${target}`;
  return { why, file, text, rules: allowed ? [] : [rule] };
}

const edges = folders.flatMap((row) =>
  everything.flatMap((target) => [
    edge(row, target, 'value', row.may.includes(target)),
    edge(row, target, 'type', row.may.includes(target) || (row.types ?? []).includes(target)),
  ]),
);

const client = ['undici'];
const wires = ['node:http', 'node:https', 'node:http2', 'node:net', 'node:tls', 'node:dgram', 'ws', 'ldapts'];
const effects = [...client, ...wires];

/** Modules that are no part of the house. */
const modules: readonly {
  readonly at: string;
  readonly may: readonly string[];
  readonly not: readonly string[];
}[] = [
  { at: 'src/core/#.ts', may: [], not: ['zod', 'yaml', '@marcbachmann/cel-js', 'node:crypto', ...effects] },
  { at: 'src/schema/#.ts', may: ['zod', '@marcbachmann/cel-js'], not: ['yaml', 'node:fs', ...effects] },
  { at: 'src/schema/crd/#.ts', may: ['zod', '@marcbachmann/cel-js'], not: ['yaml', 'node:fs', ...effects] },
  { at: 'src/kinds/#/schema.ts', may: ['zod'], not: ['yaml', 'node:fs', ...effects] },
  { at: 'src/kinds/#/plan.ts', may: ['zod'], not: ['yaml', 'node:fs', ...effects] },
  { at: 'src/kinds/#/kind.ts', may: ['zod'], not: ['node:util', 'node:fs', 'node:process', ...effects] },
  { at: 'src/kinds/#.ts', may: [], not: ['zod', 'node:util', 'node:process', ...effects] },
  {
    at: 'src/api/#.ts',
    may: ['undici', 'ws', 'ldapts', 'node:http', 'node:net', 'node:tls', 'node:fs/promises'],
    not: ['node:process', 'node:fs', 'node:child_process', 'node:dgram', 'yaml'],
  },
  { at: 'src/live/#.ts', may: [], not: ['node:util', 'node:process', ...effects] },
  {
    at: 'src/sources/directory/#.ts',
    may: ['yaml', 'node:sqlite', 'node:fs'],
    not: ['zod', 'node:process', 'node:child_process', ...effects],
  },
  { at: 'src/sources/#/outputs.ts', may: ['node:fs'], not: ['node:process', ...effects] },
  { at: 'src/sources/#/control.ts', may: ['node:net'], not: ['node:http', 'node:fs', 'node:process'] },
  {
    at: 'src/controller/#.ts',
    may: ['node:util'],
    not: ['node:fs', 'node:crypto', 'node:process', ...effects],
  },
  {
    at: 'src/embedded/#.ts',
    may: ['node:http', 'node:https', 'node:net', 'node:tls', 'node:sqlite', 'ws', 'ldapts'],
    not: ['node:child_process', 'node:process', 'zod', ...client],
  },
  {
    at: 'src/web/#.ts',
    may: ['node:http', 'node:https', 'node:net'],
    not: ['node:sqlite', 'node:tls', 'ws', 'node:process', ...client],
  },
  { at: 'src/telemetry/#.ts', may: ['pino', 'prom-client'], not: ['node:fs', 'node:process', ...effects] },
  { at: 'src/runtime/#.ts', may: ['node:fs'], not: ['node:child_process', 'node:process', ...effects] },
  { at: 'src/cli/#.ts', may: ['commander', 'node:process'], not: ['node:child_process', 'yaml', ...effects] },
  { at: 'test/api/#.test.ts', may: [...effects, 'node:process'], not: [] },
];

const outside = modules.flatMap(({ at, may, not }) =>
  [...may, ...not].map((module): Case => ({
    why: `${at} ${may.includes(module) ? 'may' : 'may not'} import ${module}`,
    file: at.replace('#', `of-${module.replaceAll(/[^a-z0-9]+/g, '-')}`),
    text: value(module),
    rules: may.includes(module) ? [] : [rule],
  })),
);

const ofCore = folders.filter(({ may }) => may.includes('core'));
const names = ofCore.flatMap((row) =>
  ['reveal', 'encode', 'publicOf'].map((name): Case => {
    const file = row.at.replace('#', `takes-${name.toLowerCase()}`);
    const allowed = name === 'publicOf' || row.opens === true;
    return {
      why: `${row.at} ${allowed ? 'may' : 'may not'} take ${name} from core/secret.ts`,
      file,
      text: value(path(file, 'src/core/secret.ts'), name),
      rules: allowed ? [] : [rule],
    };
  }),
);

const details: readonly Case[] = [
  {
    why: 'dialects are data, which a kind reads',
    file: 'src/kinds/three/kind.ts',
    text: value('../../api/dialects.ts'),
    rules: [],
  },
  {
    why: 'one schema gives the status its type, its parser and its part of the CRDs',
    file: 'src/core/status/status.ts',
    text: value('zod'),
    rules: [],
  },
  {
    why: 'and nothing else of core takes a package',
    file: 'src/core/other-status.ts',
    text: value('zod'),
    rules: [rule],
  },
  {
    why: 'a kind is one folder: plan.ts imports the schema beside it',
    file: 'src/kinds/one/plan.ts',
    text: value('./schema.ts'),
    rules: [],
  },
  {
    why: 'no kind imports another, by whatever path',
    file: 'src/kinds/two/kind.ts',
    text: value('../../kinds/one/plan.ts'),
    rules: [rule],
  },
  {
    why: 'routes are data, which the embedded services serve',
    file: 'src/embedded/takes-routes.ts',
    text: value('../api/routes.ts'),
    rules: [],
  },
  {
    why: 'dialects are data, at any depth',
    file: 'src/embedded/scheduler/takes-dialects.ts',
    text: value('../../api/dialects.ts'),
    rules: [],
  },
  {
    why: 'the embedded services never hold a client of themselves',
    file: 'src/embedded/scheduler/takes-client.ts',
    text: value('../../api/scheduler/client.ts'),
    rules: [rule],
  },
  {
    why: 'fetch has no bounds of its own, so not even api takes it',
    file: 'src/api/takes-fetch.ts',
    text: value('undici', 'fetch'),
    rules: [rule],
  },
  {
    why: 'a re-export is an import',
    file: 'src/core/exports-again.ts',
    text: "export { it } from '../api/it.ts';\n",
    rules: [rule],
  },
  {
    why: 'a dynamic import is an import',
    file: 'src/core/imports-later.ts',
    text: "export const it = await import('../api/it.ts');\n",
    rules: [rule],
  },
  {
    why: 'a namespace is no way around a restricted name',
    file: 'src/live/takes-all.ts',
    text: "import * as secret from '../core/secret.ts';\nexport const it = secret.Secret;\n",
    rules: [rule],
  },
];

const cases = [...edges, ...outside, ...names, ...details];
const found = lint(new Map(cases.map((c) => [c.file, c.text])));

for (const { why, file, rules } of cases) {
  test(why, () => expect(found.get(file)).toEqual(rules));
}

test('each case has a file of its own, so that none hides another', () => {
  expect(new Set(cases.map((c) => c.file)).size).toBe(cases.length);
});

test('a new folder of src states whom it may import', () => {
  const stand = readdirSync(resolve(import.meta.dirname, '../../src'), { withFileTypes: true });
  const stated = new Set(folders.map((row) => row.at.split('/')[1]));
  expect(stand.filter((entry) => !stated.has(entry.name)).map((entry) => entry.name)).toEqual([]);
});

test('what depends on a dialect is in its tables: nothing else asks which one it is', () => {
  const tables = ['api/dialects.ts', 'embedded/scheduler/behaviour.ts', 'embedded/secrets/behaviour.ts'];
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const asks = files.filter((file) =>
    /[!=]== '(cluster|nomad|vault)'/.test(readFileSync(`src/${file}`, 'utf8')),
  );
  expect(files.length).toBeGreaterThan(200);
  expect(asks.filter((file) => !tables.includes(file))).toEqual([]);
});
