// What Ctrl-C, timeout and systemd do: the program is asked to stop, in the middle of what it does, and sometimes twice at once.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { folder, Holdfast } from '../../support/cli.ts';
import { Tree, volume } from '../../support/manifests.ts';

/** A service that takes requests and never answers. */
async function silent() {
  const server = createServer();
  const first = once(server, 'request');
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { url: `http://127.0.0.1:${address.port}`, dialect: 'cluster', first } as const;
}

test.for([
  { command: ['plan', 'tree'], code: 1 },
  { command: ['diff', 'tree'], code: 2 },
  { command: ['plan', 'tree', '-o', 'json'], code: 1 },
  { command: ['unmanaged', 'tree'], code: 1 },
  { command: ['export', 'tree'], code: 1 },
])('$command: who interrupts it is not shown each object as one that failed', async ({ command, code }) => {
  const cwd = await folder();
  const service = await silent();
  const tree = new Tree(join(cwd, 'tree')).connect(service);
  for (const name of ['a', 'b', 'c']) tree.put(`${name}.yaml`, volume(name));
  const process = new Holdfast(command, { cwd });
  await service.first;
  process.kill('SIGINT');
  expect(await process.ended).toEqual({ code, stdout: '', stderr: 'holdfast: interrupted\n' });
});

test('a stop that comes twice, as to a group of processes and from its launcher, lets it end in its own way', async () => {
  const cwd = await folder();
  const process = new Holdfast(['dev'], { cwd });
  await process.says(/token/);
  process.kill('SIGTERM');
  process.kill('SIGINT'); // another one: of two that are the same, the second may be lost
  expect((await process.ended).code).toBe(0);
  expect(existsSync(join(cwd, '.holdfast/embedded.lock.pid'))).toBe(false);
});
