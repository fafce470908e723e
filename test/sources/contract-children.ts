// What a source has to keep of children: objects that another object has it declare. That a crash takes no second snapshot, and
// that none is deleted which somebody asked to keep, rests on this alone.
import { describe, expect, test } from 'vitest';
import { expired, generatedBy, retentionHold, type Child } from '../../src/core/effect.ts';
import { again, data, opened, startedBy, type SourceBench } from './bench.ts';

const one = 'Disk/shop/data-1';
const child = (more: Partial<Child> = {}, at = 'T1'): Child => ({
  key: { kind: 'Disk', namespace: 'shop', name: 'data-1' },
  labels: { team: 'shop' },
  annotations: {
    [`holdfast.dev/${generatedBy}`]: data,
    'holdfast.dev/scheduled-at': at,
    note: 'of the template',
  },
  spec: { size: 3 },
  ...more,
});
const create = (of = child()) => ({ port: 'source', op: 'child.create', child: of }) as const;
const remove = (uid: string, decision = 'd1') => {
  const { key } = child();
  return { port: 'source', op: 'child.delete', children: [{ key, uid, expired: decision }] } as const;
};
/** It is let go as it is declared. */
const discard = (uid: string) => {
  const { key } = child();
  return { port: 'source', op: 'child.delete', children: [{ key, uid }] } as const;
};
const done = { is: 'done' };
const seen = ({ source }: SourceBench) => source.read(one)?.object;

/** A child that is declared, and held as by its own visit. */
async function made(bench: SourceBench): Promise<string> {
  expect(await opened(bench).perform(create())).toEqual(done);
  await opened(bench, one).hold();
  return opened(bench, one).object.uid;
}

/** @param make a bench whose source is not started yet */
export function childrenContract(name: string, make: () => Promise<SourceBench>): void {
  describe(`${name}: a child`, () => {
    test('is declared once, as an object like any other: told, shown, and there after a restart', async () => {
      const bench = await startedBy(make);
      bench.told();
      expect(await opened(bench).perform(create())).toEqual(done);
      expect(bench.told()).toContain(`${one} edited`);
      const { uid } = opened(bench, one).object;
      expect(seen(bench)).toMatchObject({
        deleting: false,
        held: false,
        requests: { [generatedBy]: data, 'scheduled-at': 'T1' },
        spec: { size: 3 },
      });
      expect(await opened(bench).perform(create())).toEqual(done); // the answer was lost
      const next = await again(bench);
      expect(seen(next)).toMatchObject({ uid, deleting: false });
      await next.declare('other', 1); // a scan of all that is declared does not miss it
      expect(seen(next)).toMatchObject({ uid, deleting: false });
    });

    test('of a name that somebody else has is refused, and that object stays as it is', async () => {
      const bench = await startedBy(make);
      await bench.declare('data-1', 7);
      const outcome = await opened(bench).perform(create());
      expect(outcome).toMatchObject({ is: 'rejected', error: { reason: 'ChildConflict', class: 'waiting' } });
      expect(seen(bench)).toMatchObject({ spec: { size: 7 }, requests: {} });
    });

    test('of another decision under the same name is refused, too', async () => {
      const bench = await startedBy(make);
      await made(bench);
      const outcome = await opened(bench).perform(create(child({}, 'T2')));
      expect(outcome).toMatchObject({ is: 'rejected', error: { reason: 'ChildConflict' } });
    });

    test('that is let go is deleted with its data, and says by which decision; asked again, nothing more happens', async () => {
      const bench = await startedBy(make);
      const uid = await made(bench);
      const before = opened(bench, one).object.generation;
      expect(await opened(bench).perform(remove(uid))).toEqual(done);
      const gone = {
        uid,
        deleting: true,
        spec: { size: 3, deletionPolicy: 'Delete' },
        requests: { [expired]: 'd1' },
      };
      expect(seen(bench)).toMatchObject(gone);
      const { generation = 0 } = seen(bench) ?? {};
      expect(generation).toBeGreaterThan(before);
      expect(await opened(bench).perform(remove(uid, 'd2'))).toEqual(done);
      expect(seen(bench)).toMatchObject({ ...gone, generation });
      expect(seen(await again(bench))).toMatchObject(gone);
    });

    test('that is let go without a decision goes as its own policy says: a drill must not take what somebody chose to retain', async () => {
      const bench = await startedBy(make);
      const uid = await made(bench);
      expect(await opened(bench).perform(discard(uid))).toEqual(done);
      expect(seen(bench)).toMatchObject({ uid, deleting: true, spec: { size: 3 } });
      expect(seen(bench)?.spec).not.toHaveProperty('deletionPolicy');
      expect(seen(bench)?.requests).not.toHaveProperty(expired);
    });

    test('that is let go so is still not taken from who asked to keep it', async () => {
      const bench = await startedBy(make);
      const uid = await made(bench);
      const parent = opened(bench);
      await bench.ask('data-1', retentionHold, 'audit');
      expect(await parent.perform(discard(uid))).toEqual(done);
      expect(seen(bench)).toMatchObject({ deleting: false });
    });

    test('that somebody asked to keep stays as it is, though its object did not know yet', async () => {
      const bench = await startedBy(make);
      const uid = await made(bench);
      const parent = opened(bench);
      await bench.ask('data-1', retentionHold, 'audit');
      expect(await parent.perform(remove(uid))).toEqual(done);
      expect(seen(bench)).toMatchObject({ deleting: false, spec: { size: 3 } });
      expect(seen(bench)?.requests).not.toHaveProperty(expired);
    });

    test('that is another by now stays as it is: the one that was meant is gone', async () => {
      const bench = await startedBy(make);
      await made(bench);
      expect(await opened(bench).perform(remove('00000000-0000-4000-8000-000000000000'))).toEqual(done);
      expect(seen(bench)).toMatchObject({ deleting: false, spec: { size: 3 } });
    });

    test('is neither declared nor let go by a process that may not act', async () => {
      const bench = await startedBy(make);
      const uid = await made(bench);
      const parent = opened(bench);
      await bench.loseLock();
      expect(await parent.perform(remove(uid))).toMatchObject({ is: 'rejected' });
      const other = child({ key: { kind: 'Disk', namespace: 'shop', name: 'data-2' } });
      expect(await parent.perform(create(other))).toMatchObject({ is: 'rejected' });
      expect(bench.source.read('Disk/shop/data-2')).toBeUndefined();
      expect(seen(bench)).toMatchObject({ deleting: false });
    });
  });
}
