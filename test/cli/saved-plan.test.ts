// A plan that was saved is what a person looked at. `apply` does that and nothing else, and nothing at all once the world is
// another.
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apply as applied } from '../../src/cli/commands/apply.ts';
import { plan as planned, type PlanOptions } from '../../src/cli/commands/plan.ts';
import { messageOf } from '../../src/core/errors.ts';
import { folder } from '../support/cli.ts';
import { inside } from '../support/inside.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';

const canary = 'canary-of-a-saved-plan';

async function place() {
  const service = await serve();
  const cwd = await folder();
  const at = (name: string) => join(cwd, name);
  const tree = new Tree(at('tree')).connect(service, {
    limits: { deletions: { perHour: 1, percent: 100 } },
  });
  const common = { stateDir: at('.holdfast'), output: 'text' } as const;
  const plan = (more: Partial<PlanOptions> = {}) =>
    inside((...to) => planned(at('tree'), { ...common, ...more }, ...to));
  const apply = (file: string, stateDir = common.stateDir) =>
    inside((...to) => applied(at(file), { ...common, stateDir, timeout: 60 }, ...to));
  /** Why it is refused. */
  const refusal = (file: string, stateDir?: string) =>
    apply(file, stateDir).then(() => 'it was applied', messageOf);
  const volumes = async () => (await service.volumes()).map(({ ID }) => ID).toSorted();
  return { service, at, tree, plan, apply, refusal, volumes };
}

test('whoever saved and applies a plan has approved what it destroys, and nothing else', async () => {
  const { at, tree, plan, apply, refusal, volumes } = await place();
  tree.put('secret.yaml', secret('shop', 'plugin', { key: canary }));
  for (const name of ['a', 'b', 'c', 'kept']) {
    const secrets = { key: { name: 'plugin', key: 'key' } };
    tree.put(`${name}.yaml`, volume(name, { deletionPolicy: 'Delete', secrets }));
  }
  const first = await plan({ out: at('first.json') });
  expect(first.stderr).toBe(`Saved. To do exactly this: holdfast apply ${at('first.json')}\n`);
  expect((await apply('first.json')).code).toBe(0);
  expect(await volumes()).toEqual(['a', 'b', 'c', 'kept']);

  for (const name of ['a', 'b', 'c']) tree.remove(`${name}.yaml`);
  expect((await plan()).stdout).toContain('x DeletionLimitExceeded: ');
  const { stdout, stderr } = await plan({ out: at('plan.json') });
  expect(stdout).toContain('Plan: 0 to create, 0 to update, 0 to replace, 3 to destroy; 2 in sync');
  expect(stderr).toMatch(/^Saved\. To do exactly this, which approves that 3 objects go \(\w+\): /);
  expect(statSync(at('plan.json')).mode & 0o777).toBe(0o600);
  expect(readFileSync(at('plan.json'), 'utf8')).not.toContain(canary);
  expect([(await apply('plan.json')).code, await volumes()]).toEqual([0, ['kept']]);
  expect(await refusal('plan.json')).toContain('  CSIVolume/shop/a: it is gone\n');
});

test('a plan is not saved where it would be read as a manifest', async () => {
  const { at, tree, plan } = await place();
  tree.put('a.yaml', volume('a'));
  mkdirSync(at('tree/sub'));
  const saving = (name: string) => plan({ out: at(name) }).then(({ code }) => code, messageOf);
  for (const name of ['tree/plan.json', 'tree/sub/plan.json']) {
    expect(await saving(name)).toBe(
      `${at(name)}: expected a file outside of the manifests: .json is read there`,
    );
    expect(existsSync(at(name))).toBe(false);
  }
  const ofOne = inside((...to) =>
    planned(
      at('tree/a.yaml'),
      { stateDir: at('.holdfast'), output: 'text', out: at('tree/plan.json') },
      ...to,
    ),
  );
  expect(await ofOne.then(({ code }) => code, messageOf)).toContain('outside of the manifests');
  for (const name of ['tree/.plan.json', 'tree/holdfast.plan', 'plan.json'])
    expect(await saving(name)).toBe(0);
  mkdirSync(at('plans'));
  expect(await saving('plans')).toBe(`${at('plans')}: expected a file, got a directory`);
});

test('a plan is not applied to another world, and the refusal names what differs', async () => {
  const { service, at, tree, plan, apply, refusal, volumes } = await place();
  const declare = (fsType: string) => tree.put('a.yaml', volume('a', { mountOptions: { fsType } }));
  declare('ext4');
  tree.put('b.yaml', volume('b'));
  expect((await apply('tree')).code).toBe(0);
  declare('xfs');
  expect((await plan({ out: at('plan.json') })).code).toBe(0);

  declare('btrfs');
  expect(await refusal('plan.json')).toBe(
    `${at('plan.json')}: nothing was done, for this is not the world any more that the plan was made of:
  CSIVolume/shop/a: its declaration is another
Plan again, and look at that plan.`,
  );
  declare('xfs');
  const saved = readFileSync(at('plan.json'), 'utf8');
  const changed = async (from: string, to: string) => {
    writeFileSync(at('changed.json'), saved.replace(from, to), { mode: 0o600 });
    return (await refusal('changed.json')).replace(at('changed.json'), '');
  };
  expect(await changed('"update"', '"destroy"')).toBe(': this plan is not as it was saved: plan again');
  expect(await changed('"version": 1', '"version": 2')).toContain('has the version 2, expected 1');
  expect(await changed('"kind"', '"sort"')).toBe(': expected a plan that was saved with plan --out');
  expect(await changed('"installation": "test"', '"installation": "other"')).toBe(
    ': this is a plan of the installation "other", and this one is "test"',
  );
  expect(await refusal('plan.json', at('other'))).toContain('was made with another state: plan again');
  await service.call('DELETE', '/v1/volume/csi/b?namespace=default');
  expect(await refusal('plan.json')).toContain(
    '  CSIVolume/shop/b: what is there is another: planned was "none", now it is "create"\n',
  );
  expect(await volumes()).toEqual(['a']);
  expect((await service.volume('a')).MountOptions.FSType).toBe('ext4');
});

test('no plan is saved of what can not be planned, of a cluster, or as a manifest', async () => {
  const { at, tree, plan } = await place();
  tree.put('a.yaml', volume('a'), 'kind: [');
  const broken = await plan({ out: at('plan.json') });
  expect([broken.code, broken.stderr]).toEqual([1, expect.stringContaining('plan.json: not saved: ')]);
  expect(existsSync(at('plan.json'))).toBe(false);
  await expect(plan({ out: 'plan.yaml' })).rejects.toThrow('without .yaml or .yml');
  const cluster = { stateDir: at('.holdfast'), cluster: { env: {} } };
  const options = { stateDir: at('.holdfast'), output: 'text', out: at('plan.json') } as const;
  const ofCluster = inside((...to) => planned(cluster, options, ...to));
  await expect(ofCluster).rejects.toThrow('--out: the plan of a cluster is not saved');
});

test('the plan of one namespace ends well once that is done: others had it end with 3, and "plan again" did not help', async () => {
  const { at, tree, plan, apply, volumes } = await place();
  tree.put('a.yaml', volume('a'));
  tree.put('b.yaml', { ...volume('b'), metadata: { namespace: 'blog', name: 'b' } });
  expect((await plan({ out: at('plan.json'), namespace: 'shop' })).stdout).not.toContain('blog');
  const { code, stdout } = await apply('plan.json');
  expect([code, stdout.includes('blog'), await volumes()], stdout).toEqual([0, false, ['a']]);
  expect(stdout).toContain('\n2 of 2 ready\n');
});
