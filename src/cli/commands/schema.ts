// `holdfast schema`: generates JSON Schemas of the kinds, for editors and other checkers.
import { join, resolve } from 'node:path';
import { UsageError } from '../../core/errors.ts';
import { jsonSchemaFiles, jsonSchemaOf } from '../../runtime/kinds/json-schema.ts';
import { forAll, isAmong, make, put } from '../../runtime/machine.ts';
import { treeAround } from '../../runtime/manifests.ts';
import { kindOf } from '../object-key.ts';
import type { Terminal } from '../output/terminal.ts';
import { counted } from '../../core/text/count.ts';

/** @param what if given, only the schema of this kind is printed. @throws UsageError */
export function schema(
  what: string | undefined,
  { directory }: { readonly directory: string },
  terminal: Terminal,
): void {
  if (what !== undefined) return terminal.json(jsonSchemaOf(kindOf(what)));
  refuseAmongManifests(directory);
  make(directory, forAll);
  const files = jsonSchemaFiles();
  for (const [name, text] of files) put(join(directory, name), text);
  terminal.line(`wrote ${counted(files.size, 'file')} to ${directory}`);
}

function refuseAmongManifests(directory: string): void {
  const root = treeAround(resolve(directory));
  if (root === undefined || !isAmong(join(directory, 'any.json'), root)) return;
  const expected = 'expected a directory outside of the manifests, or a hidden one: .json is read there';
  throw new UsageError(`--directory ${directory}: ${expected}`);
}
