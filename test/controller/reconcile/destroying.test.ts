// What happens around the one call that destroys: what is noted before it, what is looked at again, and what is taken back.
import { describe, expect, test } from 'vitest';
import { conditionOf } from '../../../src/core/status/condition.ts';
import { ApiError, ConflictError } from '../../../src/core/errors.ts';
import { disk, disks, doing } from '../disks.ts';

type Scene = Awaited<ReturnType<typeof disks>>;

const memory = ({ at }: Scene, name = 'a') => at.source.read(disk(name))?.status;
const sent = ({ at }: Scene) => at.source.log.filter((line) => line.startsWith('c: '));
const ready = (scene: Scene, name = 'a') => conditionOf(memory(scene, name)?.conditions ?? [], 'Ready');

/** What is about to be destroyed: because it leaves, or because another type is declared. */
const ways = ['leaving', 'replacing'] as const;

async function about(
  to: (typeof ways)[number],
  limits?: { perHour: number; percent: number },
): Promise<Scene> {
  const scene = await disks(['a', 'b', 'c', 'd'], limits);
  if (to === 'leaving') scene.leave('a');
  else scene.declare('a', { type: 'nvme' });
  return scene;
}

test('leaving: noted, asked for, looked at again, deleted, forgotten', async () => {
  const scene = await about('leaving');
  await scene.at.visit(disk('a'));
  expect(scene.at.source.log).toEqual([
    'status delete Delete',
    'c: delete d1',
    `release ${disk('a')}, removed`,
  ]);
});

test('replacing: noted as one that counts, deleted, made anew', async () => {
  const scene = await about('replacing');
  await scene.at.visit(disk('a'));
  expect(scene.at.source.log).toEqual([
    'status replace /type, which counts',
    'c: delete d1',
    'status create make it',
    'c: make a nvme',
    'status rest',
  ]);
  expect(memory(scene)).toMatchObject({ own: 'd5', identity: 'd5' });
  expect(memory(scene)?.pending).toBeUndefined();
});

test('what it is about to destroy is known after a crash: identity and intent are written as one', async () => {
  const scene = await about('leaving');
  scene.at.source.confirm = () => {
    expect(memory(scene)).toMatchObject({
      identity: 'd1',
      pending: { op: 'delete', evidence: { removed: 'd1' } },
    });
    return Promise.resolve();
  };
  await scene.at.visit(disk('a'));
  expect(sent(scene)).toEqual(['c: delete d1']);
});

test.for(ways)(
  '%s: the source is told that something is destroyed, and not when the rest is done',
  async (to) => {
    const scene = await about(to);
    const asked: (boolean | undefined)[] = [];
    scene.at.source.confirm = async (_, __, destroys) => void asked.push(destroys);
    await scene.at.visit(disk('a'));
    expect(asked).toEqual([true]);
  },
);

test('leaving: who is to be made from it is declared while the declaration is read once more: it stays', async () => {
  const scene = await about('leaving');
  const { graph } = scene.at.ports;
  const target = { kind: 'Disk', namespace: 'shop', name: 'a' };
  scene.at.source.confirm = async () =>
    graph.set('Copy/shop/last', {
      uid: 'last',
      generation: 1,
      deleting: false,
      references: [{ to: 'object', field: '/of', target, holds: 'until-made' }],
      connection: 'Conn/c',
    });
  expect((await scene.at.visit(disk('a')))?.ending).toEqual({ is: 'conflict', reason: 'edited' });
  const { ending } = (await scene.at.visit(disk('a'))) ?? {};
  expect(ending).toMatchObject({
    is: 'blocked',
    plan: { message: 'still used by Copy/shop/last', serves: true },
  });
  expect(sent(scene)).toEqual([]);
  expect(ready(scene)?.status).toBe('True'); // it is made from what is ready
});

describe.for(ways)('%s: what happens while the declaration is read once more', (to) => {
  test('somebody comes to use it: his data would be lost', async () => {
    const scene = await about(to);
    scene.at.source.confirm = async () => {
      scene.outside.set('a', { disk: 'd1', type: 'ssd', user: 'a job' });
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(ready(scene)?.message).toBe('used by a job');
    expect(memory(scene)?.pending).toBeUndefined(); // nothing was done of what was noted
  });

  test('it is as it was when it was last seen: what was noted in between is taken back all the same', async () => {
    const scene = await about(to);
    const used = { disk: 'd1', type: 'ssd', user: 'a job' };
    scene.outside.set('a', used);
    await scene.at.visit(disk('a'));
    scene.outside.set('a', { disk: 'd1', type: 'ssd' });
    scene.at.source.confirm = async () => {
      scene.outside.set('a', used);
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(memory(scene)?.pending).toBeUndefined();
  });

  test('another takes its place: what was meant is not what is there', async () => {
    const scene = await about(to);
    scene.at.source.confirm = async () => {
      scene.outside.set('a', { disk: 'd99', type: 'ssd' });
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(scene.outside.get('a')?.disk).toBe('d99');
  });

  test('it goes by itself: the call could hit the next one of its name', async () => {
    const scene = await about(to);
    scene.at.source.confirm = async () => {
      scene.outside.delete('a');
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
  });

  test('another object comes to have the same data', async () => {
    const scene = await about(to);
    scene.at.source.confirm = async () => {
      scene.at.ports.owners.record(disk('b'), ['d1'], 'd2');
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(ready(scene)?.message).toBe(`d1 is recorded for ${disk('b')}, too`);
  });

  test('the limits are spent', async () => {
    const scene = await about(to, { perHour: 1, percent: 100 });
    scene.at.source.confirm = async () => {
      scene.at.clock.advance(1_000);
      scene.at.source.recentDeletions = () => [disk('x')];
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(ready(scene)?.reason).toBe('DeletionLimitExceeded');
  });

  test('the state turns out to be restored', async () => {
    const scene = await about(to);
    scene.at.source.confirm = async () => {
      scene.at.source.distrusted = { digest: 'd', message: 'an older state' };
    };
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    expect(ready(scene)?.reason).toBe('StateRestored');
  });

  test('the declaration is another: the next visit makes of it what it is', async () => {
    const scene = await about(to);
    scene.at.source.confirm = () => Promise.reject(new ConflictError('edited', 'it has changed'));
    expect((await scene.at.visit(disk('a')))?.ending.is).toBe('conflict');
    expect(sent(scene)).toEqual([]);
  });

  test('the declaration can’t be read: nothing is destroyed, and what was noted is taken back', async () => {
    const scene = await about(to);
    const error = new ApiError('unavailable', 'DeclarationUnreadable', 'no such file');
    scene.at.source.confirm = () => Promise.reject(error);
    await scene.at.visit(disk('a'));
    expect(sent(scene)).toEqual([]);
    // Left as it was, a disk that gets lost meanwhile would count as removed on purpose, and be made anew, empty.
    expect(memory(scene)?.pending).toBeUndefined();
    scene.at.source.confirm = () => Promise.resolve();
    await scene.at.visit(disk('a'));
    expect(sent(scene)[0]).toBe('c: delete d1');
  });
});

test.for(ways)(
  '%s: a call whose answer was lost is repeated in the end, not looked at for ever',
  async (to) => {
    const lost = {
      is: 'unknown',
      error: new ApiError('timeout', 'Timeout', 'no answer', { mayHaveHadEffect: true }),
    } as const;
    let calls = 0;
    const scene = await disks(['a', 'b', 'c', 'd'], undefined, (outside) => {
      const perform = doing(outside);
      return (connection, effect) =>
        effect.startsWith('delete') && ++calls === 1 ? lost : perform(connection, effect);
    });
    if (to === 'leaving') scene.leave('a');
    else scene.declare('a', { type: 'nvme' });
    await scene.at.visit(disk('a'));
    await scene.at.visit(disk('a'));
    expect(ready(scene)?.reason).toBe('RemovalInProgress'); // it may still arrive
    scene.at.clock.advance(3_000);
    await scene.at.visit(disk('a'));
    expect(calls).toBe(2);
    expect(scene.outside.get('a')?.disk).toBe(to === 'leaving' ? undefined : 'd5');
  },
);

const counted = ({ at }: Scene) => at.source.log.filter((line) => line.endsWith('which counts')).length;

describe('counted against the limits', () => {
  test('a replacement counts once, however often its call is repeated', async () => {
    const error = new ApiError('timeout', 'Timeout', 'no answer', { mayHaveHadEffect: true });
    const scene = await disks(['a', 'b'], undefined, (outside) => (_, effect) => {
      if (effect.startsWith('delete')) return { is: 'unknown', error };
      const [, name = '', type = ''] = effect.split(' ');
      outside.set(name, { disk: `d-${name}`, type });
      return { is: 'done' };
    });
    scene.declare('a', { type: 'nvme' });
    for (let n = 0; n < 3; n++) {
      await scene.at.visit(disk('a'));
      scene.at.clock.advance(3_000);
    }
    expect(sent(scene).length).toBeGreaterThan(1);
    expect(counted(scene)).toBe(1);
  });

  test('it is announced before it is judged: the first of a hundred does not go because it asked first', async () => {
    const scene = await about('replacing');
    scene.at.settled = () => false;
    await scene.at.visit(disk('a'));
    expect(ready(scene)?.reason).toBe('DeletionPending');
    expect(scene.at.ports.deletions.announced('Conn/c')).toEqual([disk('a')]);
    expect(sent(scene)).toEqual([]);
  });

  test('what waits for a person says so with the object: it can be approved whether or not anybody runs', async () => {
    const scene = await about('replacing', { perHour: 0, percent: 100 });
    await scene.at.visit(disk('a'));
    const { awaits } = memory(scene) ?? {};
    expect(awaits?.id).toBe(`uid-${disk('a')} 2 is replaced: d1`);
    expect(ready(scene)?.message).toContain(`holdfast approve ${awaits?.digest}`);
    scene.at.source.approved = (key) => (key === disk('a') ? awaits?.id : undefined);
    await scene.at.visit(disk('a'));
    expect(scene.outside.get('a')?.type).toBe('nvme');
    expect(memory(scene)).not.toHaveProperty('awaits');
    expect(counted(scene)).toBe(0); // what a person approved leaves the hour to others
  });

  test('an approval is spent with what it was given for: the next replacement needs another', async () => {
    const scene = await about('replacing', { perHour: 0, percent: 100 });
    scene.at.source.approved = (key) =>
      key === disk('a') ? `uid-${disk('a')} 2 is replaced: d1` : undefined;
    await scene.at.visit(disk('a'));
    scene.declare('a', { type: 'hdd' });
    await scene.at.visit(disk('a'));
    expect(ready(scene)?.reason).toBe('DeletionLimitExceeded');
    expect(scene.outside.get('a')?.type).toBe('nvme');
  });
});

test('what a service refuses is remembered until a step is made: it tells why nothing goes on', async () => {
  const error = new ApiError('refused', 'VolumeInUse', 'volume is busy', { status: 409 });
  let refuses = true;
  const scene = await disks(['a', 'b'], undefined, (outside) => {
    const perform = doing(outside);
    return (connection, effect) =>
      refuses && effect.startsWith('delete') ? { is: 'rejected', error } : perform(connection, effect);
  });
  scene.declare('a', { type: 'nvme' });
  await scene.at.visit(disk('a'));
  expect(memory(scene)).toMatchObject({ refusal: 'volume is busy', identity: 'd1' });
  expect(memory(scene)?.pending).toBeUndefined();
  refuses = false;
  await scene.at.visit(disk('a'));
  expect(memory(scene)?.refusal).toBeUndefined();
});
