// Proves that each house rule about code bites, and only where it is meant to.
import { expect, test } from 'vitest';
import { lint } from './lint.ts';

interface Case {
  readonly why: string;
  readonly file: string;
  readonly text: string;
  /** The rules that report it; none: it is allowed. */
  readonly rules: readonly string[];
}

const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('\n');
const longFunction = (length: number): string => `export function run(tell: (n: number) => void): void {
${lines(length - 2, (i) => `  tell(${i});`)}
}
`;
const nested = (depth: number): string =>
  `export function run(on: boolean, tell: () => void): void {\n${'if (on) {\n'.repeat(depth)}tell();\n${'}\n'.repeat(depth)}}\n`;
const loop = (from: string, to: string): string =>
  `import { ${to} } from './${to}.ts';\nexport const ${from} = (): unknown => ${to};\n`;
const promised = 'declare function work(): Promise<void>;\n';

const everywhere: readonly Case[] = [
  {
    why: 'any switches the types off',
    file: 'test/core/any.test.ts',
    text: 'export const it = (value: any): unknown => value;\n',
    rules: ['typescript(no-explicit-any)'],
  },
  {
    why: 'a promise that nobody awaits hides its failure',
    file: 'src/live/floating.ts',
    text: `${promised}export function run(): void {\n  work();\n}\n`,
    rules: ['typescript(no-floating-promises)'],
  },
  {
    why: 'a promise is always true',
    file: 'src/live/misused.ts',
    text: `${promised}export const done = (): boolean => {\n  if (work()) return true;\n  return false;\n};\n`,
    rules: ['typescript(no-misused-promises)'],
  },
  {
    why: 'a new member of a union is handled everywhere',
    file: 'src/core/switch.ts',
    text: "export function run(is: 'a' | 'b', tell: () => void): void {\n  switch (is) {\n    case 'a':\n      tell();\n  }\n}\n",
    rules: ['typescript(switch-exhaustiveness-check)'],
  },
  {
    why: 'a cast goes round the types, so it gives its reason where it suppresses this',
    file: 'src/core/cast.ts',
    text: 'export const it = (value: unknown): string => value as string;\n',
    rules: ['typescript(no-unsafe-type-assertion)'],
  },
  {
    why: 'modules stand in one order',
    file: 'src/core/one.ts',
    text: loop('one', 'two'),
    rules: ['import(no-cycle)'],
  },
  {
    why: 'modules stand in one order, and either end is told',
    file: 'src/core/two.ts',
    text: loop('two', 'one'),
    rules: ['import(no-cycle)'],
  },
  {
    why: 'a thing has one name',
    file: 'src/core/default.ts',
    text: 'const it = 1;\nexport default it;\n',
    rules: ['import(no-default-export)'],
  },
  {
    why: 'modules hold no state',
    file: 'src/core/mutable.ts',
    text: 'export let it = 1;\nexport const set = (): void => {\n  it = 2;\n};\n',
    rules: ['import(no-mutable-exports)'],
  },
  {
    why: 'a barrel hides where things live',
    file: 'src/core/barrel.ts',
    text: "export * from './target.ts';\n",
    rules: ['oxc(no-barrel-file)'],
  },
  {
    why: 'what a barrel would export',
    file: 'src/core/target.ts',
    text: 'export const it = 1;\n',
    rules: [],
  },
  {
    why: 'a built-in module looks like one',
    file: 'test/live/protocol.test.ts',
    text: "import { inspect } from 'util';\nexport const it = inspect;\n",
    rules: ['unicorn(prefer-node-protocol)'],
  },
  {
    why: 'files are named alike',
    file: 'src/core/inCamel.ts',
    text: 'export const it = 1;\n',
    rules: ['unicorn(filename-case)'],
  },
  {
    why: 'tests run real parts',
    file: 'test/core/mocks.test.ts',
    text: "import { vi } from 'vitest';\nvi.mock('../../src/core/target.ts');\n",
    rules: ['vitest(no-restricted-vi-methods)'],
  },
  {
    why: 'an audit imports nothing of the program that it judges',
    file: 'test/audit/import.test.ts',
    text: "import { limits } from '../../src/core/planning/deletion-limits.ts';\nexport const it = limits;\n",
    rules: ['eslint(no-restricted-imports)'],
  },
  {
    why: 'logs go through telemetry, output through process.stdout',
    file: 'src/cli/console.ts',
    text: "console.log('it');\n",
    rules: ['eslint(no-console)'],
  },
  {
    why: 'a parameter means the same from first line to last',
    file: 'src/core/reassign.ts',
    text: 'export function it(n: number): number {\n  n = 2;\n  return n;\n}\n',
    rules: ['eslint(no-param-reassign)'],
  },
  { why: 'three levels of nesting can be read', file: 'src/core/depth-3.ts', text: nested(3), rules: [] },
  { why: 'four can not', file: 'src/core/depth-4.ts', text: nested(4), rules: ['eslint(max-depth)'] },
  {
    why: 'a file of 300 lines is as long as it gets',
    file: 'test/core/lines-300.test.ts',
    text: lines(300, (i) => `export const n${i} = ${i};`),
    rules: [],
  },
  {
    why: 'a longer file is two files',
    file: 'test/core/lines-301.test.ts',
    text: lines(301, (i) => `export const n${i} = ${i};`),
    rules: ['eslint(max-lines)'],
  },
  {
    why: 'reasons are one table, however many there are',
    file: 'src/core/status/reasons.ts',
    text: lines(301, (i) => `export const n${i} = ${i};`),
    rules: [],
  },
  {
    why: 'a function of 70 lines is as long as it gets',
    file: 'src/core/run-70.ts',
    text: longFunction(70),
    rules: [],
  },
  {
    why: 'a longer function is two functions',
    file: 'src/core/run-71.ts',
    text: longFunction(71),
    rules: ['eslint(max-lines-per-function)'],
  },
  { why: 'a test may tell a long story', file: 'test/core/run-71.ts', text: longFunction(71), rules: [] },
  {
    why: 'a suppression that suppresses nothing is noise',
    file: 'src/core/suppress.ts',
    text: '// oxlint-disable-next-line no-console\nexport const it = 1;\n',
    rules: ['Unused oxlint-disable directive (no problems were reported).'],
  },
];

const pure = ['src/core/#.ts', 'src/schema/#.ts', 'src/kinds/#/schema.ts', 'src/kinds/#/plan.ts'];
const effectful = [
  'src/api/#.ts',
  'src/kinds/#/kind.ts',
  'src/live/#.ts',
  'src/controller/#.ts',
  'src/sources/directory/#.ts',
  'src/embedded/scheduler/#.ts',
  'src/web/#.ts',
];
const shells = ['src/cli/#.ts', 'test/cli/#.test.ts'];

const globals = 'eslint(no-restricted-globals)';
const properties = 'eslint(no-restricted-properties)';

/** What reaches for the world: where it is reported, and where it is not. */
const reaches: readonly {
  readonly what: string;
  readonly rule: string;
  readonly not: readonly string[];
  readonly may: readonly string[];
}[] = [
  { what: 'fetch', rule: globals, not: [...pure, ...effectful, ...shells], may: [] },
  { what: 'globalThis.fetch', rule: globals, not: [...pure, ...effectful, ...shells], may: [] },
  { what: 'new WebSocket("")', rule: globals, not: effectful, may: [] },
  { what: 'new EventSource("")', rule: globals, not: effectful, may: [] },
  { what: 'new Date(0)', rule: globals, not: pure, may: effectful },
  { what: 'Date.now()', rule: properties, not: effectful, may: ['src/runtime/#.ts'] },
  { what: 'performance.now()', rule: globals, not: [...pure, ...effectful, 'src/cli/#.ts'], may: [] },
  { what: 'setTimeout', rule: globals, not: [...pure, ...effectful, 'src/cli/#.ts'], may: [] },
  { what: 'setInterval', rule: globals, not: [...pure, ...effectful, 'src/cli/#.ts'], may: [] },
  { what: 'setImmediate', rule: globals, not: [...pure, ...effectful, 'src/cli/#.ts'], may: [] },
  { what: 'crypto.randomUUID()', rule: globals, not: [...pure, ...effectful, 'src/cli/#.ts'], may: [] },
  { what: 'Math.random()', rule: properties, not: [...pure, ...effectful], may: ['src/runtime/#.ts'] },
  { what: 'process.pid', rule: globals, not: pure, may: effectful },
  { what: 'process.env', rule: properties, not: effectful, may: shells },
  { what: 'process.argv', rule: properties, not: effectful, may: shells },
  { what: 'process.exit(1)', rule: properties, not: effectful, may: shells },
  { what: 'globalThis.process', rule: properties, not: effectful, may: shells },
];

const reaching = reaches.flatMap(({ what, rule, not, may }) =>
  [...not, ...may].map((at): Case => {
    const name = what
      .toLowerCase()
      .replaceAll(/[^a-z]+/g, '-')
      .replace(/-$/, '');
    const rules = not.includes(at) ? [rule] : [];
    const why = `${at} ${not.includes(at) ? 'may not' : 'may'} use ${what}`;
    return { why, file: at.replace('#', name), text: `export const it = ${what};\n`, rules };
  }),
);

const cases = [...everywhere, ...reaching];
const found = lint(new Map(cases.map((c) => [c.file, c.text])));

for (const { why, file, rules } of cases) {
  test(why, () => expect(found.get(file)).toEqual(rules));
}
