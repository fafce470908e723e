// LDAPStaticRole: rotates the password, tests it and publishes it. PURE.
//
// Guarantees: a request is followed by at least one rotation, and none is requested while another may be under way. A
// password that failed in a bind is not published, and an earlier one than the published one only if it worked in a bind, or
// if somebody asked for a rotation. After a crash, each step can be found again.
import type { Effect } from '../../api/routes.ts';
import { blocked, type Blocked, type InSync, type Plan, type Step } from '../../core/planning/plan.ts';
import { conditionOf, isBecause } from '../../core/status/condition.ts';
import { triesMax } from '../../core/planning/policy.ts';
import type { Reason } from '../../core/status/reasons.ts';
import { configOf, periodSeconds, target, type Live, type RoleSituation } from './body.ts';
import { consumersOf } from './consumers.ts';
import { remembered, type Own } from './own.ts';
import { afterRejection, rejections, untilBindMs } from './rejection.ts';
import { isEarlier, outdating, outputOf, proof, publishedOf, revisionOf } from './publication.ts';
import { isNoted, overdueNote } from './overdue.ts';
import { atRest, firstMs, retried } from './schedule.ts';
import { earlier, elsewhere, taken } from './hindrances.ts';
import { notify } from './notification.ts';
import { bindOf, checkOf, type Check } from './verification.ts';

type S = RoleSituation;

/** How long the service waits for the directory by default (services.md#rotation), and a margin. */
const requestTimeoutSeconds = 90;
const marginMs = 10_000;
const lookMs = 5_000;
const againMs = 2_000;
/** How long the service may show an earlier rotation than the published one, as a server that lags behind does. */
const sight = { untilMs: 30_000, againMs: 1_000 };

export function act(s: S, live: Live, _: unknown, rest: InSync): Plan<Effect> {
  const own = remembered(s.status);
  // Always, so that `since` keeps the time of the rotation.
  const resting = atRest(s, live, rest);
  const unseen = unseenOf(s, live, own);
  const plan =
    takeNote(s, own) ??
    rotate(s, live, own, unseen) ??
    publication(s, live, own, unseen) ??
    notify(s, live, own) ??
    noteOverdue(s, live, own) ??
    (asked(s) === undefined ? undefined : elsewhere(s, resting.dueMs)) ??
    resting;
  return retried(s, resting, plan);
}

const change = (step: Omit<Step<Effect>, 'verb' | 'changes'>): Plan<Effect> => ({
  verdict: 'change',
  steps: [{ verb: 'act', changes: [], ...step }],
});

/**
 * An unfinished intent is recorded first, because the next intent would replace it; so is a bind that was rejected. A role
 * whose create was not recorded is recorded as ours: until then its password is not read.
 */
function takeNote(s: S, own: Own): Plan<Effect> | undefined {
  const { role } = target(s);
  const { pending } = s.status;
  if (pending?.op === 'bind') {
    const token = asked(s, 'reconcile');
    return change({
      summary: `note that the directory rejects the password of ${role}`,
      own: { ...own, rejected: afterRejection(own, pending.token, s.wallMs) },
      ...(token !== undefined && { handledRequests: { reconcile: token } }), // or it would be tried again at once
    });
  }
  if (pending && pending.op !== 'create') return change({ summary: `note what was begun for ${role}`, own });
  return s.status.externalRef ? undefined : change({ summary: `note that ${role} is ours`, own });
}

function noteOverdue(s: S, live: Live, own: Own): Plan<Effect> | undefined {
  const note = overdueNote(s, live, own);
  return note && change(note);
}

/** The token of a request that is not handled yet. */
export function asked(
  { requests, status }: Pick<S, 'requests' | 'status'>,
  name: 'rotate' | 'reconcile' = 'rotate',
): string | undefined {
  const { [name]: token } = requests;
  return token === status.handledRequests[name] ? undefined : token;
}

/**
 * A rotation has happened once it is observed, whatever its response. Until then it may be under way. What the directory
 * rejected before it was asked for has no say in when its password is tried.
 */
function rotate(s: S, live: Live, own: Own, unseen: Blocked | undefined): Plan<Effect> | undefined {
  const { rotating, rejected: _rejected, ...settled } = own;
  const token = asked(s);
  if (!rotating && token === undefined) return undefined;
  if (rotating) {
    const untilMs = s.since(`rotating for ${rotating.token}`) + timeoutMs(s);
    const after = afterRotation(s, live, settled, rotating.before, s.nowMs >= untilMs);
    if (after) {
      const summary = `confirm that ${target(s).role} was rotated`;
      return change({ summary, own: after, handledRequests: { rotate: rotating.token } });
    }
    if (s.nowMs < untilMs) {
      const { reason, message } = hindranceOf(s);
      const until = { on: 'time', atMs: Math.min(untilMs, s.nowMs + lookMs) } as const;
      // Until it is made, the published password works, unless another one is to be published first.
      const isLast = rotating.answered !== true && !workOf(s, live, own);
      const told = isLast ? notify(s, live, own) : undefined;
      return told ?? blocked(reason, message, until);
    }
  }
  if (unseen) return unseen;
  if (token === undefined)
    return change({ summary: 'give up a rotation that nobody asks for any more', own: settled });
  // If the new password could not be published, nobody would know it.
  const hindrance = taken(s);
  if (hindrance) return hindrance;
  // What the service rotates by itself is published all the same, so what is left comes before the reason why not.
  if (elsewhere(s)) return undefined;
  return leftBefore(s, live, own) ?? change(rotation(s, live, settled, token));
}

/** Name under which rotations are counted in `tries`, whatever their tokens: the status holds only so many names. */
const attempt = 'rotate';

/**
 * What is left of the last rotation comes before one that fails: it is published in turns with the next try, and after some
 * tries, or where the rotation would lock others out, those who are not told of it are told first.
 */
function leftBefore(s: S, live: Live, own: Own): Plan<Effect> | undefined {
  const why = (['Reconciling', 'Stalled'] as const).map((type) => conditionOf(s.status.conditions, type));
  const isShared = why.some((one) => isBecause(one, 'AccountShared'));
  if (!workOf(s, live, own))
    return isShared || (s.status.tries[attempt] ?? 0) >= triesMax ? notify(s, live, own) : undefined;
  const hasFailed = isShared || why.some((one) => one?.message.startsWith('ldap.role.rotate: '));
  const left = hasFailed ? publication(s, live, own, undefined) : undefined;
  return left?.verdict === 'change' ? left : undefined;
}

/**
 * The own status once a rotation was seen after the one `before`. The one that is recorded as published, shown again, is no
 * other. If only the output shows it, the process died after it was published: it is the one that was asked for. One that is
 * later than that before and earlier than the published one was made by a clock that is behind, and is accepted, if it shows
 * as long as no server that catches up would show it. One that is earlier than both shows nothing but a server that lags behind,
 * so it counts only once the rotation can not be under way any more, and is not accepted.
 */
function afterRotation(s: S, { rotated }: Live, own: Own, before: string, isOver: boolean): Own | undefined {
  if (!rotated || rotated.instant === before) return undefined;
  const { instant } = rotated;
  if (instant === own.published) return undefined;
  if (!isEarlier(s, own, instant)) return own;
  if (instant > before) return lasts(s, instant) ? { ...own, accepted: instant } : undefined;
  return isOver ? own : undefined;
}

/** Whether an earlier rotation than the published one shows for so long that no lag explains it. */
const lasts = (s: S, instant: string): boolean =>
  s.nowMs - s.since(`earlier rotation ${instant}`) >= sight.untilMs;

/** A look that shows an earlier rotation than the published one is repeated for a while, before anything is made of it. */
function unseenOf(s: S, { rotated }: Live, own: Own): Blocked | undefined {
  if (!rotated || !isEarlier(s, own, rotated.instant)) return undefined;
  if (lasts(s, rotated.instant)) return undefined;
  const message = 'the service shows an earlier rotation than the published one; it is read again';
  return blocked('AwaitingVisibility', message, { on: 'time', atMs: s.nowMs + sight.againMs });
}

/** What the service says of a rotation that it could not finish: it tries again, and so does Holdfast. */
const refusals: readonly Reason[] = [
  'EntryNotFound',
  'DirectoryError',
  'PasswordNotGenerated',
  'ConfigNotFound',
];

/** Why the rotation is not seen. What the service said of it stays until it says something else. */
function hindranceOf({ status }: S): { readonly reason: Reason; readonly message: string } {
  const before = conditionOf(status.conditions, 'Reconciling');
  if (before?.message.startsWith('ldap.role.rotate: ') === true) {
    const reason = refusals.find((one) => one === before.reason);
    if (reason) return { reason, message: before.message };
  }
  const message = 'the rotation that was asked for is not seen yet and may still be under way';
  return { reason: 'RotationInProgress', message };
}

function rotation(s: S, live: Live, own: Own, token: string): Omit<Step<Effect>, 'verb' | 'changes'> {
  const before = live.rotated?.instant ?? '';
  return {
    summary: `rotate the password of ${target(s).role}`,
    effect: { port: 'secrets', op: 'ldap.role.rotate', params: target(s) },
    ...outdating(s.spec),
    intent: { op: 'rotate', token, evidence: { before } },
    attempt,
    own: { ...own, rotating: { token, before, answered: true } },
  };
}

function timeoutMs({ resolved }: Pick<S, 'resolved'>): number {
  const seconds = Number(configOf(resolved)['requestTimeout'] ?? '');
  return (seconds > 0 ? seconds : requestTimeoutSeconds) * 1_000 + marginMs;
}

/** What is left to do for the last rotation. The credential is read only if there is work. */
export interface Work {
  readonly bind: Extract<Check, { readonly is: 'possible' }> | undefined;
  readonly publish: boolean;
}

export function workOf(
  { spec, resolved, published }: Pick<S, 'spec' | 'resolved' | 'published'>,
  live: Pick<Live, 'role' | 'rotated'>,
  own: Own,
): Work | undefined {
  const { role, rotated } = live;
  if (!rotated) return undefined;
  const check = checkOf(spec, resolved, role);
  const isVerified =
    own.verified === rotated.instant &&
    !isEarlier({ spec, ...(published && { published }) }, own, rotated.instant);
  const bind = check.is === 'possible' && !isVerified ? check : undefined;
  // If the output was not read, the status decides; without a status, the output does.
  const stands =
    published === undefined ||
    (published.is === 'ours' && published.whole && published.revision === revisionOf(spec, rotated.instant));
  const isKnown =
    own.published === rotated.instant || (own.published === undefined && published !== undefined);
  const publish = spec.output !== undefined && !(stands && isKnown);
  return bind || publish ? { bind, publish } : undefined;
}

function publication(s: S, live: Live, own: Own, unseen: Blocked | undefined): Plan<Effect> | undefined {
  const { rotated, credential } = live;
  if (!rotated)
    return s.spec.output ? (noteOverdue(s, live, own) ?? awaiting(s, isNoted(live, own))) : undefined;
  const { instant } = rotated;
  const work = workOf(s, live, own);
  if (!work) {
    if (!s.spec.output || own.published === instant) return undefined;
    return change({ summary: 'note what is published', own: { ...own, published: instant } });
  }
  const hindrance = taken(s) ?? unseen;
  if (hindrance) return hindrance;
  const isBefore = isEarlier(s, own, instant);
  const isAsked = asked(s, 'reconcile') !== undefined;
  if (isBefore) {
    // A bind may fail for as long as the directory can't be reached.
    const known = work.bind ? undefined : proof(own, instant, credential, s.wallMs);
    const first = known ? change(known) : notify(s, live, own);
    if (first) return first;
    const mayTry = work.bind && (isAsked || rejections(own, instant) < triesMax);
    if (!mayTry) return earlier(s);
  }
  const waitMs = work.bind && !isAsked ? untilBindMs(own, s.wallMs, isBefore) : 0;
  if (work.bind && waitMs > 0) {
    const message = `the directory rejects the password of ${work.bind.dn}`;
    const until = { on: 'time', atMs: s.nowMs + waitMs } as const;
    // The published password may be the one that works: who was not told of it yet keeps one that is dead for sure.
    return notify(s, live, own) ?? blocked('BindRejected', message, until);
  }
  if (!credential) {
    const message = 'the credential is not that of the last rotation; it is read again';
    return blocked('CredentialNotReady', message, { on: 'time', atMs: s.nowMs + againMs });
  }
  if (work.bind) {
    // What is published is of this rotation, so no answer to the bind makes another one of it.
    const told = work.publish ? undefined : notify(s, live, own);
    if (told) return told;
    const effect = bindOf(work.bind, s.resolved, credential);
    const { rejected: _rejected, ...others } = own;
    const verified = { ...others, verified: instant, ...(isBefore && { accepted: instant }) };
    const rejection = { reason: 'BindRejected', proves: { op: 'bind', token: instant } } as const;
    return change({ summary: `bind as ${effect.dn}`, effect, rejection, own: verified });
  }
  const output = outputOf(s.spec, instant, credential);
  if (!output) return undefined;
  const before = publishedOf(s, own);
  const notifies =
    before !== '' && before !== instant && consumersOf(s.spec, live.answers.restarts).length > 0;
  const notification = notifies && { notification: { instant, steps: 0, consumers: {} } };
  const summary = `publish the password of ${target(s).role} as ${output.name}`;
  const effect = { port: 'source', op: 'output.write', output } as const;
  const { accepted: _accepted, earlier: _earlier, ...others } = own;
  return change({ summary, effect, own: { ...others, published: instant, ...notification } });
}

/** A single pass, such as `apply`, waits for the first rotation if the period is shorter than this. */
const passMs = 600_000;

/** The password was kept at creation, so the service knows none that could be published. */
function awaiting(s: S, isOverdue: boolean): Blocked {
  const orWait = isOverdue
    ? ', for the first that the service makes by itself is overdue'
    : ', or wait for the first';
  const message = `the password was never rotated, so there is none to publish: ask for a rotation${orWait}`;
  const dueMs = firstMs(s);
  const isSoon = periodSeconds(s.spec) * 1_000 < passMs;
  const wake = isSoon ? ({ on: 'time', atMs: s.nowMs + dueMs } as const) : ({ on: 'live' } as const);
  return { ...blocked('AwaitingRotation', message, wake), dueMs };
}
