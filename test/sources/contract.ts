// What every source has to keep, whatever is behind it: the engine relies on all of this. Each source runs it on a bench of
// its own, with its real parts.
import { describe, expect, test } from 'vitest';
import { noStatus, type Status } from '../../src/core/status/status.ts';
import { again, conflict, data, done, opened, output, startedBy, type SourceBench } from './bench.ts';
import { secretsContract } from './contract-secrets.ts';
import { childrenContract } from './contract-children.ts';
import { workloadsContract } from './contract-workloads.ts';

const intent: Status = { ...noStatus, pending: { op: 'create', token: 'nonce' } };

/** @param make a bench whose source is not started yet */
export function sourceContract(name: string, make: () => Promise<SourceBench>): void {
  const started = () => startedBy(make);

  describe(`${name}: what is declared`, () => {
    test('is listed by the time that it has started: deletion asks then who uses what', async () => {
      const bench = await started();
      expect(bench.told()).toEqual([`${data} listed`]);
      expect([...bench.source.keys()]).toEqual([data]);
      expect(bench.source.read(data)).toMatchObject({
        object: { generation: 1, deleting: false, held: false, spec: { size: 1 } },
        status: noStatus,
      });
    });

    test('is told when it is new, edited or to be deleted, each with a generation of its own', async () => {
      const bench = await started();
      await opened(bench).hold();
      bench.told();
      await bench.declare('data', 2);
      expect(bench.source.read(data)?.object).toMatchObject({ generation: 2, spec: { size: 2 } });
      await bench.declare('other', 1);
      expect(bench.told()).toEqual([`${data} edited`, 'Disk/shop/other edited']);
      await bench.remove('data');
      expect(bench.told()).toContain(`${data} edited`);
      expect(bench.source.read(data)?.object).toMatchObject({ generation: 3, deleting: true });
    });

    test('keeps its spec as one value through what is written: each visit would parse it again', async () => {
      const bench = await started();
      const spec = () => bench.source.read(data)?.object.spec;
      const before = spec();
      await opened(bench).hold(intent);
      await opened(bench).writeStatus(done);
      expect(spec()).toBe(before);
      expect(opened(bench).object.spec).toBe(before);
    });

    test('has no handle where there is no such object', async () => {
      expect((await started()).source.open('Disk/shop/none')).toBeUndefined();
    });
  });

  describe(`${name}: what is written`, () => {
    test('is shown by the handle that wrote it, and by the source: a visit that does not see its own write does it twice', async () => {
      const bench = await started();
      const handle = opened(bench);
      await handle.hold(intent);
      expect(handle).toMatchObject({ object: { held: true, generation: 1 }, status: intent });
      expect(bench.source.read(data)).toMatchObject({ object: { held: true }, status: intent });
      await handle.writeStatus(done);
      expect(handle.status).toEqual(done);
      expect(bench.source.read(data)?.status).toEqual(done);
      await handle.unhold();
      expect([handle.object.held, bench.source.read(data)?.object.held]).toEqual([false, false]);
      expect(handle.status).toEqual(done);
    });

    test('survives a restart: the hold and the intent as one, from the moment on that it resolved', async () => {
      const bench = await started();
      await opened(bench).hold(intent);
      const { uid } = opened(bench).object;
      const next = await again(bench);
      expect(opened(next)).toMatchObject({ object: { uid, held: true }, status: intent });
      await opened(next).writeStatus(done);
      await opened(next).unhold();
      expect(opened(await again(next))).toMatchObject({ object: { uid, held: false }, status: done });
    });

    test('says of a field that its value is unknown, also after a restart: or what may have been written would stay', async () => {
      const bench = await started();
      const handle = opened(bench);
      await handle.hold(intent);
      const unknown = { ...done, applied: { '/size': null, '/labels': { a: null } }, own: { at: null } };
      await handle.writeStatus(unknown);
      expect(bench.source.read(data)?.status).toEqual(unknown);
      expect(opened(await again(bench)).status).toEqual(unknown);
    });

    test('is written though the spec was edited meanwhile, and the handle goes on with what it began with', async () => {
      const bench = await started();
      const handle = opened(bench);
      await bench.declare('data', 2);
      await handle.hold(intent);
      expect(handle.object).toMatchObject({ generation: 1, spec: { size: 1 } });
      expect(opened(bench)).toMatchObject({
        object: { generation: 2, held: true, spec: { size: 2 } },
        status: intent,
      });
    });

    test('by two at once is written by the first: what the second knows is not what it was', async () => {
      const bench = await started();
      const [first, second] = [opened(bench), opened(bench)];
      await first.writeStatus(intent);
      await expect(second.writeStatus(done)).rejects.toMatchObject(conflict('stale'));
      await expect(second.hold(done)).rejects.toMatchObject(conflict('stale'));
      expect(bench.source.read(data)).toMatchObject({ object: { held: false }, status: intent });
      expect(second.status).toEqual(noStatus); // what was refused is not shown
      await first.writeStatus(done);
      await opened(bench).writeStatus(intent);
      expect(bench.source.read(data)?.status).toEqual(intent);
    });

    test('is refused once the object is gone, or another has its name: that one’s status would be a lie', async () => {
      const bench = await started();
      const late = opened(bench);
      await late.hold();
      await bench.remove('data');
      await opened(bench).release({ removed: true });
      const all = [
        () => late.hold(),
        () => late.hold(intent),
        () => late.unhold(),
        () => late.writeStatus(done),
        () => late.release({ removed: true }),
        () => late.confirm(),
      ];
      for (const write of all) await expect(write()).rejects.toMatchObject(conflict('gone'));
      await bench.declare('data', 1);
      expect(opened(bench).object.uid).not.toBe(late.object.uid);
      for (const write of all) await expect(write()).rejects.toMatchObject(conflict('replaced'));
      expect(bench.source.read(data)).toMatchObject({ object: { held: false }, status: noStatus });
    });
  });

  describe(`${name}: the last look before something is destroyed`, () => {
    test('passes what is as the visit believes, to be deleted or not', async () => {
      const bench = await started();
      await expect(opened(bench).confirm()).resolves.toBeUndefined();
      await opened(bench).hold();
      await bench.remove('data');
      await expect(opened(bench).confirm()).resolves.toBeUndefined();
    });

    test('refuses what was edited, also where the source was not told of it yet', async () => {
      const bench = await started();
      const handle = opened(bench);
      await bench.declareUnheard('data', 2);
      await expect(handle.confirm()).rejects.toMatchObject(conflict('edited'));
      expect(opened(bench).object.generation).toBe(2); // what it lost to is shown from then on
    });

    test('refuses what is to be deleted by now, and what is not any more', async () => {
      const bench = await started();
      const declared = opened(bench);
      await declared.hold();
      await bench.remove('data');
      await expect(declared.confirm()).rejects.toMatchObject(conflict('edited'));
      if (!bench.revives) return;
      const deleting = opened(bench);
      await bench.declareUnheard('data', 1);
      await expect(deleting.confirm()).rejects.toMatchObject(conflict('edited'));
      expect(opened(bench).object.deleting).toBe(false);
    });
  });

  describe(`${name}: the last look, and what is no edit`, () => {
    test('refuses what a person has asked something of since: suspended or released, it is not destroyed', async () => {
      const bench = await started();
      const handle = opened(bench);
      await bench.ask('data', 'suspend', 'true');
      await expect(handle.confirm()).rejects.toMatchObject(conflict('edited'));
      await expect(opened(bench).confirm()).resolves.toBeUndefined();
    });

    test('refuses what rests on a status that another has written: what is to be kept may be said there', async () => {
      const bench = await started();
      const [first, second] = [opened(bench), opened(bench)];
      await first.writeStatus(intent);
      await expect(first.confirm()).resolves.toBeUndefined();
      await expect(second.confirm()).rejects.toMatchObject(conflict('stale'));
    });
  });

  describe(`${name}: an object that is let go`, () => {
    test('is gone, with all that was known of it, for good', async () => {
      const bench = await started();
      await opened(bench).hold(done);
      await bench.remove('data');
      await opened(bench).release({ removed: true });
      expect([bench.source.read(data), [...bench.source.keys()]]).toEqual([undefined, []]);
      expect([...(await again(bench)).source.keys()]).toEqual([]);
    });

    test('stays until then though nothing outside is ours, if others may use it: they would be left without it', async () => {
      const bench = await started();
      await opened(bench).protect();
      await opened(bench).protect();
      expect(opened(bench).object.held).toBe(false);
      await bench.remove('data');
      expect(opened(bench).object).toMatchObject({ held: false, deleting: true });
      await opened(bench).release({ removed: false });
      expect([bench.source.read(data), [...bench.source.keys()]]).toEqual([undefined, []]);
      expect([...(await again(bench)).source.keys()]).toEqual([]);
    });

    test('stays where it is declared again by then, and nothing of it was removed', async ({ skip }) => {
      const bench = await started();
      skip(!bench.revives, 'an object that is to be deleted never comes back');
      await opened(bench).hold(done);
      await bench.remove('data');
      const handle = opened(bench);
      await bench.declare('data', 1);
      await expect(handle.release({ removed: false })).rejects.toMatchObject(conflict('declared-again'));
      expect(opened(bench)).toMatchObject({ object: { held: true, deleting: false }, status: done });
    });

    test('is another object where it is declared again by then, and was removed: it is made anew, and told', async ({
      skip,
    }) => {
      const bench = await started();
      skip(!bench.revives, 'an object that is to be deleted never comes back');
      await opened(bench).hold(done);
      await bench.remove('data');
      const handle = opened(bench);
      await bench.declare('data', 1);
      bench.told();
      await handle.release({ removed: true });
      await expect.poll(() => bench.source.read(data)?.status).toEqual(noStatus);
      const { object } = opened(bench);
      expect(object).toMatchObject({ generation: 1, held: false, deleting: false });
      expect(object.uid).not.toBe(handle.object.uid);
      expect(bench.told()).toContain(`${data} edited`);
    });
  });

  secretsContract(name, make);
  workloadsContract(name, make);
  childrenContract(name, make);

  test(`${name}: nothing is written once this process may not act any more: another may act by then`, async () => {
    const bench = await started();
    const handle = opened(bench);
    expect(() => bench.source.fence()).not.toThrow();
    await bench.loseLock();
    const refused = { name: 'ApiError', class: 'unavailable' };
    expect(() => bench.source.fence()).toThrow(expect.objectContaining(refused));
    await expect(handle.hold()).rejects.toMatchObject(refused);
    await expect(handle.writeStatus(done)).rejects.toMatchObject(refused);
    expect(await handle.perform(output('r1', 'canary'))).toMatchObject({ is: 'rejected', error: refused });
    expect(bench.source.read(data)).toMatchObject({ object: { held: false }, status: noStatus });
    expect(await bench.readOutput('app-login')).toBeUndefined();
  });
}
