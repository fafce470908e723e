// LDAPStaticRole: conditions of a rotation and of its consumers. They contain no time that changes between rotations.
// PURE.
import type { Stated } from '../../core/status/condition.ts';
import type { Report } from '../../core/kind/kind.ts';
import type { Live, RoleSituation } from './body.ts';
import { isJob, nameOf, outstanding, viaOf } from './consumers.ts';
import { isNoted } from './overdue.ts';
import { remembered } from './own.ts';
import { isEarlier, revisionOf } from './publication.ts';
import { asked, workOf } from './rotation.ts';
import { checkOf } from './verification.ts';

type S = RoleSituation;

/**
 * Why the role is not ready. A published password that is not of the last rotation does not work, whoever made that
 * rotation.
 * @param instant of the last rotation, as far as it is known
 */
export function unreadyOf(
  {
    spec,
    policy,
    published,
    status,
    deleting,
  }: Pick<S, 'spec' | 'policy' | 'published' | 'status' | 'deleting'>,
  instant: string | undefined,
): Report['unready'] {
  if (!spec.output || deleting) return undefined;
  const own = remembered(status);
  const observes = policy.management === 'ObserveOnly';
  if (observes && published?.is !== 'ours') return undefined; // nothing is published
  if (own.rotating?.before === (instant ?? '') && !observes)
    return { reason: 'RotationInProgress', message: 'a rotation was asked for and is not seen yet' };
  const stands =
    instant !== undefined &&
    (published === undefined
      ? own.published === instant
      : published.is === 'ours' && published.whole && published.revision === revisionOf(spec, instant));
  if (stands) return undefined;
  if (instant !== undefined && isEarlier({ spec, ...(published && { published }) }, own, instant))
    return {
      reason: 'EarlierRotation',
      message: 'the service shows an earlier rotation than that of the published password',
    };
  return { reason: 'NotPublished', message: 'what is published is not the password of the last rotation' };
}

export function conditionsOf(s: S): readonly Stated[] {
  if (s.observed.state !== 'present' || !s.held || s.deleting || !s.status.externalRef) return [];
  if (s.policy.management === 'ObserveOnly') return [];
  const { live } = s.observed;
  const consumers = consumersNotified(s, live);
  return consumers ? [rotationVerified(s, live), consumers] : [rotationVerified(s, live)];
}

const stating =
  (type: Stated['type']) =>
  (status: Stated['status'], reason: Stated['reason'], message: string): Stated => ({
    type,
    status,
    reason,
    message,
  });
const verified = stating('RotationVerified');
const notified = stating('ConsumersNotified');

const overdue = ({ role }: Live): Stated =>
  verified(
    'False',
    'RotationOverdue',
    `the service rotates it every ${role.rotation_period} s, and did not when it was due`,
  );

function rotationVerified(s: S, live: Live): Stated {
  const own = remembered(s.status);
  // A role of another username is not ours.
  if (live.role.username !== s.spec.username)
    return verified('Unknown', 'NotOwned', `what is there is a role of ${live.role.username}`);
  if (own.rotating || asked(s) !== undefined)
    return verified('Unknown', 'RotationInProgress', 'a rotation was asked for and is not seen yet');
  if (!live.rotated)
    return isNoted(live, own)
      ? overdue(live)
      : verified('False', 'NeverRotated', 'the service never set this password');
  if (isEarlier(s, own, live.rotated.instant))
    return verified(
      'Unknown',
      'EarlierRotation',
      'the service shows an earlier rotation than that of the published password',
    );
  const work = workOf(s, live, own);
  if (work?.bind) return verified('Unknown', 'BindPending', 'no bind with the new password succeeded yet');
  if (work) return verified('False', 'NotPublished', 'the new password is not published yet');
  if (isNoted(live, own) && !isToCome(live)) return overdue(live);
  const check = checkOf(s.spec, s.resolved, live.role);
  switch (check.is) {
    case 'impossible':
      return verified('Unknown', check.reason, check.message);
    case 'possible':
      return verified('True', 'BindSucceeded', '');
    case 'not asked':
      return verified('True', s.spec.output ? 'Published' : 'NotRequested', '');
  }
}

/** Whether the service says that the next rotation is to come, whatever the date of this machine is. */
const isToCome = ({ credential }: Live): boolean => Number(credential?.ttl) > 0;

function consumersNotified(s: S, { answers }: Live): Stated | undefined {
  const { consumers = [] } = s.spec;
  if (consumers.length === 0) return undefined;
  const { notification } = remembered(s.status);
  const left = notification ? outstanding(s.spec, notification, answers.restarts) : [];
  const unreached = left.flatMap((consumer) => {
    const found = isJob(consumer) ? s.resolved.get(viaOf(consumer)) : undefined;
    const why = answers.problems[consumer.key] ?? (found && 'message' in found ? found.message : undefined);
    return why === undefined ? [] : [`${consumer.field}: ${why}`];
  });
  const workloads = consumers.flatMap(({ workload }, at) =>
    workload && !answers.restarts
      ? [`/consumers/${at}: a workload can be restarted only where declarations come from Kubernetes`]
      : [],
  );
  if (unreached.length > 0)
    return notified('False', 'NotificationFailed', [...unreached, ...workloads].join('; '));
  if (left.length > 0) return notified('False', 'NotificationInProgress', left.map(nameOf).join(', '));
  return workloads.length > 0
    ? notified('False', 'WorkloadsNotSupported', workloads.join('; '))
    : notified('True', 'Notified', '');
}
