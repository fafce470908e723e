// A manifest that can't be used is an object that is not ready, wherever one looks: it was a line in a log.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply } from '../../src/cli/commands/apply.ts';
import { describe as described } from '../../src/cli/commands/describe.ts';
import { get } from '../../src/cli/commands/get.ts';
import { atPlace } from '../../src/runtime/place/place.ts';
import { everything } from '../../src/runtime/place/listing.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

test('a broken new object, and a deletion that a broken file holds back', async () => {
  const cwd = await folder();
  const stateDir = join(cwd, '.holdfast');
  const tree = new Tree(join(cwd, 'tree')).connect(await serve());
  const applied = () => inside((...to) => apply(tree.path, { stateDir, output: 'text', timeout: 60 }, ...to));
  tree.put('old.yaml', volume('old'));
  expect((await applied()).code).toBe(0);

  tree.remove('old.yaml');
  tree.put('fresh.yaml', volume('fresh', { colour: 'red' }));
  tree.put('half.yaml', 'kind: [');
  const { code, stdout } = await applied();
  expect(code).toBe(1);
  expect(stdout).toMatch(/^CSIVolume +shop\/fresh +False +InvalidSpec +fresh\.yaml:\d+:\d+: .*colour/m);
  expect(stdout).toContain('\n2 of 3 ready, 2 invalid\n');
  expect(stdout).toContain(
    "DeletionHeldBack: its manifest is gone, and it is not deleted while 2 files can't be used (first fresh.yaml)",
  );

  const { signal } = new AbortController();
  const got = await inside((terminal) =>
    atPlace({ stateDir }, signal, (place) => get(everything, { output: 'text' }, place, terminal, signal)),
  );
  expect(got.stdout).toMatch(/^CSIVolume +shop\/fresh +False +InvalidSpec /m);
  expect(got.stdout).toMatch(
    /\n2 invalid, when the files were last read:\n {2}fresh\.yaml:.*\n {2}half\.yaml:1:/,
  );
  const told = await inside((terminal) =>
    atPlace({ stateDir }, signal, (place) => described('CSIVolume/shop/fresh', place, terminal)),
  );
  expect(told.stdout).toMatch(/^Declared in: +fresh\.yaml$/m);
  tree.remove('fresh.yaml');
  tree.remove('half.yaml');
  expect((await applied()).stdout).toContain('\n1 of 1 ready\n');
});
