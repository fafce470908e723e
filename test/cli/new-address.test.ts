// A service that moves to a new address: the remedy that is told brings everything back, if it is followed to the letter.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply as applied } from '../../src/cli/commands/apply.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

test.for([
  { why: 'in the only namespace that there is by default', more: {} },
  { why: 'in a namespace and a region', more: { namespace: 'default', region: 'global' } },
])('the backendID that BackendChanged names makes a new address the same backend: $why', async ({ more }) => {
  const service = await serve();
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service, more);
  const options = { stateDir: join(cwd, '.holdfast'), output: 'text', timeout: 60 } as const;
  const apply = () => inside((...to) => applied(tree.path, options, ...to));
  tree.put('a.yaml', volume('a'));
  expect((await apply()).code).toBe(0);

  const url = service.url.replace('127.0.0.1', 'localhost');
  tree.connect({ url, dialect: service.dialect }, more);
  const { code, stdout } = await apply();
  expect(code).toBe(3);
  const [, backendID] = /BackendChanged.*set backendID of the connection to (.*?)\s*$/m.exec(stdout) ?? [];
  tree.connect({ url, dialect: service.dialect }, { ...more, backendID });
  expect(await apply()).toMatchObject({ code: 0 });
  expect(await service.volumes()).toHaveLength(1);
});
