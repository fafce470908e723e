// The registry as the commands need it.
import { registry } from '../kinds/registry.ts';

export const kinds = new Map(registry.map(({ kind }) => [kind.name, kind]));
export const declarations = registry.map(({ declaration }) => declaration);
