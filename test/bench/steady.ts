// Steady state: what an operator asks of both services while all that it has declared is as declared. Beside it, at the
// same time and on services of its own, runs one that has declared the connections only: what that one asks is the fixed
// cost, what the first asks beyond it is the cost of objects.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { request } from 'undici';
import { startCluster, type Cluster, type Told } from './cluster.ts';
import { writeRoles } from './declared.ts';
import { apply, placeAt, sources, start, type Operator, type Place } from './operator.ts';

export interface Case {
  readonly volumes: number;
  readonly roles: number;
  readonly minutes: number;
}

/** What was asked of one service. */
export interface Asked {
  /** `METHOD pattern` → requests. */
  readonly routes: Readonly<Record<string, number>>;
  readonly writes: number;
}

/** What one operator did while it was watched. */
export interface Watched {
  readonly scheduler: Asked;
  readonly secrets: Asked;
  /** Transactions on the state's file. */
  readonly commits: number;
}

export interface Found {
  readonly loaded: Watched;
  /** It has declared the connections only. */
  readonly bare: Watched;
}

/** @param directory is emptied. */
export async function runSteady(directory: string, { minutes, ...declared }: Case): Promise<Found> {
  rmSync(directory, { recursive: true, force: true });
  const loaded = await Site.open(join(directory, 'loaded'), declared);
  try {
    const bare = await Site.open(join(directory, 'bare'), { volumes: 0, roles: 0 });
    try {
      await Promise.all([loaded.allRead(declared.volumes), bare.allRead(0)]);
      const [first, second] = await Promise.all([loaded.now(), bare.now()]);
      await pause(minutes * 60_000);
      const [ofLoaded, ofBare] = await Promise.all([loaded.since(first), bare.since(second)]);
      return { loaded: ofLoaded, bare: ofBare };
    } finally {
      await bare.close();
    }
  } finally {
    await loaded.close();
  }
}

interface Moment {
  readonly look: Told['look'];
  readonly commits: number;
  readonly dataVersion: unknown;
}

/** An operator at rest, with services of its own. */
class Site {
  readonly #cluster: Cluster;
  readonly #operator: Operator;
  readonly #state: DatabaseSync;
  /** Reads of single volumes before it started. */
  readonly #readsBefore: number;

  static async open(directory: string, { volumes, roles }: Omit<Case, 'minutes'>): Promise<Site> {
    mkdirSync(directory, { recursive: true });
    const cluster = await startCluster({ roles });
    try {
      const place = placeAt(directory, sources, volumes, cluster);
      if (roles > 0) writeRoles(place.tree, roles);
      await apply(directory, place);
      const readsBefore = readsIn(await cluster.ask('look'));
      return new Site(cluster, await start(place), place, readsBefore);
    } catch (error) {
      await cluster.stop();
      throw error;
    }
  }

  private constructor(cluster: Cluster, operator: Operator, { stateDir }: Place, readsBefore: number) {
    this.#cluster = cluster;
    this.#operator = operator;
    this.#readsBefore = readsBefore;
    this.#state = new DatabaseSync(join(stateDir, 'state.sqlite'), { readOnly: true });
  }

  /** Waits until each volume was read since the start, and nothing is asked any more. @throws Error where it takes longer than it may */
  async allRead(volumes: number): Promise<void> {
    const endMs = performance.now() + rereadWithinMs;
    while (readsIn(await this.#cluster.ask('look')) - this.#readsBefore < volumes) {
      if (performance.now() > endMs) throw new Error('not every volume was read again after the start');
      await pause(1_000);
    }
    await this.#cluster.idle();
  }

  async now(): Promise<Moment> {
    const look = await this.#cluster.ask('look');
    // Another one than before once somebody else has committed: the file's own word, beside the operator's count.
    const dataVersion = this.#state.prepare('PRAGMA data_version').get()?.['data_version'];
    return { look, commits: await commitsOf(this.#operator), dataVersion };
  }

  /** @throws Error where the operator did not count what it wrote. */
  async since(then: Moment): Promise<Watched> {
    const now = await this.now();
    const commits = now.commits - then.commits;
    const wrote = now.dataVersion !== then.dataVersion;
    if (wrote !== commits > 0)
      throw new Error(`${commits} commits counted, but the state ${wrote ? 'was' : 'was not'} written`);
    const { scheduler, secrets } = now.look;
    return {
      commits,
      scheduler: grown(then.look.scheduler, scheduler),
      secrets: grown(then.look.secrets, secrets),
    };
  }

  async close(): Promise<void> {
    this.#state.close();
    await this.#operator.stop();
    await this.#cluster.stop();
  }
}

/** The interval of drift is ten minutes; all are read within it. */
const rereadWithinMs = 15 * 60_000;

const readsIn = ({ scheduler }: Told['look']): number => scheduler.routes['GET /v1/volume/csi/{id}'] ?? 0;

const grown = (then: Asked, now: Asked): Asked => ({
  writes: now.writes - then.writes,
  routes: Object.fromEntries(
    Object.entries(now.routes)
      .map(([route, count]): [string, number] => [route, count - (then.routes[route] ?? 0)])
      .filter(([, count]) => count > 0),
  ),
});

/** As its metrics have it. */
async function commitsOf({ url }: Operator): Promise<number> {
  const { body } = await request(new URL('/metrics', url));
  const lines = (await body.text()).matchAll(
    /^holdfast_effects_total\{[^}]*op="state\.commit"[^}]*\} (\d+)/gm,
  );
  return Array.from(lines, ([, count]) => Number(count)).reduce((sum, count) => sum + count, 0);
}
