// One look at a volume, against a scheduler that answers as it is told, and what was asked of it.
import type { Status } from '../../../src/core/status/status.ts';
import type { Reader } from '../../../src/api/routes.ts';
import type { DiskNotes } from '../../../src/api/scheduler/disks.ts';
import type { PluginStub } from '../../../src/api/scheduler/wire.ts';
import type { DeclaredObject } from '../../../src/core/resource.ts';
import type { Own } from '../../../src/kinds/csi-volume/disk.ts';
import { csiVolume } from '../../../src/kinds/csi-volume/kind.ts';
import { connectionTo, never } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';
import { declared, existing, key, nonce, recorded, startMs, uid } from './situation.ts';

/** What a scheduler answers, and what differs from an object that is declared and ours. */
export interface Around {
  /** Of the reads, by the ID; default: ours. */
  readonly volumes?: Readonly<Record<string, unknown>>;
  /** Default: ours alone. `undefined`: there is no list. */
  readonly listed?: readonly object[] | undefined;
  /** Further volumes of the list, which the scheduler keeps for a second page. */
  readonly more?: readonly object[];
  readonly plugins?: readonly PluginStub[] | undefined;
  /** What was noted of providers' disks. */
  readonly disks?: DiskNotes;
  readonly spec?: object;
  readonly deleting?: boolean;
  readonly memory?: Status<Own>;
}

export async function observe(around: Around) {
  const { volumes = { data: existing }, spec, deleting = false, memory = recorded } = around;
  const { listed, plugins } = {
    listed: [existing],
    plugins: [{ ID: 'nfs', ControllersHealthy: 1 }],
    ...around,
  };
  const asked: [string, object][] = [];
  const read: Reader = {
    read: (op, params) => {
      asked.push([op, params]);
      const page = 'next_token' in params ? around.more : listed;
      const found = op === 'volume.list' ? page : op === 'plugin.list' ? plugins : undefined;
      const answer = 'id' in params ? volumes[params.id] : found;
      // oxlint-disable-next-line no-unsafe-type-assertion -- also what is no volume
      return Promise.resolve(answer as never);
    },
    async page(op, params, signal) {
      const reply = await read.read(op, params, signal);
      const nextToken = around.more && !('next_token' in params) ? 'default.data' : undefined;
      return reply === undefined ? undefined : { reply, index: 1, nextToken };
    },
    ...(around.disks && { disks: around.disks }),
  };
  const object: DeclaredObject = {
    key,
    uid,
    generation: 2,
    deleting,
    held: true,
    requests: {},
    spec: { ...declared, ...spec },
  };
  const opened = csiVolume.open(object, {});
  const where = { read, resolved: new Map(), connection: connectionTo([]), nonce };
  const seen = await opened.observe({ object, status: memory, ...where }, never);
  return { asked: asked.map(([op]) => op), params: asked, plan: seen.plan(momentAt(startMs)), seen };
}

/** An edit that only another volume can have, where that is allowed. */
export const replaces = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused', pluginID: 'nfs' };
