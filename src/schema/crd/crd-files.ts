// CustomResourceDefinitions as the files that are committed and applied.
import { crd, crdName } from './crd.ts';
import type { Declaration } from '../declaration.ts';
import { yamlText } from '../yaml-text.ts';

const header = '# Generated from src/kinds/*/schema.ts by `npm run crds`; change it there.\n';

export const crdYaml = (declaration: Declaration): string => header + yamlText(crd(declaration));

export const crdFiles = (declarations: readonly Declaration[]): ReadonlyMap<string, string> =>
  new Map(declarations.map((declaration) => [`${crdName(declaration)}.yaml`, crdYaml(declaration)]));
