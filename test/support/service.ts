// The embedded scheduler in a process of its own, and what it says itself: the truth that tests compare with.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import { schedulerDialects, type SchedulerDialectName } from '../../src/api/dialects.ts';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { folder, Holdfast } from './cli.ts';

export const serviceToken = 'holdfast-test';

export interface Disk {
  readonly pluginID: string;
  readonly name: string;
  readonly externalID: string;
  readonly capacityBytes: number;
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Snapshot {
  readonly pluginID: string;
  readonly name: string;
  readonly id: string;
  /** External ID of its disk. */
  readonly sourceID: string;
}

/** As listed by the API, in the documents' shape. */
export interface Volume {
  readonly ID: string;
  readonly Namespace: string;
  readonly Name: string;
  readonly ExternalID: string;
  readonly PluginID: string;
  readonly ModifyIndex: number;
}

export interface Counters {
  readonly routes: Readonly<Record<string, number>>;
  /** Requests that may change something. */
  readonly writes: number;
  /** Those that did. */
  readonly effects: number;
}

/** The disk that every fresh cluster has: made by nobody, to be registered. */
const seededDisk = { pluginID: 'ebs', externalID: 'vol-0a1b2c3d4e5f6' } as const;

export interface ServiceProcess {
  readonly service: Service;
  readonly process: Holdfast;
  readonly stateDir: string;
}

/** @param again where it was and what it knew, for one that comes back. */
export async function startService(
  dialect: SchedulerDialectName = 'nomad',
  again?: ServiceProcess,
): Promise<ServiceProcess> {
  const stateDir = again?.stateDir ?? (await folder());
  const port = again ? new URL(again.service.url).port : '0';
  writeFileSync(join(stateDir, 'embedded-token'), serviceToken, { mode: 0o600 });
  const args = ['dev', '--dialect', dialect, '--port', port, '--state-dir', stateDir];
  const process = new Holdfast(args, { cwd: stateDir });
  const [, url = ''] = await process.says(/(http:\/\/127\.0\.0\.1:\d+)/);
  return { service: new Service(url, dialect), process, stateDir };
}

/** One in this process: as good for what is asked of it over HTTP, and there at once. It goes with the test. */
export async function serve(dialect: SchedulerDialectName = 'nomad', token = serviceToken): Promise<Service> {
  const server = await startScheduler({ dialect, token });
  onTestFinished(() => server.stop());
  return new Service(server.url, dialect, token);
}

export class Service {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  readonly dialect: SchedulerDialectName;
  readonly #token: string;

  constructor(url: string, dialect: SchedulerDialectName, token = serviceToken) {
    this.url = url;
    this.dialect = dialect;
    this.#token = token;
  }

  async call<T>(method: 'GET' | 'PUT' | 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
    const { token } = schedulerDialects[this.dialect].headers;
    const reply = await request(`${this.url}${path}`, {
      method,
      headers: { [token]: this.#token, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    // oxlint-disable-next-line no-unsafe-type-assertion -- the embedded service's word
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Disks that were made through the API. */
  async disks(): Promise<readonly Disk[]> {
    const all = await this.call<readonly Disk[]>('GET', '/setup/disks');
    return all.filter((disk) => disk.externalID !== seededDisk.externalID);
  }

  /** Snapshots that were taken through the API. */
  async snapshots(): Promise<readonly Snapshot[]> {
    const all = await this.call<readonly Snapshot[]>('GET', '/setup/snapshots');
    return all.filter(({ name }) => name !== '');
  }

  volumes(): Promise<readonly Volume[]> {
    return this.call('GET', '/v1/volumes?type=csi&namespace=*');
  }

  /** One volume whole, in the shape of Nomad's dialect. */
  volume(id: string): Promise<Volume & { readonly MountOptions: { readonly FSType: string } }> {
    return this.call('GET', `/v1/volume/csi/${id}?namespace=default`);
  }

  counters(): Promise<Counters> {
    return this.call('GET', '/setup/counters');
  }

  /** Begins to count anew. */
  async resetCounters(): Promise<void> {
    await this.call('POST', '/setup/counters/reset');
  }

  /** Takes everything away that came through the API. */
  async clear(): Promise<void> {
    for (const { ID, Namespace } of await this.volumes()) {
      await this.call('DELETE', `/v1/volume/csi/${ID}?namespace=${Namespace}&force=true`);
    }
    for (const { pluginID, externalID } of await this.disks()) {
      await this.call('DELETE', `/setup/disks/${pluginID}/${externalID}`);
    }
    await this.resetCounters();
  }
}
