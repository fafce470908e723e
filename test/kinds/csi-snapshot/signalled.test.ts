// Hooks that signal all tasks of an allocation, on the embedded scheduler. Such a signal fails at each task that does not run, as one that
// waits for the end of the others, though the others get it (services.md#signals-and-restarts): no freeze succeeded, and the thaw was
// asked for as long as the allocation lived.
import { expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import { parseOwn } from '../../../src/kinds/csi-snapshot/own.ts';
import { create } from '../../embedded/scheduler/running.ts';
import { worldOn, type World } from '../allocation-action/world.ts';

const about = { key: { kind: 'CSISnapshot', namespace: 'shop', name: 'nightly' }, kind: csiSnapshot };
const signal = (name: string, task?: string) => ({ signal: { name, ...(task !== undefined && { task }) } });
const exec = (what: string) => ({ exec: { task: 'server', command: ['true', what] } });
const tasks = [{ name: 'server' }, { name: 'sidecar' }, { name: 'cleanup', poststop: true }];

async function site(before: object, after: object, placed = tasks) {
  const hooks = { selector: { job: 'db' }, before, after };
  const world = await worldOn('nomad', { volumeID: 'data', pluginID: 'hostpath', hooks }, about);
  await create(world.service.client, 'data');
  return { world, id: await world.place('db', { tasks: placed }) };
}

const told = ({ status }: World, type: 'Consistent' | 'Ready'): string => {
  const found = conditionOf(status.conditions, type);
  return found ? `${found.status} ${found.reason}` : 'nothing';
};
const signals = ({ service }: World, id: string) => service.server.tallies().allocations[id]?.signals ?? 0;
const isOpen = ({ status }: World): boolean => parseOwn(status.own)?.hooks?.quiesce !== undefined;

test.for([
  { how: 'frozen and thawed by signals', before: signal('SIGUSR1'), after: signal('SIGUSR2'), sent: 4 },
  { how: 'frozen by a signal', before: signal('SIGUSR1'), after: exec('thaw'), sent: 2 },
  { how: 'thawed by a signal', before: exec('freeze'), after: signal('SIGUSR2'), sent: 2 },
  {
    how: 'frozen in one task and thawed in all',
    before: signal('SIGUSR1', 'server'),
    after: signal('SIGUSR2'),
    sent: 3,
  },
])('$how, each task that runs gets it once', async ({ before, after, sent }) => {
  const { world, id } = await site(before, after);
  await world.settle();
  expect([told(world, 'Ready'), told(world, 'Consistent')]).toEqual(['True InSync', 'True Quiesced']);
  expect([signals(world, id), isOpen(world)]).toEqual([sent, false]);
});

test('a task that is restarted while it is frozen keeps nobody from being thawed', async () => {
  const slow = tasks.map((one) => ({ ...one, restartMs: 600_000 }));
  const { world, id } = await site(signal('SIGUSR1'), signal('SIGUSR2'), slow);
  world.onCall = (op) => {
    if (op === 'snapshot.create') world.diesAt = world.points + 1;
  };
  await world.visit();
  world.onCall = () => {};
  world.diesAt = 0;
  const restarts = { TaskName: 'sidecar' };
  await world.service.client.post(`/v1/client/allocation/${id}/restart`, restarts);
  await world.visit();
  expect(signals(world, id)).toBe(3);
  await world.settle(); // once more, because the freeze may have come late
  expect([told(world, 'Consistent'), isOpen(world)]).toEqual(['Unknown QuiesceInterrupted', false]);
});

test('an allocation of which no task runs gets no signal, and nothing is left to thaw', async () => {
  const { world, id } = await site(signal('SIGUSR1'), signal('SIGUSR2'), [
    { name: 'cleanup', poststop: true },
    { name: 'more', poststop: true },
  ]);
  await world.visit();
  expect([told(world, 'Ready'), signals(world, id), isOpen(world)]).toEqual([
    'False QuiesceFailed',
    0,
    false,
  ]);
});
