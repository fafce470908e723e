// An embedded scheduler with what tests need around it: a client, a clock that stands still, chosen chances.
import { schedulerDialects } from '../../../src/api/dialects.ts';
import {
  startScheduler,
  type EmbeddedScheduler,
  type SchedulerOptions,
} from '../../../src/embedded/scheduler/server.ts';
import { HttpClient, type Answer } from '../../contract/client.ts';
import { ManualClock } from '../manual-clock.ts';

export interface Running {
  readonly server: EmbeddedScheduler;
  readonly client: HttpClient;
  readonly clock: ManualClock;
  readonly indexOf: (answer: Answer) => number;
  readonly stop: () => Promise<void>;
}

export async function running(
  options: Partial<SchedulerOptions> = {},
  clock = new ManualClock(),
): Promise<Running> {
  const { dialect = 'nomad' } = options;
  const server = await startScheduler({ dialect, clock, ...options });
  const client = new HttpClient(server.url);
  return {
    server,
    client,
    clock,
    indexOf: (answer) => Number(answer.header(schedulerDialects[dialect].headers.index)),
    async stop() {
      await client.close();
      await server.stop();
    },
  };
}

const writer = { AccessMode: 'single-node-writer', AttachmentMode: 'file-system' };

/** A body that creates or registers one volume, in any dialect. */
export const bodyOf = (ID: string, more: object = {}) => ({
  Volumes: [{ ID, Name: `${ID}-name`, PluginID: 'hostpath', RequestedCapabilities: [writer], ...more }],
});

export const create = (client: HttpClient, id: string, more: object = {}): Promise<Answer> =>
  client.put(`/v1/volume/csi/${id}/create`, bodyOf(id, more));
