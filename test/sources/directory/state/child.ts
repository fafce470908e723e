// Runs in a process of its own, to be killed: takes a lock and waits, answers commands, or reads or writes a state until it dies.
// Every line on its standard output says what is done and must not be lost any more.
import { randomBytes } from 'node:crypto';
import { EffectGate } from '../../../../src/api/effect.ts';
import { messageOf } from '../../../../src/core/errors.ts';
import { keyText } from '../../../../src/core/resource.ts';
import { serveControl } from '../../../../src/sources/directory/control.ts';
import { acquireLock } from '../../../../src/sources/directory/state/lock.ts';
import { openStateReadOnly } from '../../../../src/sources/directory/state/snapshot.ts';
import { State } from '../../../../src/sources/directory/state/state.ts';
import { declare, setHeld } from '../../../../src/sources/directory/state/row.ts';
import { declared, volume } from './data.ts';

const [, , mode, file = ''] = process.argv;

if (mode === 'lock') {
  try {
    const lock = acquireLock(file);
    process.stdout.write('held\n');
    process.stdin.resume().once('end', () => lock.release()); // unless it is killed before the parent goes away
  } catch (error) {
    process.stdout.write(`${messageOf(error)}\n`);
  }
} else if (mode === 'control') {
  await serveControl(file, async () => ({ ok: true, message: '' }));
  process.stdout.write('listening\n');
} else if (mode === 'read') {
  process.stdout.write('reading\n');
  for (;;) await openStateReadOnly(file);
} else {
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const state = await State.open({ file, gate, randomBytes, onceRequests: new Set() });
  await state.belongTo('test');
  for (let turn = 0; ; turn++) {
    // Two objects in one turn, then one of them again: rows come and change in group commits.
    const keys = [volume(`a${turn}`), volume(`b${turn}`)];
    await Promise.all(
      keys.map((key) =>
        state.write(keyText(key), (slot) => ({
          ...slot,
          row: declare(slot.row, declared(key), () => `uid-${key.name}`),
        })),
      ),
    );
    process.stdout.write(`put ${turn}\n`);
    await state.write(keyText(volume(`a${turn}`)), (slot) => ({
      ...slot,
      row: slot.row && setHeld(slot.row, true),
    }));
    process.stdout.write(`held ${turn}\n`);
  }
}
