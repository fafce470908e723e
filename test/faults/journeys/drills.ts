// Restore drills of a schedule: each ends with nothing left of it, and with what is true.
import type { Spec } from '../../support/manifests.ts';
import { both, type Journey } from './journey.ts';
import { declares, taken } from './scheduled.ts';
import type { World } from '../world/world.ts';

const undeclares = (world: World) => world.undeclare();

/** Nothing of the object's, for all its name. */
const theirs = async (world: World) => {
  await world.scheduler.call('PUT', '/v1/volume/csi/object-drill-theirs/create', {
    Volumes: [
      {
        ID: 'object-drill-theirs',
        Name: 'object-drill-theirs',
        Namespace: 'default',
        PluginID: 'hostpath',
        RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
      },
    ],
  });
};
const snapshotReady = async (world: World) => {
  await theirs(world);
  await taken(3)(world);
};
/** Each snapshot from now on. */
const snapshotCorrupt = async (world: World) => {
  await world.scheduler.call<void>('PUT', '/setup/plugins/hostpath', { CorruptsOneIn: 1 });
  await snapshotReady(world);
};

const every = '24h';
const plain: Spec = { drill: { every } };
const running = (command: readonly string[], more: Spec = {}): Spec => ({
  drill: { every, verify: { selector: { job: 'shop' }, exec: { task: 'server', command } }, ...more },
});
const checked = running(['fsck', '$(VOLUME)']);

/** The program is killed when the volume of the drill was made, before it knows. */
const begun = (spec: Spec) => async (world: World) => {
  declares(3, spec)(world);
  world.proxies.scheduler.arm((n) => (n === 1 ? 'killed before the reply' : undefined));
  const { code } = await world.apply();
  world.calm();
  if (code !== 'SIGKILL') throw new Error('no drill was begun');
};

export const drills: readonly Journey[] = [
  {
    part: 'update',
    variant: 'a drill',
    dialects: both,
    start: snapshotReady,
    act: declares(3, plain),
    edit: declares(3),
    halfway: begun(plain),
  },
  {
    part: 'update',
    variant: 'a drill that a command verifies',
    dialects: both,
    start: snapshotReady,
    act: declares(3, checked),
    fails: declares(3, running(['false', '$(VOLUME)'])),
    edit: declares(3, { ...checked, suspend: true }),
    halfway: begun(checked),
  },
  {
    part: 'update',
    variant: 'a drill of what is corrupt',
    dialects: ['nomad'],
    start: snapshotCorrupt,
    act: declares(3, checked),
    edit: declares(3, plain),
  },
  {
    part: 'update',
    variant: 'a drill that is not done in time',
    dialects: ['cluster'],
    start: snapshotReady,
    act: declares(3, running(['sleep', '60', '$(VOLUME)'], { timeout: '3s' })),
  },
  {
    part: 'update',
    variant: 'a drill that is under way is taken out of the spec',
    dialects: both,
    start: snapshotReady,
    meanwhile: begun(checked),
    act: declares(3),
    edit: declares(3, { ...checked, suspend: true }),
  },
  {
    part: 'delete',
    variant: 'a drill is under way',
    dialects: both,
    start: snapshotReady,
    meanwhile: begun(checked),
    act: undeclares,
    edit: declares(3),
  },
];
