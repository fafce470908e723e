// One look at a snapshot, against a plugin that lists what it is told, and what was asked of it.
import type { Reader } from '../../../src/api/routes.ts';
import type { PluginStub } from '../../../src/api/scheduler/wire.ts';
import { ApiError } from '../../../src/core/errors.ts';
import type { PolicyChoice } from '../../../src/core/planning/policy.ts';
import type { Resolution } from '../../../src/core/resource.ts';
import type { Status } from '../../../src/core/status/status.ts';
import { csiSnapshot } from '../../../src/kinds/csi-snapshot/kind.ts';
import type { Own } from '../../../src/kinds/csi-snapshot/own.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import { connectionTo, never } from '../../api/servers.ts';
import { momentAt } from '../../support/moment.ts';
import { declared, existing, key, ready, recorded } from './situation.ts';

export interface Around {
  readonly spec?: Spec;
  readonly memory?: Status<Own>;
  readonly deleting?: boolean;
  readonly listed?: readonly object[] | 'incapable';
  readonly resolved?: Readonly<Record<string, Resolution>>;
  readonly defaults?: PolicyChoice;
  /** As the service lists them. Absent: nobody asks. */
  readonly allocations?: readonly unknown[] | null;
  /** As the service lists them: those of a healthy cluster, unless a test says others. */
  readonly plugins?: readonly PluginStub[] | 'not asked';
}

export const opened = (spec: Spec, defaults: PolicyChoice = {}) =>
  csiSnapshot.open({ key, spec, requests: {} }, defaults);

export async function observe({
  spec = declared,
  memory = recorded,
  deleting = false,
  ...around
}: Around = {}) {
  const { listed = [existing], resolved = { '/volumeRef': ready() } } = around;
  const asked: object[] = [];
  const read: Reader = {
    read(op, params) {
      const { allocations, plugins = [{ ID: 'ebs', ControllersExpected: 1, ControllersHealthy: 1 }] } =
        around;
      // oxlint-disable-next-line no-unsafe-type-assertion -- plugin.list is answered with plugins
      if (op === 'plugin.list' && plugins !== 'not asked') return Promise.resolve(plugins as never);
      if (op !== 'allocation.list' || allocations === undefined)
        return Promise.reject(new Error('nobody reads'));
      asked.push(params);
      // oxlint-disable-next-line no-unsafe-type-assertion -- only allocation.list is answered
      return Promise.resolve(allocations as never);
    },
    page(_op, params) {
      asked.push(params);
      if (listed === 'incapable') return Promise.reject(new ApiError('refused', 'PluginIncapable', 'x'));
      // oxlint-disable-next-line no-unsafe-type-assertion -- only snapshot.list is asked
      return Promise.resolve({ reply: { Snapshots: listed } as never, index: 1, nextToken: undefined });
    },
  };
  const object = { key, uid: 'u', generation: 1, deleting, held: true, requests: {}, spec };
  const where = { read, connection: connectionTo([]), nonce: 'n1' };
  const seen = await opened(spec, around.defaults).observe(
    { object, status: memory, resolved: new Map(Object.entries(resolved)), ...where },
    never,
  );
  return { seen, asked, plan: seen.plan(momentAt(100_000)) };
}
