// `holdfast import`: prints manifests that adopt the objects of a Terraform state.
import { importOf, type ImportOptions } from '../../runtime/terraform/import.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { plain, type Terminal } from '../output/terminal.ts';

export function importState(file: string, options: ImportOptions, terminal: Terminal): ExitCode {
  const { documents, left, lost } = importOf(file, options);
  for (const document of documents) terminal.line(document.trimEnd());
  for (const { address, why } of left) terminal.note(plain(`${address}: not imported: ${why}`));
  for (const { address, attribute, isOfMount } of lost) {
    const why = isOfMount
      ? 'belongs to the mount, which Holdfast leaves as it is'
      : 'not in the manifest; add it if there is a field for it';
    terminal.note(plain(`${address}: ${attribute}: ${why}`));
  }
  terminal.note(`${documents.length} imported${left.length > 0 ? `, ${left.length} left out` : ''}`);
  return exitCode.fine;
}
