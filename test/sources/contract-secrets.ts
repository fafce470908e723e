// The part of the contract that is about Secrets: those that a source reads, and those that it writes for others.
import { describe, expect, test } from 'vitest';
import { again, conflict, opened, output, startedBy, type SourceBench } from './bench.ts';

const read = async ({ source }: SourceBench, namespace = 'shop', entry = 'password') => {
  const found = await source.secret(namespace, 'login', entry);
  return found.is === 'there' ? found.secret : found.is;
};

export function secretsContract(name: string, make: () => Promise<SourceBench>): void {
  const started = () => startedBy(make);

  describe(`${name}: a Secret`, () => {
    test('is pending before anybody looked, never missing: what waits for it would be told to a person', async () => {
      const bench = await make();
      expect(await read(bench)).toBe('pending');
      await bench.start();
      expect(await read(bench)).toBe('missing');
    });

    test('is a box with a version that follows its value, and told when it changes', async () => {
      const bench = await started();
      bench.told();
      const versions = [];
      for (const value of ['canary-a', 'canary-b', 'canary-a']) {
        await bench.setPassword(value);
        expect(bench.told()).toContain('Secret/shop/login secret');
        const secret = await read(bench);
        if (typeof secret === 'string') throw new Error(secret);
        expect(JSON.stringify(secret)).not.toContain(value);
        versions.push(secret.version);
      }
      expect(versions[0]).not.toBe(versions[1]);
      expect(await read(bench, 'blog')).toBe('missing');
      expect(await read(bench, 'shop', 'user')).toBe('missing');
      await bench.setPassword(undefined);
      expect(await read(bench)).toBe('missing');
      expect(bench.told()).toContain('Secret/shop/login secret');
    });
  });

  describe(`${name}: an output`, () => {
    test('is written, read back as its own, replaced and taken away', async () => {
      const bench = await started();
      const handle = opened(bench);
      expect(await handle.published('app-login')).toEqual({ is: 'absent' });
      for (const [revision, password] of [
        ['r1', 'canary-a'],
        ['r2', 'canary-b'],
      ] as const) {
        expect(await handle.perform({ port: 'source', op: 'output.try', name: 'app-login' })).toEqual({
          is: 'done',
        });
        expect(await handle.perform(output(revision, password))).toEqual({ is: 'done' });
        expect(await bench.readOutput('app-login')).toEqual({ password });
        expect(await handle.published('app-login')).toEqual({ is: 'ours', revision, whole: true });
      }
      const next = await again(bench);
      expect(await opened(next).published('app-login')).toMatchObject({ revision: 'r2' });
      const withdrawal = { port: 'source', op: 'output.delete', name: 'app-login' } as const;
      expect(await opened(next).perform(withdrawal)).toEqual({ is: 'done' });
      expect(await next.readOutput('app-login')).toBeUndefined();
    });

    test('is not written by a trial', async () => {
      const bench = await started();
      await opened(bench).perform({ port: 'source', op: 'output.try', name: 'app-login' });
      expect(await bench.readOutput('app-login')).toBeUndefined();
    });

    test('of somebody else stays as it is, and the refusal is an outcome: nothing was done', async () => {
      const bench = await started();
      await bench.putForeign('app-login');
      const before = await bench.readOutput('app-login');
      const handle = opened(bench);
      expect(await handle.published('app-login')).toMatchObject({ is: 'foreign' });
      const refused = { is: 'rejected', error: { reason: 'OutputConflict', mayHaveHadEffect: false } };
      expect(await handle.perform({ port: 'source', op: 'output.try', name: 'app-login' })).toMatchObject(
        refused,
      );
      expect(await handle.perform(output('r1', 'canary'))).toMatchObject(refused);
      expect(await handle.perform({ port: 'source', op: 'output.delete', name: 'app-login' })).toEqual({
        is: 'done',
      });
      expect(await bench.readOutput('app-login')).toEqual(before);
    });

    test('is not written for an object that is gone', async () => {
      const bench = await started();
      const late = opened(bench);
      await late.hold();
      await bench.remove('data');
      await opened(bench).release({ removed: true });
      await expect(late.perform(output('r1', 'canary'))).rejects.toMatchObject(conflict('gone'));
      await expect(late.published('app-login')).rejects.toMatchObject(conflict('gone'));
      expect(await bench.readOutput('app-login')).toBeUndefined();
    });
  });
}
