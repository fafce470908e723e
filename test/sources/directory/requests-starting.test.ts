// A command that came while the operator was starting was refused: the state was held already, and nobody listened yet. Where no
// operator has ever been, a command makes no state.
import { readdirSync } from 'node:fs';
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

test.for([
  { why: 'a directory that is not there was made', held: false, where: 'mistyped', left: [] },
  { why: 'a lock that somebody left is no state', held: true, where: '.', left: ['state.lock'] },
])(
  'a command finds no state and makes none, which had said that nothing waits: $why',
  async ({ held, where, left }) => {
    const parent = await folder();
    if (held) acquireLock(join(parent, 'state.lock')).release();
    const stateDir = join(parent, where);
    const asked = request(stateDir, { do: 'approve', digest: 'abc' });
    await expect(asked).rejects.toThrow(`${stateDir}: no state here; use the --state-dir of run or dev`);
    expect(readdirSync(parent)).toEqual(left);
  },
);
