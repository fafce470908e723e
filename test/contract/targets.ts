// What the contract suite runs on: the embedded scheduler in each dialect, or a real server when SCHEDULER_ADDR is set
// (with SCHEDULER_TOKEN where it asks for one, SCHEDULER_PLUGIN for a plugin that can create and expand, SCHEDULER_JOB
// for a running job of the namespace `default` whose tasks take SIGHUP and may be restarted and stopped, and
// SCHEDULER_CLAIMED for a volume there that a running allocation writes, and SCHEDULER_DOOMED for another one, whose disk
// is lost; cases that need what is not given are skipped).
import {
  schedulerDialects,
  type SchedulerDialect,
  type SchedulerDialectName,
} from '../../src/api/dialects.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { HttpClient } from './client.ts';

export interface Target {
  readonly name: string;
  readonly dialectName: SchedulerDialectName;
  /** It has the set-up API, and is ours to break. */
  readonly embedded: boolean;
  readonly plugin: string;
  /** Its allocations may be signalled, restarted and stopped. */
  readonly job: string | undefined;
  /** A volume with a writer; stays as it is. */
  readonly claimed: string | undefined;
  /** Another one, of a plugin that deletes disks from under their users: its disk is lost. */
  readonly doomed: string | undefined;
  readonly token: string | undefined;
  open(): Promise<Opened>;
}

export interface Opened {
  readonly url: string;
  /** With the token. */
  readonly client: HttpClient;
  close(): Promise<void>;
}

const tokenFor = (dialect: SchedulerDialect, token: string | undefined): Record<string, string> =>
  token === undefined ? {} : { [dialect.headers.token]: token };

function embedded(dialectName: SchedulerDialectName): Target {
  const token = 'root-of-the-embedded-scheduler';
  const dialect = schedulerDialects[dialectName];
  return {
    name: `embedded, ${dialectName}`,
    dialectName,
    embedded: true,
    plugin: 'hostpath',
    job: 'shop',
    claimed: undefined, // the set-up API makes one
    doomed: undefined, // likewise
    token,
    async open() {
      const server = await startScheduler({ dialect: dialectName, token, claimReleaseMs: 3_600_000 });
      const client = new HttpClient(server.url, tokenFor(dialect, token));
      await client.put('/setup/plugins/hostpath', { SnapshotReadyMs: 0 }); // 3 s by default
      const close = async () => {
        await client.close();
        await server.stop();
      };
      return { url: server.url, client, close };
    },
  };
}

type Given = Pick<Target, 'plugin' | 'job' | 'claimed' | 'doomed' | 'token'>;

function real(url: string, given: Given): Target {
  const dialect = schedulerDialects.nomad;
  return {
    name: url,
    dialectName: 'nomad',
    embedded: false,
    ...given,
    async open() {
      const client = new HttpClient(url, tokenFor(dialect, given.token));
      return { url, client, close: () => client.close() };
    },
  };
}

const { SCHEDULER_ADDR, SCHEDULER_PLUGIN = 'hostpath', ...env } = process.env;
const given: Given = {
  plugin: SCHEDULER_PLUGIN,
  job: env['SCHEDULER_JOB'],
  claimed: env['SCHEDULER_CLAIMED'],
  doomed: env['SCHEDULER_DOOMED'],
  token: env['SCHEDULER_TOKEN'],
};

export const targets: readonly Target[] =
  SCHEDULER_ADDR === undefined ? [embedded('cluster'), embedded('nomad')] : [real(SCHEDULER_ADDR, given)];
