// Plays and judges one history. Virtual time is installed before anything of the program is loaded.
import { installFiles } from './machine/files.ts';
import { install } from './machine/time.ts';
import type { History } from './history/events.ts';
import type { SourceName } from './world/play.ts';
import type { Account, Violation } from './oracle/record.ts';

install();
installFiles();
const { play, sources } = await import('./world/play.ts');
const { draw } = await import('./history/draw.ts');
const { inCluster } = await import('./history/draw-cluster.ts');
const { judge } = await import('./oracle/judge.ts');
const { shrunk } = await import('./shrink.ts');

// What is loaded at its first use draws numbers then: each history has to find it loaded.
for (const seed of ['1', '2', '3']) for (const source of sources) await play(draw(seed), source);

export interface Played {
  readonly history: History;
  readonly account: Account;
  readonly violations: readonly Violation[];
}

async function playHistory(history: History, source: SourceName): Promise<Played> {
  const account = await play(history, source);
  return { history, account, violations: judge(account) };
}

export const playSeed = (seed: string, source: SourceName): Promise<Played> =>
  playHistory(source === 'kubernetes' ? inCluster(draw(seed)) : draw(seed), source);

/** The smallest history found that still breaks that invariant. */
export async function smallest({ history }: Played, source: SourceName, broken: string): Promise<Played> {
  const stillFails = async (smaller: History): Promise<boolean> =>
    (await playHistory(smaller, source)).violations.some(({ invariant }) => invariant === broken);
  return playHistory(await shrunk(history, stillFails), source);
}
