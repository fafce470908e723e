// Somebody who does something about a volume at the worst moment, such as placing a job on it: right before a call about that
// volume arrives.
import { onTestFinished } from 'vitest';
import { Proxy, type Passing } from '../faults/world/proxy.ts';
import type { Service } from '../support/service.ts';
import { registered } from './disks.ts';

/** A volume that was claimed, and the disk on which it was then. */
export interface Claimed {
  readonly volume: string;
  readonly disk: string;
}

/** The volume that is claimed before its n-th call, from 1. No name is the begin of another. */
export const gap = (n: number): string => `gap-${String(n).padStart(2, '0')}`;

/**
 * `gap-01` is claimed right before the first call that is about it, `gap-02` right before its second, and so on, wherever
 * the scheduler places a job on it then. Whatever the calls are, reads and writes: one belongs to a volume that it names,
 * whose disk it names, or that was given its ID or its disk before. Lists of everything are about no volume.
 */
export class Gaps {
  readonly #service: Service;
  readonly #proxy: Proxy;
  /** ID of a registration, or of a disk → whose it is. */
  readonly #volumeOf = new Map<string, string>();
  readonly #calls = new Map<string, number>();
  readonly claimed: Claimed[] = [];
  /** Volumes that could not be claimed in their gap. */
  readonly refused: string[] = [];
  /** Volumes whose disks the service was told to destroy. */
  readonly destroying = new Set<string>();
  /** What is done in a gap, before which call. */
  act = (volume: string, _call: string): Promise<void> => this.#claim(volume);
  /** What is done before each call about a volume. */
  each = (_volume: string, _call: Passing): Promise<void> => Promise.resolve();

  private constructor(service: Service, proxy: Proxy) {
    this.#service = service;
    this.#proxy = proxy;
  }

  /** It goes with the test. */
  static async before(service: Service): Promise<Gaps> {
    const proxy = await Proxy.open({ target: service.url, kill: () => {} });
    onTestFinished(() => proxy.close());
    return new Gaps(service, proxy);
  }

  get url(): string {
    return this.#proxy.url;
  }

  /** From now on. */
  async begin(): Promise<void> {
    for (const [volume, disk] of Object.entries(await registered(this.#service))) {
      this.#volumeOf.set(volume, volume).set(disk, volume);
    }
    const claim = async (passing: Passing): Promise<undefined> => {
      await this.#claimBefore(passing);
    };
    this.#proxy.read = claim;
    this.#proxy.write = claim;
  }

  /** How many calls were about the volume. */
  calls(volume: string): number {
    return this.#calls.get(volume) ?? 0;
  }

  async #claimBefore(passing: Passing): Promise<void> {
    const volume = this.#whose(passing);
    if (volume === undefined) return;
    await this.each(volume, passing);
    const n = this.calls(volume) + 1;
    this.#calls.set(volume, n);
    if (volume === gap(n)) await this.act(volume, `${passing.method} ${passing.url}`);
    if (passing.method === 'DELETE' && /\/delete(\?|$)/.test(passing.url)) this.destroying.add(volume);
  }

  async #claim(volume: string): Promise<void> {
    const disk = (await registered(this.#service))[volume];
    if (disk === undefined) return void this.refused.push(volume);
    await this.#service.call('POST', '/setup/allocations', { JobID: 'batch', Volumes: [{ ID: volume }] });
    this.claimed.push({ volume, disk });
  }

  #whose({ method, url, body }: Passing): string | undefined {
    const [, id = ''] = /^\/v1\/volume\/csi\/([^/?]+)/.exec(url) ?? [];
    const text = `${decodeURIComponent(url)} ${body.toString()}`;
    const known = [...this.#volumeOf].find(([name]) => name === id || text.includes(name));
    if (known && id !== '' && method !== 'GET') this.#volumeOf.set(decodeURIComponent(id), known[1]);
    return known?.[1];
  }
}
