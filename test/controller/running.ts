// A controller at work on a small world, with a watch that says what a test tells it to say.
import { Controller } from '../../src/controller/controller.ts';
import type { Follow, Follower } from '../../src/controller/connections/watches.ts';
import { Unvisited } from '../../src/controller/index/unvisited.ts';
import { WorkQueue } from '../../src/controller/queue/workqueue.ts';
import type { ExternalObject } from '../../src/core/resource.ts';
import type { World } from './bench.ts';
import { settle } from './queue/workqueue-bench.ts';

/** Whatever can be done without time passing is done. */
export async function idle(): Promise<void> {
  for (let n = 0; n < 20; n++) await settle();
}

/** @param listed what the watch has listed */
export async function running(at: World, listed: Follower['listed']) {
  let told: Parameters<Follow<string, string>>[1] | undefined;
  const unvisited = new Unvisited();
  const visits: string[] = [];
  at.settled = (key, connection) => unvisited.settled(key, connection);
  const controller = new Controller({
    ports: at.ports,
    queue: new WorkQueue({ clock: at.clock, keysMax: 1_000 }),
    unvisited,
    workers: 1,
    follow: (_, given) => {
      told = given;
      return { observed: () => {}, stop: async () => {}, view: () => ({ watch: 'live' }), listed };
    },
    onVisit: ({ key }) => void visits.push(key),
    onBug: (_, error) => {
      throw error;
    },
  });
  await controller.list();
  controller.run();
  await idle();
  return {
    unvisited,
    visits,
    /** State index 7. */
    changed: (ref: ExternalObject) => told?.changed(ref, 7),
    complete: () => told?.complete(),
  };
}
