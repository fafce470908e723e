// The registry, by what its kinds are needed for.
import { registry } from '../kinds/registry.ts';
import type { Status } from '../core/status.ts';
import { crdFiles } from '../schema/crd-files.ts';

export const kinds = new Map(registry.map(({ kind }) => [kind.name, kind]));
export const declarations = registry.map(({ declaration }) => declaration);

export const crds = () => crdFiles(declarations);

/** What is remembered of an object once a person goes on from an earlier state. */
export const keep = (kind: string, status: Status): Status => kinds.get(kind)?.keep(status) ?? status;
