// The calls that a kind makes, and when: its `uses` of every sample and example, under every policy.
import { globSync, readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { isRecord } from '../../src/core/json.ts';
import { registry } from '../../src/kinds/registry.ts';
import { explained } from '../../src/runtime/kinds/explain.ts';
import { problemOf } from '../../src/runtime/kinds/lookup.ts';
import { permissionsFor, routes } from '../../src/api/permissions.ts';
import { root } from '../coverage/sources.ts';
import { samples } from '../kinds/samples.ts';

interface KindCall {
  readonly op: string;
  readonly request: string;
  /** By dialect of the connection, each as it is documented and as Nomad has it. */
  readonly documented: readonly string[];
  readonly nomad: readonly string[];
  readonly when: string;
}

interface Example {
  readonly path: string;
  readonly text: string;
  readonly specs: readonly unknown[];
}

/** The files of examples/ that have an object of that kind, the first to be learnt from first. */
export const examplesOf = (kind: string): readonly Example[] =>
  globSync('examples/**/*.yaml', { cwd: root })
    .toSorted((a, b) => rankOf(a) - rankOf(b) || (a < b ? -1 : 1))
    .flatMap((path) => {
      const text = readFileSync(`${root}/${path}`, 'utf8');
      const found = parseAllDocuments(text).map((one): unknown => one.toJS());
      const specs = found.flatMap((one) => (isRecord(one) && one['kind'] === kind ? [one['spec']] : []));
      return specs.length === 0 ? [] : [{ path, text, specs }];
    });

const rankOf = (path: string): number =>
  ['orders', 'connection', 'credentials', ''].findIndex(
    (name) => path.startsWith('examples/quickstart') && path.includes(name),
  ) >>> 0;

/** Every value of the fields that decide what may be done. */
function variants(kind: string, spec: unknown): readonly object[] {
  const fields = explained(kind)?.fields.find(({ path }) => path[0] === 'spec')?.fields ?? [];
  const deciding = fields.filter(({ path }) => /^(management|deletion|replace)Policy$/.test(path[1] ?? ''));
  return deciding.reduce<readonly object[]>(
    (all, { path, schema }) => {
      const values = Array.isArray(schema['enum']) ? schema['enum'] : [];
      return all.flatMap((one) => values.map((value) => ({ ...one, [path[1] ?? '']: value })));
    },
    [Object(spec)],
  );
}

/** In the words of the page. */
const conditions = [
  ['always', () => true],
  ['unless it only observes', ({ management }) => management === 'Full'],
  [
    'with `deletionPolicy: Delete`',
    ({ management, deletion }) => management === 'Full' && deletion === 'Delete',
  ],
  [
    'with `replacePolicy: WhenUnused`',
    ({ management, replace }) => management === 'Full' && replace === 'WhenUnused',
  ],
] as const satisfies readonly (readonly [string, (policy: Policies) => boolean])[];

interface Policies {
  readonly management: string;
  readonly deletion: string;
  readonly replace: string;
}

export function callsOf(name: string): readonly KindCall[] {
  const found = registry.find(({ kind }) => kind.name === name);
  if (!found) throw new Error(`${name} is no kind`);
  const specs = [...(samples[name]?.specs ?? []), ...examplesOf(name).flatMap((one) => one.specs)];
  const key = { kind: name, namespace: 'shop', name: 'web' };
  const opened = specs
    .flatMap((spec) => variants(name, spec))
    .filter((spec) => problemOf(name, spec) === undefined)
    .map((spec) => found.kind.open({ key, spec, requests: {} }, {}))
    .map((one) => ({ policy: one.policy, ops: new Set(one.uses().map(({ op }) => op)) }));
  const ops = [...new Set(opened.flatMap((one) => [...one.ops]))];
  return ops.map((op) => {
    const when = conditions.find(([, holds]) => opened.every((one) => holds(one.policy) === one.ops.has(op)));
    const route = routes.get(op);
    return {
      op,
      request: `${route?.method} ${route?.path}`,
      documented: permissionsFor(op, 'cluster'),
      nomad: permissionsFor(op, 'nomad'),
      when: when?.[0] ?? 'where what is declared needs it',
    };
  });
}
