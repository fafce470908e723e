// Both embedded services in this process, as worlds of transitions stand on them.
import { onTestFinished } from 'vitest';
import { openScheduler } from '../../src/embedded/scheduler/server.ts';
import { defaultSeed as schedulerSeed } from '../../src/embedded/scheduler/fixtures/seed.ts';
import { openSecrets } from '../../src/embedded/secrets/server.ts';
import { defaultSeed as secretsSeed } from '../../src/embedded/secrets/fixtures/seed.ts';
import { serve } from '../../src/embedded/http/server.ts';
import { dialects, type DialectsName } from '../../src/runtime/embedded/running.ts';
import type { Spec } from '../support/manifests.ts';
import { serviceToken } from '../support/service.ts';

export const rootToken = 'canary-transitions-root-7a20';
export const otherRegion = 'eu';

/** What is there before anything is declared. */
export interface Seeded {
  readonly mounts: readonly Spec[];
  readonly entries: readonly Spec[];
  readonly disks: readonly Spec[];
  readonly snapshots: readonly Spec[];
  /** Further lists of the seeds of both services. */
  readonly more?: { readonly scheduler: Lists; readonly secrets: Lists };
}

type Lists = Readonly<Record<string, readonly Spec[]>>;

export type Services = Awaited<ReturnType<typeof services>>;

/** They go with the test. */
export async function services(names: DialectsName, seed: Seeded) {
  const pair = dialects[names];
  const scheduler = openScheduler({
    dialect: pair.scheduler,
    token: serviceToken,
    regions: [otherRegion],
    seed: {
      ...schedulerSeed,
      ...seed.more?.scheduler,
      plugins: (schedulerSeed.plugins ?? []).map((plugin) => ({ ...Object(plugin), snapshotReadyMs: 0 })),
      disks: [...(schedulerSeed.disks ?? []), ...seed.disks],
      snapshots: [...(schedulerSeed.snapshots ?? []), ...seed.snapshots],
    },
  });
  let url = '';
  const secrets = await openSecrets(
    {
      dialect: pair.secrets,
      token: rootToken,
      still: true,
      seed: {
        ...secretsSeed,
        ...seed.more?.secrets,
        mounts: [...(secretsSeed.mounts ?? []), ...seed.mounts],
        entries: [...(secretsSeed.entries ?? []), ...seed.entries],
      },
    },
    () => url,
  );
  const running = await Promise.all([
    serve(scheduler.service, '127.0.0.1', 0),
    serve(secrets.service, '127.0.0.1', 0),
  ]);
  url = running[1].url;
  onTestFinished(async () => {
    await Promise.all(running.map((one) => one.stop()));
    scheduler.close();
    await secrets.close();
  });
  return { scheduler, secrets, urls: { scheduler: running[0].url, secrets: running[1].url } };
}
