// One run of a schedule failed, long ago, and later ones succeeded. The object of the failed one stays, is never tried again,
// and has no manifest that could be removed. Its volume can neither leave nor be replaced.
import { expect, test } from 'vitest';
import { volume } from '../support/manifests.ts';
import { serve } from '../support/service.ts';
import { diskIDs, diskOf } from './disks.ts';
import { Operated } from './operated.ts';
import { declareYearly, rewind } from './yearly-schedule.ts';

const patience = { timeout: 240_000 };
const policies = { deletionPolicy: 'Delete', replacePolicy: 'WhenUnused' };
const hooks = {
  selector: { job: 'nobody' },
  before: { exec: { task: 'db', command: ['freeze'] } },
  after: { exec: { task: 'db', command: ['thaw'] } },
};

async function failedOnce() {
  const service = await serve('nomad');
  await service.call('PUT', '/setup/plugins/hostpath', { SnapshotReadyMs: 0 });
  const operated = await Operated.on(service, { access: [{ namespaces: ['shop'], actions: ['Exec'] }] });
  operated.tree.put('other.yaml', volume('other'));
  operated.tree.put('data.yaml', volume('data', policies));
  await operated.converge();
  declareYearly(operated, 0, { template: { spec: { hooks } } });
  await operated.apply();
  rewind(operated);
  await operated.apply();
  for (const hour of [1, 2, 3]) {
    declareYearly(operated, hour);
    await operated.apply();
    rewind(operated);
    await operated.apply();
  }
  const objects = await operated.objects();
  const children = [...objects].filter(([name]) => name.startsWith('CSISnapshot/'));
  return { service, operated, children, disk: await diskOf(service, 'data') };
}

test('the volume could not be replaced', patience, async () => {
  const { service, operated, children, disk } = await failedOnce();
  expect(children.some(([, ready]) => ready?.status === 'True')).toBe(true);
  const quick = { create: { capacity: { min: '1Gi' }, parameters: { tier: 'quick' } } };
  operated.tree.put('data.yaml', volume('data', { ...policies, ...quick }));
  const { stdout } = await operated.applyApproving();
  await operated.applyApproving();
  expect(await diskIDs(service), `${JSON.stringify(children, null, 1)}\n${stdout}`).not.toContain(disk);
});

test('the volume could not leave, with its schedule', patience, async () => {
  const { service, operated, children, disk } = await failedOnce();
  operated.tree.remove('nightly.yaml');
  await operated.applyApproving();
  operated.tree.remove('data.yaml');
  await operated.applyApproving();
  const { stdout } = await operated.applyApproving();
  expect(await diskIDs(service), `${JSON.stringify(children, null, 1)}\n${stdout}`).not.toContain(disk);
});
