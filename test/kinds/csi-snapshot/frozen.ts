// A snapshot with hooks whose allocations are frozen; and what differs from that.
import { shortHash } from '../../../src/core/hash.ts';
import { noStatus, type Status } from '../../../src/core/status/status.ts';
import type { HooksOwn, Own, Quiesce } from '../../../src/kinds/csi-snapshot/own.ts';
import type { Spec } from '../../../src/kinds/csi-snapshot/schema.ts';
import type { Hooks } from '../../../src/schema/scheduler/hooks.ts';
import { declared, type Given } from './situation.ts';

export const hooks: Hooks = {
  selector: { job: 'orders' },
  before: { exec: { task: 'db', command: ['freeze'], timeout: '5s' } },
  after: { exec: { task: 'db', command: ['thaw'], expectedExitCodes: [0, 3] } },
};
export const spec: Spec = { ...declared, hooks };
export const continuing: Spec = { ...declared, hooks: { ...hooks, onFailure: 'Continue' } };
export const ids = ['a1', 'a2'];
export const wallMs = 1_000_000;
export const of = shortHash(hooks);

export const quiesce: Quiesce = {
  connection: 'production',
  backend: 'b1',
  namespace: 'default',
  volumeID: 'orders',
  job: 'orders',
  untilMs: wallMs + 30_000,
  allocations: ids,
  frozen: true,
  after: hooks.after,
  failures: 0,
};
export const begun: HooksOwn = { of, tries: 1, quiesce };
export const failedOnce: HooksOwn = { of, tries: 1, message: 'it did not' };
export const memory = (recordedHooks: HooksOwn): Status<Own> => ({
  ...noStatus,
  own: { hooks: recordedHooks },
});
export const fresh: Given = { spec, live: 'absent', memory: noStatus };
export const after = (own: HooksOwn, more: Partial<Given> = {}): Given => ({
  ...fresh,
  memory: memory(own),
  ...more,
});
