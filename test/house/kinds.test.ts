// The engine knows no kind: what it needs of one, the kind declares. A kind that stands anywhere else is a rule for one.
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { registry } from '../../src/kinds/registry.ts';
import { managedKinds, relatedKinds, requestCommands, requestsOf } from '../../src/runtime/kinds/lookup.ts';

const root = `${import.meta.dirname}/../..`;

/** Kinds know themselves; `api` and `embedded` have names of the services, some of which are the same. */
const own = ['src/kinds/', 'src/api/', 'src/embedded/'];
/** One table for all reasons, whose remedies name what is to be corrected. */
const prose = new Set(['src/core/status/reasons.ts']);

const sources = globSync('src/**/*.ts', { cwd: root })
  .filter((path) => !own.some((folder) => path.startsWith(folder)) && !prose.has(path))
  .map((path) => ({ path, text: readFileSync(`${root}/${path}`, 'utf8') }));
const naming = (name: string) =>
  sources.filter(({ text }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ path }) => path);

test.for(managedKinds)('only its own folder names %s', (kind) => {
  expect(naming(kind)).toEqual([]);
});

test('each kind has an example, which another test runs as it stands', () => {
  const examples = globSync('examples/**/*.yaml', { cwd: root }).map((path) =>
    readFileSync(`${root}/${path}`, 'utf8'),
  );
  const shown = new Set(
    examples.flatMap((text) => [...text.matchAll(/^kind: (\w+)$/gm)].map(([, kind]) => kind)),
  );
  expect(registry.map(({ kind }) => kind.name).filter((kind) => !shown.has(kind))).toEqual([]);
});

// Before an object is destroyed, the kinds are asked whose objects may need it or declare what it has.
test('only objects of one kind compete for an external object', () => {
  const types = registry.map(({ kind }) => kind.external({ backend: 'b' }).type);
  expect(new Set(types).size).toBe(registry.length);
});

test.for(registry)(
  'whoever may refer to an object of $kind.name is looked at before that is destroyed',
  ({ kind: { name } }) => {
    const referring = registry.flatMap(({ declaration: { kind, references } }) =>
      JSON.stringify(references).includes(`"kind":"${name}"`) ? kind : [],
    );
    expect(new Set(relatedKinds(name))).toEqual(new Set([name, ...referring]));
    expect(relatedKinds(name)).toHaveLength(new Set(relatedKinds(name)).size);
  },
);

const requests = registry.flatMap(({ kind }) =>
  kind.requests.map((request) => ({ kind: kind.name, ...request })),
);

test.for(requests)("only the folder of $kind knows its request '$name'", ({ name }) => {
  // As a text of its own: the same word may be the name of a command, or an English one.
  const known = sources.filter(({ text }) => text.includes(`'${name}'`) || text.includes(`\`${name}\``));
  expect(known.map(({ path }) => path)).toEqual([]);
});

test('kinds that are asked by the same command are asked the same way', () => {
  const commands = new Map<string, Set<string>>();
  for (const { name, command } of managedKinds.flatMap((kind) => requestsOf(kind))) {
    if (command) commands.set(command.name, (commands.get(command.name) ?? new Set()).add(command.sets));
    expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
  }
  expect([...commands].filter(([, sets]) => sets.size > 1)).toEqual([]);
});

test.for([
  { name: 'reconcile', kind: 'CSIVolume', request: 'reconcile' },
  { name: 'suspend', kind: 'LDAPConfig', request: 'suspend' },
  { name: 'orphan', kind: 'LDAPStaticRole', request: 'force-orphan' },
  { name: 'rotate', kind: 'LDAPStaticRole', request: 'rotate' },
  { name: 'rotate', kind: 'LDAPConfig', request: 'rotate-root' },
  { name: 'rotate', kind: 'CSIVolume', request: undefined },
])('`holdfast $name` of $kind is the request $request', ({ name, kind, request }) => {
  const command = requestCommands.find((one) => one.name === name);
  expect(command?.requestOf(kind)).toBe(request);
  expect(command?.kinds.includes(kind)).toBe(request !== undefined);
});
