// The oracle: judges a history by what the services did and what was declared. It knows nothing of how the program works.
import { judgeDestroyed } from './destroyed.ts';
import { Disks } from './disks.ts';
import { judgeEnd } from './ended.ts';
import { judgeLimits } from './limits.ts';
import type { Account, Violation } from './record.ts';
import { judgeMountRemovals } from './mount-removals.ts';
import { judgeMountWrites } from './mount-writes.ts';
import { judgeMountsEnd } from './mounts-ended.ts';
import { judgeRoles } from './roles.ts';
import { judgeFound, judgeShared } from './sharing.ts';
import { judgeStorage } from './storage.ts';
import { Timeline } from './timeline.ts';

export const invariants = {
  I1: 'a disk is destroyed only for an object of the operator that had it made, and that left or was edited so',
  I2: 'never while a running allocation claims it',
  I3: 'never one that another present declaration names, or that is registered elsewhere too',
  I4: 'no more go within an hour without approval than the stricter limits allow',
  I5: 'a replacement destroys the old disk only after the new one stands, and an old one is never the new one',
  I6: 'nothing that was to be kept is destroyed, whatever became of the state',
  I7: 'no two objects end up on one disk',
  I8: 'no disk is left over',
  I9: 'each request for another password is answered once at the most',
  I10: 'the world agrees with what is declared, or a condition says why not; one more pass writes nothing',
  I11: 'all comes to rest',
  I12: 'nothing is a bug',
  I13: 'a role is ready only while what is published is in force',
  I14: 'the retention of a schedule never leaves none that is ready',
  I15: 'no snapshot is deleted that somebody else took, or that was to be kept',
  I16: 'an action meets an allocation once for each time that it is declared',
  I17: 'who was frozen is thawed at the deadline, as soon as the operator can',
  I18: 'a configuration, login role or provider is written only for who declares it, and never over somebody else’s',
  I19: 'it is deleted only when it left, was to go, and is its own',
  I20: 'it is written again, with what nobody can read back, only where something had changed',
  I21: 'a provider never gets another collection',
  I22: 'at rest it is as declared, or a condition says why not, and none is left over',
  I23: 'of several processes, none sends anything but the one that holds the Lease then',
} as const;

export function judge(account: Account): readonly Violation[] {
  const time = new Timeline(account);
  const disks = new Disks();
  const found: Violation[] = [];
  for (const entry of account.entries) {
    if (entry.is === 'destroyed') found.push(...judgeDestroyed(entry, disks, time));
    if (entry.is === 'found') found.push(...judgeFound(entry, disks, time));
    disks.take(entry);
  }
  for (const operator of time.operators) found.push(...judgeLimits(operator, time, account.entries));
  found.push(...judgeMountWrites(time), ...judgeMountRemovals(time), ...judgeMountsEnd(time));
  found.push(...judgeRoles(time), ...judgeStorage(time), ...judgeShared(time), ...judgeEnd(disks, time));
  for (const { at, message } of account.unfenced) found.push({ invariant: 'I23', at, message });
  return found;
}
