// A drill says when it began. Where the source takes more than a second to record a status, as a busy API server does, each look showed
// another drill than the one before, and none was ever begun.
import { expect, test } from 'vitest';
import { keyText } from '../../../src/core/resource.ts';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { csiSnapshotSchedule } from '../../../src/kinds/csi-snapshot-schedule/kind.ts';
import { worldOn } from '../allocation-action/world.ts';
import { every, ready } from './drilling.ts';
import { declared } from './situation.ts';

const about = {
  key: { kind: 'CSISnapshotSchedule', namespace: 'shop', name: 'orders' },
  kind: csiSnapshotSchedule,
};

test.for([0, 1_001])('a drill begins though each record takes %i ms', async (ms) => {
  const world = await worldOn('nomad', { ...declared, ...every }, about);
  const { source, service, graph } = world;
  const snapshot = keyText(ready.object.key);
  source.entries.set(snapshot, ready);
  const { uid, generation, deleting } = ready.object;
  const generatedBy = keyText(about.key);
  graph.set(snapshot, { uid, generation, deleting, references: [], connection: undefined, generatedBy });
  source.lasting = async ({ op }, work) => {
    work();
    if (op === 'hold' || op === 'status') service.clock.advance(ms);
  };
  await world.visit();
  const { message = '' } = conditionOf(world.status.conditions, 'Ready') ?? {};
  const clones = [...source.keys()].filter((key) => key.includes('-drill-'));
  expect(clones, message).toHaveLength(1);
  expect(source.read(clones[0] ?? '')?.object.requests).toMatchObject({ 'generated-by': generatedBy });
});
