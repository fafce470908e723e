// Finding 7: claims were looked at before the slow part. Whoever claimed a volume between that look and the call that
// destroys lost the disk under a running job.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, registered } from './disks.ts';
import { gap, Gaps } from './gaps.ts';
import { Operated } from './operated.ts';

/** More than there are calls about a volume between the first look and the end of what it leads to: seen to below. */
const gapsMax = 40;
const gaps = Array.from({ length: gapsMax }, (_, i) => gap(i + 1));

const capabilities = ['CREATE_DELETE_VOLUME', 'EXPAND_VOLUME', 'LIST_VOLUMES'];
const plugins = [
  { plugin: 'a plugin that attaches nothing', more: [] },
  { plugin: 'a plugin that attaches disks', more: ['PUBLISH_UNPUBLISH_VOLUME'] },
];
const dialects = [{ dialect: 'cluster' }, { dialect: 'nomad' }] as const;

interface Case {
  readonly what: string;
  /** What becomes of all volumes. */
  readonly edit: Spec | 'removed';
}

const cases: readonly Case[] = [
  { what: 'a deletion', edit: 'removed' },
  {
    what: 'a replacement',
    edit: { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } },
  },
];
const all = cases.flatMap((one) =>
  plugins.flatMap((plugin) => dialects.map((dialect) => ({ ...one, ...plugin, ...dialect }))),
);

test.each(all)(
  'a volume was claimed between two calls of $what, on $plugin ($dialect), and its disk was destroyed',
  async ({ what, edit, plugin, more, dialect }) => {
    const service = await serve(dialect);
    await service.call('PUT', '/setup/plugins/hostpath', { Capabilities: [...capabilities, ...more] });
    const between = await Gaps.before(service);
    const operated = await Operated.on({ url: between.url, dialect });
    const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
    const declare = (spec: Spec) => gaps.map((name) => volume(name, { ...policies, ...spec }));
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('volumes.yaml', ...declare({}));
    await operated.converge();
    const before = await diskIDs(service);

    await between.begin();
    if (edit === 'removed') operated.tree.remove('volumes.yaml');
    else operated.tree.put('volumes.yaml', ...declare(edit));
    await operated.applyApproving();
    await operated.applyApproving(); // what a claim held up is looked at again

    const { claimed, refused } = between;
    const reached = [...claimed.map((one) => one.volume), ...refused];
    const last = reached.length;
    expect(reached.toSorted(), 'each gap is met, up to the last').toEqual(gaps.slice(0, last));
    expect(last).toBeLessThan(gapsMax);
    expect(claimed.map((one) => one.volume)).toContain(gap(1));

    const there = new Set(await diskIDs(service));
    const volumes = await registered(service);
    const lost = claimed.filter(({ disk }) => !there.has(disk));
    const moved = claimed.filter((one) => volumes[one.volume] !== one.disk);
    const gone = before.filter((disk) => !there.has(disk)).length;
    process.stdout.write(
      `\n${what}, ${plugin}, ${dialect}: claimed before ${claimed.length} of ${last} calls ` +
        `(${refused.length} found it let go of), ${gone} disks destroyed, data lost under a claim: ${lost.length}\n`,
    );
    expect(lost).toEqual([]);
    expect(moved).toEqual([]);
    expect(gone, 'what nobody claimed goes').toBeGreaterThan(0);
  },
);
