// The life of a connection to a scheduler, with a volume that is made through it.
import { dialects } from '../../../src/runtime/embedded/running.ts';
import { connection, secret, volume, type Spec } from '../../support/manifests.ts';
import { serviceToken } from '../../support/service.ts';
import { both, type Journey, type Life } from './journey.ts';
import type { World } from '../world/world.ts';

const auth = { tokenSecretRef: { namespace: 'system', name: 'object', key: 'token' } };
const access = [{ namespaces: ['shop'], kinds: ['CSIVolume'], externalNames: ['object'] }];

const base = (world: World) =>
  world.tree.put('secret.yaml', secret('system', 'object', { token: serviceToken }));

function connectionOf(world: World, more: Spec): Spec {
  const service = { url: world.proxies.scheduler.url, dialect: dialects[world.dialects].scheduler };
  const declared = connection(service, { backendID: 'wherever-it-listens', ...more });
  return { ...declared, metadata: { name: 'object' } };
}

/** The connection, and a volume that is made through it. */
const declares =
  (more: Spec = {}, spec: Spec = {}) =>
  (world: World) => {
    const made = { connectionRef: { name: 'object' }, deletionPolicy: 'Delete', ...spec };
    world.declare(connectionOf(world, more), volume('object', made));
  };
const undeclares = (world: World) => world.undeclare();
const alone = (world: World) => world.declare(connectionOf(world, {}));

const from = (act: (world: World) => void) => (world: World) => {
  base(world);
  act(world);
};

const noatime: Spec = { mountOptions: { mountFlags: ['noatime'] } };

const journeys: readonly Journey[] = [
  { part: 'create', dialects: both, start: base, act: declares(), edit: declares({ access }, noatime) },
  {
    part: 'update',
    variant: 'another token, and who may use it',
    dialects: both,
    start: from(declares()),
    act: declares({ auth, access }, noatime),
    edit: declares({ auth }),
  },
  {
    part: 'update',
    variant: 'to another backend',
    dialects: ['nomad'],
    start: from(declares()),
    act: declares({ backendID: 'another' }, noatime),
    edit: declares(),
  },
  {
    part: 'delete',
    dialects: both,
    start: from(declares()),
    act: undeclares,
    edit: declares({ auth }),
    halfway: ({ scheduler }) => scheduler.call<void>('DELETE', '/v1/volume/csi/object?namespace=default'),
  },
  {
    part: 'delete',
    variant: 'with nothing on it',
    dialects: ['nomad'],
    start: from(alone),
    act: undeclares,
    edit: alone,
  },
];

const nothing = 'it says where a scheduler is, and makes nothing there';

export const schedulerConnectionLife: Life = {
  kind: 'SchedulerConnection',
  journeys,
  without: {
    adopt: nothing,
    replace: nothing,
    revive: nothing,
    rotate: 'its token is rotated by somebody else: one that moved is an update',
  },
};
