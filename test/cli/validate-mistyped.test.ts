// What `validate` tells of manifests that are valid, and yet can't be meant as they stand.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderProblem } from '../../src/core/text/problem.ts';
import { readManifests } from '../../src/runtime/manifests.ts';
import { folder } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';

const place = async () =>
  new Tree(join(await folder(), 'tree')).connect({ url: 'http://127.0.0.1:4646', dialect: 'nomad' });

/** The first line of each warning. */
async function warningsOf({ path }: Tree): Promise<readonly string[]> {
  const read = await readManifests([path], join(path, '..', '.holdfast'));
  expect(read.flatMap(({ scan }) => scan.problems)).toEqual([]);
  const shown = read.flatMap(({ warnings }) => warnings).map((one) => renderProblem(one, { color: false }));
  return shown.map((text) => text.split('\n')[0] ?? '');
}

test.for([
  {
    why: 'no unit',
    min: 10,
    says: /: \/spec\/create\/capacity\/min: only 10 bytes; is the unit missing, as in 10Gi\?$/,
  },
  { why: 'a small unit', min: '10k', says: /: only 10000 bytes; / },
  { why: 'a small disk', min: '1Mi', says: undefined },
])('a disk of a few bytes is warned of, which the plugin would make anyway: $why', async ({ min, says }) => {
  const tree = await place();
  tree.put('a.yaml', volume('a', { create: { capacity: { min } } }));
  expect(await warningsOf(tree)).toEqual(says === undefined ? [] : [expect.stringMatching(says)]);
});

test('curly quotes are warned of: they would be sent as part of the value', async () => {
  const tree = await place();
  tree.put(
    'a.yaml',
    volume('a', { pluginID: '“hostpath”', mountOptions: { mountFlags: ['ro', '‘noatime’'] } }),
  );
  tree.put(
    'b.yaml',
    volume('b', { pluginID: 'the “best” plugin', secrets: { key: { name: 's', key: 'key' } } }),
  );
  tree.put('s.yaml', secret('shop', 's', { key: '“canary-x”' }));
  const quotes = 'the curly quotes are part of the value: YAML knows " and \' only';
  const warnings = await warningsOf(tree);
  expect(warnings).toEqual([
    expect.stringContaining(`: /spec/secrets/key: Secret/shop/s: its entry key: ${quotes}`),
    expect.stringContaining(`: /spec/pluginID: ${quotes}`),
    expect.stringContaining(`: /spec/mountOptions/mountFlags/1: ${quotes}`),
  ]);
  expect(warnings[0]).not.toContain('canary');
});

const needs = (name: string) => ({ secrets: { key: { name, key: 'password' } } });
const entries = { password: 'canary-x' };

test('a Secret that is missing and one that nobody names are told of as one, if they may be', async () => {
  const tree = await place();
  tree.put('typo.yaml', volume('typo', needs('ledgr')));
  tree.put('ledger.yaml', secret('shop', 'ledger', entries));
  tree.put('astray.yaml', volume('astray', needs('web')));
  tree.put('web.yaml', secret('default', 'web', entries));
  expect((await warningsOf(tree)).toSorted()).toEqual([
    expect.stringMatching(
      /^astray\.yaml:.*: Secret\/shop\/web is not declared here; did you mean Secret\/default\/web, to which nothing refers\?$/,
    ),
    expect.stringMatching(/^typo\.yaml:.*: Secret\/shop\/ledgr is not .* mean Secret\/shop\/ledger, /),
  ]);
});

test('a Secret of elsewhere is nobody’s mistake, though the tree has one of nearly that name', async () => {
  const tree = await place();
  tree.put('a.yaml', volume('a', needs('ledger-1')));
  tree.put('b.yaml', volume('b', needs('ledger-2')));
  tree.put('ledger.yaml', secret('shop', 'ledger-1', entries));
  tree.put('spare.yaml', secret('shop', 'something-else', entries));
  expect(await warningsOf(tree)).toEqual([]);
});
