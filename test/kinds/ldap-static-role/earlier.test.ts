// The service shows an earlier rotation than the published one: a server of it lags behind, or it was restored from a backup. The
// published password may then be the only one that works, so it is not written over for what is shown.
import { describe, expect, test } from 'vitest';
import {
  outline,
  planned,
  firstStep,
  instant,
  later,
  recorded,
  verified,
  credential,
  type Given,
} from './situation.ts';
import { jobsAt, said, settled, tells, versionIn } from './asking.ts';
import { signalled, startMs } from './surroundings.ts';
import { World, type Options } from './world.ts';

/** The second password is published, and the service shows the first: it was restored. */
async function restored(options: Options): Promise<World> {
  const world = await settled(options);
  const { role } = world.directory;
  world.advance(1_000);
  world.request('rotate', 't1');
  await world.settle();
  world.directory.role = role;
  return world;
}

test.for([2, 4, 12])(
  'a server that lags for %i answers makes nothing of it: nothing is written, nobody told twice',
  async (lag) => {
    const world = new World({ spec: { consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    const { directory, source } = world;
    const before = directory.role;
    const published: (string | undefined)[] = [];
    const { publish } = source.outputs;
    source.outputs = {
      ...source.outputs,
      publish(publisher, output) {
        publish(publisher, output);
        published.push(versionIn(world));
      },
    };
    const answer = directory.answer.bind(directory);
    let old = 0;
    directory.answer = (op) => {
      const now = directory.role;
      if (published.length > 0 && old < lag) {
        old += 1;
        directory.role = before;
      }
      try {
        return answer(op);
      } finally {
        directory.role = now;
      }
    };
    world.advance(1_000);
    world.request('rotate', 't1');
    await world.settle();
    expect({ published, told: tells(world, 'web') }).toEqual({ published: ['2'], told: [1] });
    expect([said(world, 'Ready'), world.directory.rotations.length]).toEqual(['True InSync', 1]);
  },
);

describe('the service was restored from a backup of before the last rotation', () => {
  test('the password that works stays, the condition says so, and a rotation on request ends it', async () => {
    const world = await restored({ spec: {} });
    const visit = await world.visit();
    expect([visit?.requeueMs, said(world, 'Synced')]).toEqual([1_000, 'False AwaitingVisibility']);
    for (let look = 0; look < 40; look++) {
      world.advance(1_000);
      await world.visit();
    }
    expect([said(world, 'Ready'), said(world, 'RotationVerified'), said(world, 'Synced')]).toEqual([
      'False EarlierRotation',
      'Unknown EarlierRotation',
      'False EarlierRotation',
    ]);
    expect(versionIn(world)).toBe('2');
    world.request('rotate', 't2');
    await world.settle();
    expect([world.directory.rotations.length, said(world, 'Ready')]).toEqual([2, 'True InSync']);
    expect(world.output?.revision.split(' ')[0]).toBe(world.directory.instant);
  });

  test('and the directory with it: the earlier password is published once a bind with it succeeds, and consumers are told', async () => {
    const world = new World({ spec: { verify: { bind: true }, consumers: [signalled('web')] } });
    jobsAt(world).run('web', 1);
    await world.settle();
    const { role } = world.directory;
    world.advance(1_000);
    world.request('rotate', 't1');
    await world.settle();
    world.directory.role = role;
    await world.settle();
    expect([versionIn(world), world.directory.binds]).toEqual(['1', ['1', '2', '1']]);
    expect([said(world, 'Ready'), tells(world, 'web')]).toEqual(['True InSync', [2]]);
    expect(world.memory.own).not.toHaveProperty('accepted');
  });

  test('the directory rejects the earlier password: it is tried three times, so that no account is locked', async () => {
    const world = await restored({ spec: { verify: { bind: true } } });
    world.directory.rejectsBinds = true;
    for (let look = 0; look < 80; look++) {
      const visit = await world.visit();
      world.advance(visit?.requeueMs ?? 60_000);
      if (world.directory.role?.version !== 1) break; // the service rotated by itself
    }
    expect(world.directory.binds.filter((version) => version === '1')).toHaveLength(4); // once when it was new
    expect([versionIn(world), said(world, 'RotationVerified')]).toEqual(['2', 'Unknown EarlierRotation']);
  });
});

describe('a rotation that was asked for', () => {
  const early = '2026-02-28T23:00:00.000Z';
  const own = { published: later };
  const memory = { ...recorded, own };
  const asked: Given = { memory, requests: { rotate: 't1' }, published: 'not looked at' };
  const rotating = (before: string, more: Given = {}): Given => ({
    ...asked,
    memory: { ...memory, own: { ...own, rotating: { token: 't1', before } } },
    ...more,
  });
  const over = startMs + 120_000;
  const standing = (more: object = {}): Given => ({
    memory: { ...memory, own: { ...own, ...more } },
    published: 'not looked at',
    nowMs: startMs + 30_000,
  });
  /** Ten seconds after another earlier one was noted. @param ttl seconds until the next, of an hour */
  const following = (ttl: number, notedMs = startMs - 10_000): Given => ({
    ...standing({ earlier: { instant: early, wallMs: notedMs } }),
    credential: { ...credential, ttl },
  });
  const from = (before: string): Given => ({
    ...rotating(before),
    memory: { ...memory, own: { published: early, rotating: { token: 't1', before } } },
  });

  test('waits until the service no longer shows an earlier one, half a minute at most', () => {
    expect(planned(asked)).toMatchObject({ reason: 'AwaitingVisibility' });
    const aged = { ...asked, nowMs: startMs + 30_000 };
    expect(firstStep(aged).effect).toMatchObject({ op: 'ldap.role.rotate' });
  });

  test('or none: what is noted, accepted and waited for is told to people', () => {
    const shows = 'the service shows an earlier rotation than the published one';
    expect(planned(asked)).toMatchObject({ message: `${shows}; it is read again` });
    expect(firstStep(standing()).summary).toBe('note that the service shows an earlier rotation');
    expect(firstStep(standing()).own).toMatchObject({ earlier: { instant, wallMs: startMs } });
    const accepting = firstStep(following(3_595));
    expect(accepting.summary).toBe('accept the earlier rotation, which follows another');
    expect(planned(standing({ earlier: { instant, wallMs: startMs } }))).toMatchObject({
      reason: 'EarlierRotation',
      message: `${shows}, whose password stays: it may be the one that works`,
      wake: { on: 'live' },
      dueMs: 60_000,
    });
  });

  test('or none: another earlier one is accepted only if it was made since, or two backups would pass for it', () => {
    for (const ttl of [3_600, 3_591]) expect(firstStep(following(ttl)).own).toHaveProperty('accepted');
    for (const ttl of [3_590, 3_601, 0, Number.NaN])
      expect(planned(following(ttl)), `${ttl}`).toMatchObject({ reason: 'EarlierRotation' });
    expect(planned(following(0, startMs - 86_400_000))).toMatchObject({ reason: 'EarlierRotation' });
    // The machine's date was ahead when the first was noted.
    const back = firstStep(following(3_595, startMs + 1));
    expect(back.own).toMatchObject({ earlier: { instant, wallMs: startMs } });
    expect(back.own).not.toHaveProperty('accepted');
  });

  test('is not taken for done because a server lags behind, until it can not be under way any more', () => {
    expect(planned(rotating(later))).toMatchObject({ reason: 'RotationInProgress' });
    const late = firstStep(rotating(later, { nowMs: over }));
    expect([late.handledRequests, late.own]).toEqual([{ rotate: 't1' }, own]);
  });

  test('is not taken for done by what was there before, published or not', () => {
    expect(planned(from(instant))).toMatchObject({ reason: 'RotationInProgress' });
    expect(planned({ ...from(''), role: 'never rotated' })).toMatchObject({ reason: 'RotationInProgress' });
  });

  test('is neither given up nor asked for again while a look may show one that is passed on the way to the last', () => {
    const passing = { nowMs: over, facts: { [`earlier rotation ${instant}`]: over - 29_999 } };
    for (const requests of [{ rotate: 't1' }, {}])
      expect(planned(rotating(early, { ...passing, requests }))).toMatchObject({
        reason: 'AwaitingVisibility',
      });
  });

  test('is accepted although the clock of the service is behind, once it stands, and then published', () => {
    expect(planned(rotating(early, { nowMs: startMs + 29_999 }))).toMatchObject({
      reason: 'RotationInProgress',
    });
    const done = firstStep(rotating(early, { nowMs: startMs + 30_000 }));
    expect([done.handledRequests, done.own]).toEqual([{ rotate: 't1' }, { ...own, accepted: instant }]);
    const accepted = {
      ...memory,
      own: { ...own, accepted: instant, earlier: { instant: early, wallMs: startMs } },
    };
    const step = firstStep({ memory: accepted, published: 'not looked at', credential });
    expect(step.effect).toMatchObject({ op: 'output.write' });
    expect(step.own).toEqual({ published: instant });
  });
});

test('where nothing is remembered, what is published tells which rotation is the last one', () => {
  const given: Given = { memory: { ...recorded, own: {} }, rotated: '2026-02-28T23:00:00.000Z' };
  expect(outline(given)).toContain('AwaitingVisibility');
  expect(outline({ ...verified, ...given, nowMs: startMs + 29_999 })).toContain('AwaitingVisibility');
});
