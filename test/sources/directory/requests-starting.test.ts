// A command that came while the operator was starting was refused: the state was held already, and nobody listened yet.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { request } from '../../../src/runtime/place/requests.ts';
import { serveControl } from '../../../src/sources/directory/control.ts';
import { acquireLock } from '../../../src/sources/directory/state/lock.ts';
import { folder } from '../../support/cli.ts';

test('a command is taken by an operator that holds the state and listens a moment later', async () => {
  const stateDir = await folder();
  const lock = acquireLock(join(stateDir, 'state.lock'));
  const asked = request(stateDir, { do: 'approve', digest: 'abc' });
  const isTold = asked.then(
    () => 'answered',
    () => 'refused',
  );
  // It has met the held state by then: the connection to the socket fails at once.
  const first = await Promise.race([isTold, new Promise((resolve) => setImmediate(() => resolve('waits')))]);
  expect(first).toBe('waits');
  const server = await serveControl(join(stateDir, 'control.sock'), async ({ digest }) => ({
    ok: true,
    message: `took ${digest}`,
  }));
  expect(await asked).toBe('took abc');
  await server.close();
  lock.release();
});
