// The life of a schedule: a run, what expires, and drills.
import type { Spec } from '../../support/manifests.ts';
import { drills } from './drills.ts';
import { both, type Journey, type Life } from './journey.ts';
import { base, declares, deleted, rewind, taken } from './scheduled.ts';
import type { World } from '../world/world.ts';

const undeclares = (world: World) => world.undeclare();

const declared = async (world: World) => {
  await base(world);
  declares(3)(world);
};
const keepOne: Spec = { retention: { count: 1 } };

const journeys: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(3), edit: declares(3, keepOne) },
  {
    part: 'update',
    variant: 'a run that is due',
    dialects: both,
    start: declared,
    meanwhile: rewind,
    act: declares(3, keepOne),
    edit: declares(3, { template: { spec: deleted } }),
  },
  {
    part: 'update',
    variant: 'rules that give one up',
    dialects: both,
    start: taken(3, 4),
    act: declares(4, keepOne),
  },
  {
    part: 'delete',
    variant: 'leaving its snapshots',
    dialects: ['nomad'],
    start: taken(3),
    act: undeclares,
    edit: declares(3),
  },
  ...drills,
];

export const csiSnapshotSchedule: Life = {
  kind: 'CSISnapshotSchedule',
  journeys,
  without: {
    adopt: 'nothing outside is a schedule',
    replace: 'each field changes in place',
    revive: 'nothing outside is a schedule',
    rotate: 'a schedule has no credential',
  },
};
