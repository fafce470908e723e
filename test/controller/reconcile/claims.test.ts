// What an object declares outside, and whether it may. One that may not must keep it from nobody who may, and nobody gets at
// data by an ID that its namespace was not given.
import { describe, expect, test } from 'vitest';
import { preconditionsOf } from '../../../src/controller/reconcile/preconditions.ts';
import type { Connection } from '../../../src/core/connection.ts';
import { stalled } from '../../../src/core/planning/plan.ts';
import { keyText, type DeclaredObject } from '../../../src/core/resource.ts';
import { noStatus } from '../../../src/core/status/status.ts';
import { connectionNamed, type World } from '../bench.ts';
import { chain, connKey, madeOf, part } from '../chain.ts';

const first = keyText(connKey('first'));
const name = keyText(part);

/** The chain, where the connection gives access to these names, and a part that is made of two disks. */
async function giving(externalNames: readonly string[]): Promise<World> {
  const at = await chain();
  at.ports.owners.drop(name);
  const access: Connection['access'] = [{ externalNames }];
  at.ports.connections.open(first, connectionNamed('first', { access }));
  at.ports.connections.setHealth(first, true, '');
  at.source.declare({ key: part, spec: madeOf('disk-1', 'disk-2') });
  return at;
}

function met(at: World, change: Partial<DeclaredObject> = {}, status = at.source.read(name)?.status) {
  const entry = at.source.read(name);
  if (!entry || !status) throw new Error('the part was declared');
  const object = { ...entry.object, ...change };
  return preconditionsOf({ key: name, object, status, secrets: new Map() }, at.ports);
}

describe('data that is there already', () => {
  test.for(['disk-1', 'disk-2'])('is asked about beside the name: %s is not given', async (disk) => {
    const at = await giving(['part', disk === 'disk-1' ? 'disk-2' : 'disk-1']);
    const message = `/conn: Conn/first gives no access to Part ${disk} from namespace shop`;
    expect(met(at, {}, noStatus)).toEqual({
      is: 'blocked',
      plan: stalled('AccessDenied', message, { on: 'object' }),
    });
    expect(at.ports.owners.isAllowed(name)).toBe(false);
  });

  test('does not give the name', async () => {
    const at = await giving(['disk-1', 'disk-2']);
    const message = '/conn: Conn/first gives no access to Part part from namespace shop';
    expect(met(at)).toMatchObject({ plan: { message } });
  });

  test('is used where all of it is given', async () => {
    const at = await giving(['part', 'disk-*']);
    expect(met(at)).toMatchObject({ connection: first });
  });

  test('is not asked about by who leaves: what it was made of is its own by now', async () => {
    const at = await giving(['part']);
    at.source.entries.delete('Leaf/shop/leaf');
    at.ports.graph.delete('Leaf/shop/leaf');
    expect(met(at, { deleting: true, held: true })).toMatchObject({ connection: first });
  });
});

test('who may use a connection keeps its place while that does not work', async () => {
  const at = await giving(['part', 'disk-*']);
  at.ports.connections.setHealth(first, false, 'no leader');
  expect(met(at, {}, noStatus)).toMatchObject({ is: 'parked' });
  expect(at.ports.owners.isAllowed(name)).toBe(true);
});

test('a connection that is open and no longer readable gives what it gave', async () => {
  const at = await giving(['part', 'disk-*']);
  at.source.declare({ key: connKey('first'), spec: undefined });
  met(at, {}, noStatus);
  expect(at.ports.owners.isAllowed(name)).toBe(true);
});
