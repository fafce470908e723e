// `holdfast schema`: generates JSON Schemas of the kinds, for editors and other checkers.
import { join } from 'node:path';
import { jsonSchemaFiles, jsonSchemaOf } from '../../runtime/kinds/json-schema.ts';
import { forAll, make, put } from '../../runtime/machine.ts';
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
  make(directory, forAll);
  const files = jsonSchemaFiles();
  for (const [name, text] of files) put(join(directory, name), text);
  terminal.line(`wrote ${counted(files.size, 'file')} to ${directory}`);
}
