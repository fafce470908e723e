// `holdfast init`: writes the first files of a directory of manifests. It never overwrites a file.
import { existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { explained } from '../../runtime/kinds/explain.ts';
import { apiVersion, asYaml, kinds, managedKinds } from '../../runtime/kinds/lookup.ts';
import { forAll, make, put } from '../../runtime/machine.ts';
import { shellWord } from '../output/shell.ts';
import { table, type Terminal } from '../output/terminal.ts';

export interface InitOptions {
  /** Absent: the name of the directory. */
  readonly name?: string;
}

/** @throws UsageError if one of the files exists */
export function init(directory: string, { name }: InitOptions, terminal: Terminal): void {
  const files = {
    'holdfast.yaml': installation(name ?? nameFrom(directory)),
    'connections.yaml': connectionKinds.map(connection).join('---\n'),
  };
  for (const file of Object.keys(files))
    if (existsSync(join(directory, file)))
      throw new UsageError(`${join(directory, file)} is there already: nothing was written`);
  make(directory, forAll);
  const wrote = writeAll(Object.entries(files).map(([file, text]) => [join(directory, file), text]));
  for (const file of wrote) terminal.line(`wrote ${file}`);
  terminal.line();
  terminal.line('Next:');
  const next = [
    ['holdfast explain', '# what can be declared'],
    [`holdfast validate ${shellWord(directory)}`, '# check it offline'],
    [`holdfast dev ${shellWord(directory)}`, '# try it on embedded services'],
  ] as const;
  for (const line of table(next).split('\n')) terminal.line(`  ${line}`);
}

/** All or none: after a failure, the command can be tried again. @returns their names. @throws UsageError */
function writeAll(files: readonly (readonly [file: string, text: string])[]): readonly string[] {
  const wrote: string[] = [];
  try {
    for (const [file, text] of files) {
      put(file, text, 'wx');
      wrote.push(file);
    }
  } catch (error) {
    for (const file of wrote) rmSync(file, { force: true });
    throw error;
  }
  return wrote;
}

const nameFrom = (directory: string): string =>
  basename(resolve(directory))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63) || 'main';

const installation = (
  name: string,
): string => `# Names this directory. A state belongs to one name: under another, Holdfast refuses to start on it.
${asYaml({ apiVersion, kind: 'Installation', metadata: { name } })}`;

const connectionKinds = [...kinds.keys()].filter((kind) => !managedKinds.includes(kind));

/** A connection to the embedded service that `holdfast dev` runs. */
function connection(kind: string): string {
  const whole = explained(kind);
  const description = whole?.schema['description'];
  const spec = whole?.fields.find(({ path }) => path.at(-1) === 'spec');
  const dialect = spec?.fields.find(({ path }) => path.at(-1) === 'dialect')?.schema['enum'];
  const dialects = Array.isArray(dialect) ? dialect.map(String) : [];
  return `# ${typeof description === 'string' ? description : kind}
apiVersion: ${apiVersion}
kind: ${kind}
metadata:
  name: main
spec:
  addresses: [embedded] # elsewhere: https://host:port, and auth; \`holdfast explain ${kind}.auth\` says how
  dialect: ${dialects[0] ?? ''} # one of ${dialects.join(', ')}
  access: # who may use it: without an entry, nobody
    - namespaces: [default]
`;
}
