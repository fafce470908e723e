// Objects that are not what they were: deleted and made anew, by us or behind our back by somebody else, while the
// operator runs, or while it is down.
import { isDeepStrictEqual } from 'node:util';
import { eventually } from '../../support/poll.ts';
import type { Spec } from '../../support/manifests.ts';
import type { Finding } from '../table/comparison.ts';
import { lists } from './lists.ts';
import { Views } from './stale.ts';
import { boundMs, deletion, Watching } from './watching.ts';
import type { Passing } from '../world/proxy.ts';

const withinMs = { withinMs: boundMs };
const made: Spec = {
  deletionPolicy: 'Delete',
  replacePolicy: 'WhenUnused',
  mountOptions: { fsType: 'ext4' },
};
const remaining = ['a', 'b', 'c', 'd', 'foreign'];
const key = 'CSIVolume/shop/a';

interface Told {
  /** What may have been destroyed, in order. */
  readonly destroys: readonly string[];
  /** How many of ours are there in the end: three at first. */
  readonly disks: number;
  /** Where they are not all there in the end. */
  readonly volumes?: readonly string[];
  /** The one that it has to have in the end. */
  readonly disk?: string | undefined;
}

type Story = (at: Watching) => Promise<Told>;

const removal = deletion('a');

const there = (at: Watching) =>
  eventually('it is there', async () => (await at.ids()).includes('a'), withinMs);
const gone = (at: Watching) =>
  eventually('it is gone', async () => !(await at.ids()).includes('a'), withinMs);
const left = (at: Watching) =>
  eventually('it has left', async () => (await at.condition(key)) === undefined, withinMs);
/** Not waited for any longer where something was destroyed. */
const leftInPeace = (at: Watching) =>
  eventually(
    'it has left',
    async () => {
      if (at.destroyed.length > 0) throw new Error(`was destroyed: ${at.destroyed.join()}`);
      return (await at.condition(key)) === undefined;
    },
    withinMs,
  );

/** The name that somebody else's volume has now, and the disk of ours that nobody points at, are left as they are. */
async function isLeftAlone(at: Watching): Promise<void> {
  await at.is(key, 'AdoptionRefused');
  at.undeclare('a');
  await left(at);
}

const destruction = /\/csi\/holdfast-retired-[^/]*\/delete/;
const takenBack = /\/csi\/holdfast-retired-[^/]*\?/;

/**
 * The manifest goes, and comes back when the answer to the destruction of its disk is lost. The service destroys the disk right
 * before the program takes it back.
 */
async function destroyedLate(at: Watching): Promise<void> {
  let late: Passing | undefined;
  at.world.proxies.scheduler.write = async (passing, forward) => {
    const { method, url } = passing;
    if (method === 'DELETE' && destruction.test(url) && !late) {
      late = passing;
      at.declare('a', made);
      throw new Error('the connection breaks');
    }
    if (method === 'DELETE' && takenBack.test(url) && late) await forward(late);
    return undefined;
  };
  at.undeclare('a');
  const disk = await at.diskOf('a');
  await eventually('its disk is destroyed', async () => !(await at.disks()).includes(disk ?? ''), withinMs);
}

/** The manifest goes, and comes back while this call is on its way. */
async function putBackDuring(at: Watching, call: RegExp): Promise<void> {
  at.world.proxies.scheduler.write = ({ method, url }) => {
    if (method === 'DELETE' && call.test(url)) at.declare('a', made);
    return Promise.resolve(undefined);
  };
  at.undeclare('a');
  await eventually('it is deleted', () => at.destroyed.length > 0, withinMs);
  await there(at);
  await at.is(key, 'InSync');
}

const byHand = async (at: Watching): Promise<void> => {
  await at.deregister('a');
  await at.register('a', 'of-a-stranger');
};

export const stories: Readonly<Record<string, Story>> = {
  'its manifest is removed and put back while it runs, and lists are old': async (at) => {
    await at.start();
    await at.mislead(lists['it is old, and its index is new']);
    at.undeclare('a');
    await left(at);
    await gone(at);
    at.declare('a', made);
    await there(at);
    at.view(undefined);
    await at.is(key, 'InSync');
    return { destroys: removal, disks: 3 };
  },
  'its manifest is put back while its registration goes': async (at) => {
    await at.start();
    const disk = await at.diskOf('a');
    await putBackDuring(at, /\/csi\/a\?/);
    return { destroys: removal.slice(0, 1), disks: 3, disk };
  },
  'its manifest is put back while its disk is destroyed': async (at) => {
    await at.start();
    await putBackDuring(at, destruction);
    return { destroys: removal, disks: 3 };
  },
  'its manifest is put back, and its disk is destroyed late, just before it is taken back': async (at) => {
    await at.start();
    await destroyedLate(at);
    await there(at);
    await at.is(key, 'InSync');
    return { destroys: removal, disks: 3 };
  },
  'it is killed in the middle of its deletion, and the manifest is put back while it is down': async (at) => {
    at.world.proxies.scheduler.arm((n) => (n === 1 ? 'killed before the reply' : undefined));
    at.undeclare('a');
    await at.world.apply();
    at.world.calm();
    await gone(at);
    at.declare('a', made);
    await at.start();
    await there(at);
    await at.is(key, 'InSync');
    return { destroys: removal, disks: 3 };
  },
  'its manifest is removed and put back, and each own write is seen one look late': async (at) => {
    const views = new Views();
    views.attach(at.world, { is: 'own writes late', reads: 1 });
    await at.run();
    await at.is(key, 'InSync');
    at.undeclare('a');
    await left(at);
    await gone(at);
    at.declare('a', made);
    await there(at);
    await at.is(key, 'InSync');
    views.detach(at.world);
    return { destroys: removal, disks: 3 };
  },
  'its disk is registered once more right before it is destroyed': async (at) => {
    await at.start();
    const disk = await at.diskOf('a');
    at.world.proxies.scheduler.read = async (passing, forward) => {
      // Who looks for other registrations of what is retired gets the last answer that knows none.
      const isLook =
        passing.url.includes('filter=') && (await at.ids()).some((id) => id.startsWith('holdfast-retired-'));
      const answer = isLook ? await forward(passing) : undefined;
      if (isLook && !(await at.ids()).includes('e')) await at.register('e', disk ?? '', 'hostpath');
      return answer;
    };
    at.undeclare('a');
    await at.is(key, 'DeletionBlocked');
    return { destroys: removal.slice(0, 1), disks: 3, volumes: [...remaining.slice(1), 'e', 'retired'] };
  },
  'somebody else takes its name while it runs and hears of nothing': async (at) => {
    await at.start();
    await at.mislead(lists['no change is told']);
    await byHand(at);
    at.view(undefined);
    await isLeftAlone(at);
    return { destroys: [], disks: 3 };
  },
  'somebody else takes its name while it is down': async (at) => {
    await byHand(at);
    await at.start();
    await isLeftAlone(at);
    return { destroys: [], disks: 3 };
  },
  'somebody else takes its name while it is down, and the manifest is gone': async (at) => {
    await byHand(at);
    at.undeclare('a');
    await at.start();
    await leftInPeace(at);
    return { destroys: [], disks: 3 };
  },
  'it is lost while it is down, and its manifest is gone': async (at) => {
    await at.deregister('a');
    at.undeclare('a');
    await at.start();
    await left(at);
    return { destroys: [], disks: 3, volumes: remaining.slice(1) };
  },
  'somebody else takes its name, and gives it back': async (at) => {
    await byHand(at);
    await at.start();
    await at.is(key, 'AdoptionRefused');
    await at.deregister('a');
    await there(at);
    await at.is(key, 'InSync');
    return { destroys: [], disks: 3 };
  },
};

export async function told(at: Watching, story: Story) {
  const trouble: Finding[] = [];
  const expected = await story(at).catch((error: unknown): Told => {
    trouble.push(['other', String(error)]);
    return { destroys: at.destroyed, disks: 3 };
  });
  const output = await at.stop();
  const disks = await at.world.scheduler.disks();
  const isAnother = expected.disk !== undefined && (await at.diskOf('a')) !== expected.disk;
  const ids = (await at.ids()).map((id) => id.replace(/^holdfast-(retired)-.*/, '$1')).toSorted();
  const extra = at.destroyed.filter((_, i) => at.destroyed[i] !== expected.destroys[i]);
  const findings: readonly Finding[] = [
    ...trouble,
    ...(isAnother ? [['other', 'its disk is another'] as const] : []),
    ...extra.map((what): Finding => ['wrong deletes', what]),
    ...(disks.length > expected.disks ? [['orphans', `${disks.length} disks`] as const] : []),
    ...(disks.length < expected.disks ? [['wrong deletes', `${disks.length} disks`] as const] : []),
    ...(isDeepStrictEqual(ids, (expected.volumes ?? remaining).toSorted())
      ? []
      : [['other', `volumes: ${ids.join()}`] as const]),
  ];
  return { findings, output };
}
