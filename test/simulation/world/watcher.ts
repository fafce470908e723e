// Looks now and then whether what a role publishes is the password that is in force.
import type { End } from '../oracle/record.ts';
import { later, nowMs, trueClock } from '../machine/time.ts';
import { accountOf, roleKeyOf } from './manifests.ts';
import type { Services } from './services.ts';
import type { Site } from './site.ts';

const everyMs = 120_000;
/** So long a rotation may take to be published. */
const noticedMs = 6 * 60_000;

/** @param told is added to */
export function watchRoles(site: Site, services: Services, told: End['stale'][number][]): void {
  const since = new Map<string, number>();
  const look = (): void => {
    for (const [slot, { username }] of site.repository.roles) {
      const key = roleKeyOf(slot);
      const wrong = isReady(site, key) && !isInForce(slot, username);
      const from = wrong ? (since.get(key) ?? nowMs()) : undefined;
      if (from === undefined) since.delete(key);
      else since.set(key, from);
      if (from !== undefined && nowMs() - from > noticedMs && !told.some((one) => one.key === key))
        told.push({ at: nowMs(), operator: site.name, key });
    }
    later(everyMs, look);
  };
  const isInForce = (slot: string, username: string): boolean => {
    const role = services.secrets.state.roles.rows().find(([, row]) => row.name === slot)?.[1];
    if (!role || role.username !== username) return true; // there is nothing to be published
    if (trueClock.nowMs() - (role.lastRotationMs ?? 0) < noticedMs) return true;
    const password = site.published(slot);
    return password !== undefined && services.secrets.directory.bind(accountOf(username), password);
  };
  later(everyMs, look);
}

const isReady = (site: Site, key: string): boolean =>
  site
    .told()
    .some(
      (one) =>
        one.key === key && one.conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    );
