// What a newcomer meets on the first day is told in words, and a count leaves nothing out.
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { unmanaged } from '../../src/cli/commands/discovery.ts';
import { validate } from '../../src/cli/commands/validate.ts';
import { client, never } from '../api/servers.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { installation, Tree, volume } from '../support/manifests.ts';
import { portOf } from '../support/port.ts';
import { ldapConfig, secretsConnection, serveSecrets } from '../support/secrets.ts';

const place = async () => {
  const tree = new Tree(join(await folder(), 'tree'));
  tree.put('holdfast.yaml', installation());
  return tree;
};

test('validate counts warnings: it said that there were no problems right under one', async () => {
  const tree = await place();
  tree.connect({ url: 'http://127.0.0.1:4646', dialect: 'nomad' });
  tree.put('a.yaml', volume('a', { connectionRef: { name: 'mian' } }));
  const options = { stateDir: join(tree.path, '.holdfast'), isStateNamed: false, output: 'text' } as const;
  const said = async () => inside((terminal) => validate([tree.path], options, terminal));
  expect(await said()).toMatchObject({ code: 0, stdout: '2 objects in 3 files, 1 warning\n' });
  tree.put('b.yaml', 'kind: [');
  expect(await said()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/ files, 1 problem, 1 warning\n$/),
  });
});

test('https:// of a port without TLS is told in words', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const scheduler = client([`https://127.0.0.1:${portOf(server)}`]);
  const words = 'it does not speak TLS on that port: use http://, or the port where it does (ERR_SSL_';
  await expect(scheduler.read('status.leader', {}, never)).rejects.toThrow(`status.leader: ${words}`);
});

test('a mount where nothing is found is told of: it may be misspelt, and a list of nothing looks whole', async () => {
  const service = await serveSecrets();
  const tree = await place();
  tree.put('secrets.yaml', ...secretsConnection(service));
  tree.put(
    'ldap.yaml',
    ...ldapConfig({ url: 'ldap://embedded', bindDN: 'cn=x', bindPassword: 'not-a-boolean' }),
  );
  const found = (mount: string) => {
    const options = { stateDir: join(tree.path, '.holdfast'), mount: [mount], output: 'text' } as const;
    return inside((...to) => unmanaged(tree.path, options, ...to));
  };
  expect(await found('nope')).toMatchObject({
    code: 0,
    stderr: '--mount nope: nothing was found there; there may be no such mount\n',
  });
});
