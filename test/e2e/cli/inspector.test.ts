// SIGUSR1 makes Node open an inspector on loopback: whoever could connect read every secret and used every token.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folder, Holdfast } from '../../support/cli.ts';
import { inspectedBy } from '../../support/inspected.ts';

test('a signal opens no inspector into a running process', async () => {
  const dev = new Holdfast(['dev'], { cwd: await folder() });
  expect(await inspectedBy(dev)).not.toContain('Debugger');
});

test('into a program that does not see to it, it does: the look of this test finds it', async () => {
  const cwd = await folder();
  const program = join(cwd, 'program.mjs');
  const health = `createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1', function () {
    console.log('secrets http://127.0.0.1:' + this.address().port);
  });`;
  await writeFile(program, `import { createServer } from 'node:http';\n${health}\n`);
  const dev = new Holdfast([], { cwd, program });
  await dev.says(/secrets/);
  dev.kill('SIGUSR1');
  await dev.says(/Debugger listening|address already in use/);
  expect(dev.stderr).not.toBe('');
});
