// Restore drills from a directory, with processes of the program on real sockets: what is corrupt is found, and no clone stays,
// whenever the process is killed. The service itself says what is there.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { isRecord } from '../../src/core/json.ts';
import { openStateReadOnly } from '../../src/sources/directory/state/snapshot.ts';
import { folder, holdfast } from '../support/cli.ts';
import { isWhole, kills } from '../support/kills.ts';
import { Tree, volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { report } from './report.ts';

const key = 'CSISnapshotSchedule/shop/orders';
const lastYear = `${new Date().getUTCFullYear() - 1}-06-01T00:00:00Z`;
const verify = {
  selector: { job: 'shop' },
  exec: { task: 'server', command: ['fsck', '$(VOLUME)'] },
};

/** A service and a tree of its own, with a volume; the program over it. One deletion an hour is allowed, for what counts. */
async function site() {
  const service = await serve();
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0, CorruptsOneIn: 10 });
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect(service, {
    access: [{ namespaces: ['shop'], actions: ['Exec'] }],
    limits: { deletions: { perHour: 1, percent: 100 } },
  });
  tree.put('data.yaml', volume('data'));
  const apply = (fault = '') =>
    holdfast(['apply', 'tree', '--timeout', '30'], {
      cwd,
      ...(fault !== '' && { env: { HOLDFAST_FAULT: fault } }),
    });
  const declare = (hour: number, spec: Spec = {}) =>
    tree.put('orders.yaml', {
      apiVersion: 'holdfast.dev/v1alpha1',
      kind: 'CSISnapshotSchedule',
      metadata: { namespace: 'shop', name: 'orders' },
      spec: {
        connectionRef: { name: 'main' },
        volumeRef: { name: 'data' },
        schedule: `0 ${hour} 1 1 *`,
        ...spec,
      },
    });
  /** Its last run and its last drill are long ago. */
  const rewind = () => {
    const state = new DatabaseSync(join(cwd, '.holdfast/state.sqlite'));
    for (const field of ['handled', 'drilled.startedAt'])
      state
        .prepare('UPDATE objects SET status = json_replace(status, ?, ?) WHERE key = ?')
        .run(`$.own.${field}`, lastYear, key);
    state.close();
  };
  const rows = async () => (await openStateReadOnly(join(cwd, '.holdfast/state.sqlite')))?.rows ?? new Map();
  const own = async (): Promise<Readonly<Record<string, unknown>>> => {
    const recorded = (await rows()).get(key)?.status.own;
    return isRecord(recorded) ? recorded : {};
  };
  /** What there is, by the word of the service; and what of drills the source still declares. */
  const left = async () => ({
    volumes: (await service.volumes()).map(({ ID }) => ID),
    disks: (await service.disks()).length,
    children: [...(await rows()).keys()].filter((one) => one.includes('-drill-')),
  });
  return { service, tree, apply, declare, rewind, own, left };
}

const clean = { volumes: ['data'], disks: 1, children: [] };

test(
  'a provider that corrupts one snapshot in ten: the command finds it, no other is accused, and no clone stays',
  { timeout: 300_000 },
  async () => {
    const { service, apply, declare, rewind, own, left } = await site();
    declare(0, { drill: { every: '24h', verify } });
    await apply();
    const failed: string[] = [];
    const verified: string[] = [];
    const hours = isWhole ? 20 : 10;
    for (let hour = 0; hour < hours; hour++) {
      declare(hour, { drill: { every: '24h', verify } });
      await apply();
      rewind();
      const { stdout } = await apply();
      const { drilled } = await own();
      if (!isRecord(drilled)) throw new Error(`no drill was made: ${stdout}`);
      const is = String(drilled['snapshot']);
      (drilled['result'] === 'Verified' ? verified : failed).push(is);
      expect(drilled['result'] === 'Verified' || stdout.includes('DrillFailed'), stdout).toBe(true);
      expect(await left(), stdout).toEqual(clean);
    }
    const all = await service.call<readonly { name: string; isCorrupt?: boolean }[]>(
      'GET',
      '/setup/snapshots',
    );
    const named = (corrupt: boolean) =>
      all
        .filter(({ name, isCorrupt = false }) => name !== '' && isCorrupt === corrupt)
        .map(({ name }) => name.replace(/-[0-9a-z]+$/, ''));
    expect(failed.toSorted()).toEqual(named(true).toSorted());
    expect(verified.toSorted()).toEqual(named(false).toSorted());
    report(
      `${failed.length} of ${failed.length + verified.length} snapshots were corrupt and found; 0 clones left`,
    );
    expect(failed).toHaveLength(hours / 10);
  },
);

test('without a command a drill says no more than it knows: what it restored is corrupt, and called Restored', async () => {
  const { service, apply, declare, rewind, own, left } = await site();
  await service.call('PUT', '/setup/plugins/hostpath', { CorruptsOneIn: 1 });
  declare(3);
  await apply();
  rewind();
  await apply();
  declare(3, { drill: { every: '24h' } });
  const { code, stdout } = await apply();
  expect(code, stdout).toBe(0);
  expect(await own()).toMatchObject({ verified: { check: 'Restored' } });
  expect(await left()).toEqual(clean);
});

/** @returns whether a clone was there when it was killed; `undefined`: there is no such effect */
async function killed(at: string, drill: Spec): Promise<boolean | undefined> {
  const { apply, declare, rewind, own, left } = await site();
  declare(3);
  await apply();
  rewind();
  expect((await apply()).code).toBe(0);
  declare(3, { drill });
  if ((await apply(`kill:${at}`)).code !== 'SIGKILL') return undefined;
  const there = (await left()).disks > 1;
  const { stdout } = await apply();
  expect(await left(), `${at}: ${stdout}`).toEqual(clean);
  const recorded = await own();
  expect(recorded, `${at}: ${stdout}`).not.toHaveProperty('drill');
  // A command that was cut off is never asked for again.
  if (drill['verify'] === undefined) expect(JSON.stringify(recorded), at).toContain('"Verified"');
  return there;
}

test.each([
  { which: 'each effect', some: 3, drill: { every: '24h' } },
  { which: 'each effect, with a command,', some: 6, drill: { every: '24h', verify } },
])('killed after $which of a drill: no clone stays', { timeout: 900_000 }, async ({ which, some, drill }) => {
  const found: boolean[] = [];
  for (const n of kills(some, which)) {
    const one = await killed(`after:${n}`, drill);
    if (one === undefined) break;
    found.push(one);
  }
  const there = found.filter(Boolean).length;
  report(`${found.length} kills, ${there} of them while a clone was there; 0 clones left`);
  expect(there).toBeGreaterThan(1);
});

test('a schedule that leaves in the middle of a drill takes the clone with it, and leaves its snapshots', async () => {
  const { service, tree, apply, declare, rewind, left } = await site();
  declare(3);
  await apply();
  rewind();
  await apply();
  declare(3, { drill: { every: '24h' } });
  let n = 1;
  while ((await left()).disks === 1 && n < 60) await apply(`kill:after:${n++}`);
  expect((await left()).disks).toBe(2);
  tree.remove('orders.yaml');
  const { stdout } = await apply();
  expect(await left(), stdout).toEqual(clean);
  expect(await service.snapshots()).toHaveLength(1);
});
