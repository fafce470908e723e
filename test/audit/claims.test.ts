// Finding 7: claims were looked at before the slow part. Whoever claimed a volume between that look and the call that
// destroys lost the disk under a running job.
import { expect, test } from 'vitest';
import { volume, type Spec } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, registered } from './disks.ts';
import { Gaps } from './gaps.ts';
import { Operated } from './operated.ts';

/** More than there are calls between a look and the end of what it leads to. */
const gapsMax = 8;

const capabilities = ['CREATE_DELETE_VOLUME', 'EXPAND_VOLUME', 'LIST_VOLUMES'];
const plugins = [
  { plugin: 'a plugin that attaches nothing', more: [] },
  { plugin: 'a plugin that attaches disks', more: ['PUBLISH_UNPUBLISH_VOLUME'] },
];

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

test.each(cases.flatMap((one) => plugins.map((plugin) => ({ ...one, ...plugin }))))(
  'a volume was claimed between two calls of $what, on $plugin, and its disk was destroyed',
  async ({ edit, more }) => {
    const service = await serve();
    await service.call('PUT', '/setup/plugins/hostpath', { Capabilities: [...capabilities, ...more] });
    const gaps = await Gaps.before(service);
    const operated = await Operated.on({ url: gaps.url, dialect: service.dialect });
    const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
    const declare = (spec: Spec) =>
      Array.from({ length: gapsMax }, (_, i) => volume(`gap-${i + 1}`, { ...policies, ...spec }));
    operated.tree.put('other.yaml', volume('other'));
    operated.tree.put('volumes.yaml', ...declare({}));
    await operated.converge();

    await gaps.begin();
    if (edit === 'removed') operated.tree.remove('volumes.yaml');
    else operated.tree.put('volumes.yaml', ...declare(edit));
    await operated.applyApproving();
    await operated.applyApproving(); // what a claim held up is looked at again
    expect(gaps.calls('gap-1')).toBeGreaterThan(0);
    expect(gaps.claimed.map((claimed) => claimed.volume)).toContain('gap-1');
    const there = new Set(await diskIDs(service));
    const volumes = await registered(service);
    const lost = gaps.claimed.filter((claimed) => !there.has(claimed.disk));
    expect(lost).toEqual([]);
    const moved = gaps.claimed.filter((claimed) => volumes[claimed.volume] !== claimed.disk);
    expect(moved).toEqual([]);
  },
);
