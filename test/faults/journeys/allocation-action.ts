// The life of an action: it is done, and let go. A stop ends the same wherever it is disturbed; what is done at most once does
// not, and test/e2e/actions.test.ts and test/kinds/allocation-action/crashes.test.ts count that.
import { action, volume, type Spec } from '../../support/manifests.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const declares = (spec: Spec) => (world: World) => world.declare(action('object', spec));
const undeclares = (world: World) => world.undeclare();

/** What every journey stands on: something else on the same connection. */
const base = (world: World) => world.tree.put('kept.yaml', volume('kept', { deletionPolicy: 'Delete' }));
const from = (spec: Spec) => (world: World) => {
  base(world);
  declares(spec)(world);
};

const one: Spec = { selector: { allocationID: '3f8e1b7c-5a2d-4c96-8b04-e1d7a9f62c01' } };
const signalled: Spec = { action: { signal: { name: 'SIGHUP' } }, rollout: { maxParallel: 2 } };

const journeys: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares({ rollout: { maxParallel: 2 } }) },
  { part: 'create', variant: 'one after the other', dialects: ['nomad'], start: base, act: declares({}) },
  { part: 'create', variant: 'of one allocation', dialects: ['cluster'], start: base, act: declares(one) },
  { part: 'delete', dialects: both, start: from(signalled), act: undeclares },
];

const nothing = 'an action leaves nothing outside';

export const allocationAction: Life = {
  kind: 'AllocationAction',
  journeys,
  without: {
    adopt: nothing,
    update: 'it never changes',
    replace: nothing,
    revive: nothing,
    rotate: 'it has no password',
  },
};
