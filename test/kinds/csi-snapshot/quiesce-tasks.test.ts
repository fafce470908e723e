// Hooks that signal an allocation without naming a task: the tasks are named, those of the freeze also by the thaw, and one that may be
// frozen is enough to thaw. A signal to all fails at each task that does not run, though the others get it.
import { expect, test } from 'vitest';
import { afterFreeze, open } from '../../../src/kinds/csi-snapshot/quiesce.ts';
import { hooks, of, quiesce, spec, wallMs, begun, fresh } from './frozen.ts';
import { firstStep, type Given } from './situation.ts';

const all = { signal: { name: 'SIGUSR1' } };
const tasks = { a1: ['db', 'log'], a2: [] };
const call = (id: string, Task?: string) => ({
  port: 'scheduler',
  op: 'allocation.signal',
  params: { id, namespace: 'default' },
  body: { Signal: 'SIGUSR1', ...(Task !== undefined && { Task }) },
});
const named = [call('a1', 'db'), call('a1', 'log'), call('a2')];

const freezing = (before: typeof hooks.before): Given => ({
  ...fresh,
  spec: { ...spec, hooks: { ...hooks, before } },
  related: { allocations: ['a1', 'a2'], tasks },
  wallMs,
});

test('each task is frozen by name, and recorded; where none is known the service knows', () => {
  expect(firstStep(freezing(all))).toMatchObject({
    effect: { calls: named },
    noted: { hooks: { quiesce: { allocations: ['a1', 'a2'], tasks } } },
  });
});

test('the thaw goes to the tasks that were recorded, also if none was frozen by name', () => {
  const thaw = { ...quiesce, tasks, after: all };
  expect(open({ own: { hooks: { ...begun, quiesce: thaw } } })).toMatchObject({ effect: { calls: named } });
  const earlier = { ...quiesce, after: all }; // recorded before tasks were
  expect(open({ own: { hooks: { ...begun, quiesce: earlier } } })?.effect.calls).toEqual([
    { ...call('a1'), deadlineMs: 60_000 },
    { ...call('a2'), deadlineMs: 60_000 },
  ]);
});

test('what names its task, or is no signal, goes to that task alone', () => {
  const one = { signal: { name: 'SIGUSR1', task: 'db' } };
  expect(firstStep(freezing(one))).toMatchObject({ effect: { calls: [call('a1', 'db'), call('a2', 'db')] } });
  const command = firstStep(freezing(hooks.before));
  expect(command).toMatchObject({ effect: { calls: [{ command: ['freeze'] }, { command: ['freeze'] }] } });
});

test('an allocation of which one task may be frozen is thawed, though the freeze of another was refused', () => {
  const asked = { of, tries: 1, quiesce: { ...quiesce, frozen: false, unsure: true as const } };
  const refused = { is: 'refused', message: 'no' };
  expect(afterFreeze(asked, all, { a1: { ...refused, partial: true }, a2: refused })).toMatchObject({
    message: '/hooks/before: a1: no',
    quiesce: { allocations: ['a1'], frozen: false, unsure: true },
  });
  expect(afterFreeze(asked, all, { a1: refused, a2: refused })).not.toHaveProperty('quiesce');
});
