// Runs in a process of its own, above a disk that records: writes to a state and publishes, and notes what it was told is
// done and must not be lost any more.
import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { EffectGate } from '../../src/api/effect.ts';
import { keyText } from '../../src/core/resource.ts';
import { Secret } from '../../src/core/secret.ts';
import { Outputs } from '../../src/sources/directory/outputs.ts';
import { declare, setHeld } from '../../src/sources/directory/state/row.ts';
import { State } from '../../src/sources/directory/state/state.ts';
import { declared, volume } from '../sources/directory/state/data.ts';
import { acknowledgements } from './record.ts';

const [, , folder = '', turns = '0'] = process.argv;
const gate = new EffectGate({ nowMs: () => performance.now() });
const acknowledged = openSync(join(folder, acknowledgements), 'a');
const acknowledge = (what: string): void => void writeSync(acknowledged, `${what}\n`);

/** Two objects of the same turn: one transaction. */
async function put(state: State, names: readonly string[], text = ''): Promise<void> {
  const spec = { text };
  await Promise.all(
    names.map(volume).map((key) =>
      state.write(keyText(key), ({ row }) => ({
        row: declare(row, declared(key, { spec }), () => `uid-${key.name}`),
      })),
    ),
  );
}

/** Two lives: the first ends as it should. */
mkdirSync(join(folder, 'outputs')); // as the operator does before it makes its state
for (const life of [0, 1]) {
  const state = await State.open({
    file: join(folder, 'state.sqlite'),
    gate,
    randomBytes,
    onceRequests: new Set(),
  });
  await state.belongTo('test');
  const outputs = new Outputs({ directory: join(folder, 'outputs'), gate, versionOf: state.versionOf });
  for (let n = 0; n < Number(turns); n++) {
    const turn = life * Number(turns) + n;
    await put(state, [`a${turn}`, `b${turn}`]);
    acknowledge(`put ${turn}`);
    await state.write(keyText(volume(`a${turn}`)), ({ row }) => ({ row: row && setHeld(row, true) }));
    acknowledge(`held ${turn}`);
    const entries = {
      password: [Secret.of('test/password', `v${turn}`, `canary-${turn}`)],
      turn: [String(turn)],
    };
    outputs.publish(
      { key: volume('publisher'), uid: 'uid' },
      { name: 'login', revision: String(turn), entries },
    );
    acknowledge(`published ${turn}`);
    if (n !== 2) continue;
    await put(state, ['large', 'larger'], 'x'.repeat(2_200_000)); // the log is folded in
    await put(state, ['large', 'larger']);
  }
  if (life === 0) await state.close();
}
process.exit(0);
