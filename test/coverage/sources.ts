// The project's files as rows name them: what they declare, which tests they hold, who answers an operation.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Op } from '../../src/api/routes.ts';
import type { Place } from './item.ts';

export const root = fileURLToPath(new URL('../..', import.meta.url));

const read = new Map<string, string>();

/** Empty for a file that is not there. */
function textOf(file: string): string {
  const path = `${root}/${file}`;
  const text = read.get(file) ?? (existsSync(path) ? readFileSync(path, 'utf8') : '');
  read.set(file, text);
  return text;
}

const escaped = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|-]/g, String.raw`\$&`);

/** As a declaration, a member, or the key of a table. */
export const declares = ({ file, name }: Place): boolean =>
  new RegExp(
    `\\b(?:function\\*?|const|class|interface|type) ${escaped(name)}\\b|` +
      `^ +(?:static |async |\\*|get )*#?${escaped(name)}(?:<.*>)?\\(|^ +(?:readonly )?['"]?${escaped(name)}['"]?\\??[:(,]`,
    'm',
  ).test(textOf(file));

/** As a string, or as a field that is taken out of an object. */
export const readsName = (file: string, name: string): boolean =>
  new RegExp(`['"\`]${escaped(name)}['"\`]|[{,] ?${escaped(name)}\\b|^ +${escaped(name)}: `, 'm').test(
    textOf(file),
  );

const filesIn = (pattern: string): readonly string[] => globSync(pattern, { cwd: root }).toSorted();

/** @returns whether the file runs it: a file of cases is run by those that import it. */
export function isRun(file: string): boolean {
  if (file.endsWith('.test.ts')) return textOf(file) !== '';
  const [name = '', folder = '', ...above] = file.split('/').toReversed();
  const beside = `${[folder, ...above].toReversed().join('/')}/*.test.ts`;
  const outside = `${above.toReversed().join('/')}/*.test.ts`;
  return (
    filesIn(beside).some((one) => textOf(one).includes(`'./${name}'`)) ||
    filesIn(outside).some((one) => textOf(one).includes(`'./${folder}/${name}'`))
  );
}

/** Of a test, or of a table of tests. */
export const hasTest = (file: string, title: string): boolean =>
  new RegExp(String.raw`(?:\btest(?:\.\w+)*|\))\(\s*(['"${'`'}])${escaped(title)}\1,`).test(textOf(file));

const once = <T>(make: () => T): (() => T) => {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
};

const wireFiles = once(() => filesIn('src/api/**/*.ts'));
const embeddedFiles = once(() => filesIn('src/embedded/**/*.ts'));

/** Where the clients declare a type. */
export const declaredType = (type: string): Place | undefined => {
  const file = wireFiles().find((one) =>
    new RegExp(`\\b(?:interface|type) ${type}\\b[^,}]`).test(textOf(one)),
  );
  return file === undefined ? undefined : { file, name: type };
};

/** Who answers an operation: what the embedded service's table of endpoints says. */
export function handlerOf(op: Op): Place | undefined {
  const at = new RegExp(
    `served\\(\\s*'${escaped(op)}',\\s*(?:async )?\\([^)]*\\) =>\\s*(?:\\{\\s*return )?([\\w.]+)\\(`,
  );
  const named = `served\\(\\s*'${escaped(op)}',`;
  for (const file of embeddedFiles()) {
    const text = textOf(file);
    const start = text.search(new RegExp(named));
    if (start < 0) continue;
    const name = at.exec(text)?.[1] ?? declaredBefore(text, start);
    if (name !== undefined) return { file, name };
  }
  return undefined;
}

const declaredBefore = (text: string, at: number): string | undefined =>
  [...text.slice(0, at).matchAll(/^(?:export )?(?:const|(?:async )?function) (\w+)/gm)].at(-1)?.[1];

/** A table may stand in a file beside its tests. */
export const hasRow = (file: string, row: string): boolean =>
  [file, ...siblings(file)].some((one) => textOf(one).includes(row));

const siblings = (file: string): readonly string[] =>
  [...textOf(file).matchAll(/from '\.\/([\w-]+\.ts)'/g)].map(([, name = '']) => file.replace(/[^/]*$/, name));
