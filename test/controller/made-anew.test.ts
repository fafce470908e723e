// An object that was made anew while the last visit of its predecessor ended was missing in the graph: what it used was taken
// away.
import { expect, test } from 'vitest';
import { disk, disks } from './disks.ts';
import { idle, running } from './running.ts';

test('an object that is declared anew while the old one is released stays known: what it uses is not taken away', async () => {
  const { at, outside, declare, leave } = await disks(['a']);
  const { source } = at;
  const later = async () => {
    for (let passed = 0; passed < 5_000; passed += 50) {
      at.clock.advance(50);
      await idle();
    }
  };
  await running(at, () => undefined);
  await later();
  const { lasting } = source;
  // The watch tells of the deletion and of the new object before the answer to the write is read.
  source.lasting = async (write, work) => {
    await lasting(write, work);
    if (write.op !== 'release') return;
    source.lasting = lasting;
    source.notify(disk('a'), 'edited'); // deleted
    declare('a', {}, { uid: 'new', held: false });
    source.notify(disk('a'), 'edited'); // made anew
  };
  leave('a');
  source.notify(disk('a'), 'edited');
  await later();
  expect(source.read(disk('a'))?.object.uid).toBe('new');
  expect(outside.get('a')).toBeDefined();
  expect(at.ports.graph.get(disk('a'))?.uid).toBe('new');

  const connection = source.read('Conn/c');
  if (connection) source.declare({ ...connection.object, deleting: true });
  source.notify('Conn/c', 'edited');
  await later();
  expect(source.read('Conn/c')).toBeDefined();
});
