// LDAPStaticRole: how it is located, how it and its consumers are observed, and what is recorded and reported.
import { defineKind } from '../../core/kind/sealed-kind.ts';
import { mustBeOfType } from '../../core/kind/mount-type.ts';
import type { Effect, Reader } from '../../api/routes.ts';
import type { CredentialRead } from '../../api/secrets/wire.ts';
import { ApiError } from '../../core/errors.ts';
import { type ObserveContext } from '../../core/kind/kind.ts';
import type { Observed } from '../../core/planning/situation.ts';
import { Secret } from '../../core/secret.ts';
import { managing } from '../../core/planning/policy.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { configOf, target, type Live, type RoleSituation } from './body.ts';
import { conditionsOf, unreadyOf } from './conditions.ts';
import {
  isJob,
  namespaceOf,
  outstanding,
  stateOf,
  toTell,
  turnOf,
  viaOf,
  type Answers,
  type Job,
  type JobConsumer,
  type AllocationState,
  type Turn,
} from './consumers.ts';
import { discovery } from './discovery.ts';
import { entryOf, entryPlaces } from './entry.ts';
import { isNoted } from './overdue.ts';
import { allocationsMax, parseOwn, remembered, type Own } from './own.ts';
import { plan } from './plan.ts';
import { isEarlier } from './publication.ts';
import { references } from './references.ts';
import { workOf } from './rotation.ts';
import { declaration, type Spec } from './schema.ts';
import { timeline } from './timeline.ts';
import { isAllocation, isWhole } from './shape.ts';
import { latenessOf } from './notification.ts';
import { uses } from './uses.ts';

type RoleContext = ObserveContext<Spec, Own, Reader>;

/**
 * The instant in one form, whatever zone and precision the service uses. Before 1970 means never
 * (services.md#static-roles).
 */
function rotationAt(text: unknown): Live['rotated'] {
  if (text === undefined || text === null || text === '') return undefined;
  const wallMs = typeof text === 'string' ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(wallMs)) throw unreadable('the last rotation is not a time');
  return wallMs > 0 ? { instant: new Date(wallMs).toISOString(), wallMs } : undefined;
}

const unreadable = (what: string) => new ApiError('unreadable', 'InvalidResponse', `ldap.role.read: ${what}`);

/** Checked, because the credential is about to be published. */
const isCredential = ({ password, last_password, username, dn }: CredentialRead): boolean =>
  password instanceof Secret &&
  (last_password === undefined || last_password instanceof Secret) &&
  [username, dn].every((text: unknown) => typeof text === 'string');

/** `undefined`: the credential is not of this rotation, so it must not be published as such. */
async function credentialOf(
  read: Reader,
  context: RoleContext,
  { instant }: NonNullable<Live['rotated']>,
  signal: AbortSignal,
): Promise<CredentialRead | undefined> {
  const credential = await read.read('ldap.credential.read', target(context), signal);
  if (!credential || rotationAt(credential.last_service_rotation)?.instant !== instant) return undefined;
  if (isCredential(credential)) return credential;
  throw new ApiError('unreadable', 'InvalidResponse', 'ldap.credential.read: the answer is no credential');
}

/** By the date it is overdue, and the date may be wrong: the service tells by its own clock. It need not be able to. */
async function ifOverdue(
  read: Reader,
  context: RoleContext,
  rotated: NonNullable<Live['rotated']>,
  signal: AbortSignal,
): Promise<CredentialRead | undefined> {
  const { spec, status } = context;
  const isRead = spec.output !== undefined || spec.verify?.bind === true; // or nobody granted that
  if (!isRead || remembered(status).overdue !== rotated.instant) return undefined;
  return credentialOf(read, context, rotated, signal).catch((error: unknown) => {
    if (error instanceof ApiError) return undefined;
    throw error;
  });
}

/** Another engine may be mounted since the configuration was read, and keep what is written as its own. */
const mustBeLDAP = (read: Reader, mount: string, signal: AbortSignal): Promise<void> =>
  mustBeOfType(
    { op: 'mount.read', at: mount, types: ['ldap', 'openldap'], what: 'LDAP engine' },
    read.read('mount.read', { mount }, signal),
  );

async function observe(read: Reader, context: RoleContext, signal: AbortSignal): Promise<Observed<Live>> {
  // If nothing can be read, the published password may still be known to be outdated.
  let instant = context.status.own?.published;
  try {
    const role = await read.read('ldap.role.read', target(context), signal);
    if (!role || !isWhole(role)) {
      if (role || !context.deleting) await mustBeLDAP(read, target(context).mount, signal);
      if (!role) return { state: 'absent' };
      throw unreadable('the answer is not a role');
    }
    const rotated = rotationAt(role.last_service_rotation);
    instant = rotated?.instant;
    const seen = { role, ...(rotated && { rotated }) };
    return { state: 'present', live: { ...seen, ...(await observeRotation(read, context, seen, signal)) } };
  } catch (error) {
    const unready = instant === undefined ? undefined : unreadyOf(context, instant);
    if (!unready || !(error instanceof ApiError) || error.class === 'refused') throw error;
    const { reason, retryAfterMs, message } = error;
    throw new ApiError('waiting', reason, `${unready.message}: ${message}`, { retryAfterMs, cause: error });
  }
}

/** Reads what the next step needs: the new password, or the consumers. */
async function observeRotation(
  read: Reader,
  context: RoleContext,
  seen: Pick<Live, 'role' | 'rotated'>,
  signal: AbortSignal,
): Promise<Pick<Live, 'credential' | 'answers'>> {
  const nobody = { answers: { restarts: context.tryRestart !== undefined, problems: {} } };
  const { deleting, status, policy } = context;
  if (deleting || status.externalRef === undefined || policy.management !== 'Full' || !seen.rotated)
    return nobody;
  const own = remembered(status);
  const work = workOf(context, seen, own);
  const isTelling = !work || work.bind || isEarlier(context, own, seen.rotated.instant);
  const credential = await (work
    ? credentialOf(read, context, seen.rotated, signal)
    : ifOverdue(read, context, seen.rotated, signal));
  const answers = isTelling ? { answers: await answersOf(context, signal) } : nobody;
  return { ...answers, ...(credential && { credential }) };
}

/** Reads what the current consumer needs. One that can't be read or restarted, or never came back, is skipped. */
async function answersOf(context: RoleContext, signal: AbortSignal): Promise<Answers> {
  const { tryRestart } = context;
  const problems: Record<string, string> = {};
  const known = { restarts: tryRestart !== undefined, problems };
  for (;;) {
    const turn = turnOf(context, known);
    if (!turn) return known;
    const { consumer } = turn;
    try {
      if (!isJob(consumer)) {
        await tryRestart?.(consumer.workload);
        return known;
      }
      const answers = await ask(context, { ...turn, consumer }, signal);
      const lateness = latenessOf({ ...turn, consumer }, answers.allocations);
      if (lateness === undefined) return { ...known, ...answers };
      problems[consumer.key] = lateness;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      problems[consumer.key] = error.message;
    }
  }
}

async function ask(
  context: RoleContext,
  { consumer, progress: begun, ask: ids }: Turn<JobConsumer>,
  signal: AbortSignal,
): Promise<Pick<Answers, 'listed' | 'allocations'>> {
  const { job } = consumer;
  const read = context.via(viaOf(consumer));
  if (!read) throw new ApiError('waiting', 'NotificationFailed', 'its connection can not be used');
  const namespace = namespaceOf(consumer, context.resolved);
  if (!begun) return { listed: await list(read, namespace, job, signal) };
  const found = await Promise.all(
    ids.map(async (id): Promise<readonly [string, AllocationState][]> => {
      const allocation = await read.read('allocation.read', { id, namespace }, signal);
      if (!allocation) return [];
      if (isAllocation(allocation)) return [[id, stateOf(job, allocation)]];
      throw new ApiError('unreadable', 'InvalidResponse', 'allocation.read: the answer is no allocation');
    }),
  );
  return { allocations: Object.fromEntries(found.flat()) };
}

async function list(
  read: Reader,
  namespace: string,
  job: Job,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const filter = `JobID == ${JSON.stringify(job.id)}`;
  const all = (await read.read('allocation.list', { namespace, filter, task_states: false }, signal)) ?? [];
  if (!all.every(({ ID }: { readonly ID: unknown }) => typeof ID === 'string')) {
    throw new ApiError('unreadable', 'InvalidResponse', 'allocation.list: an entry has no ID');
  }
  const ids = toTell(job, all);
  if (ids.length <= allocationsMax) return ids.toSorted();
  throw new ApiError(
    'refused',
    'TooManyAllocations',
    `job ${job.id}: ${ids.length} allocations are more than ${allocationsMax}`,
  );
}

/**
 * Once all consumers are notified, nothing about them is recorded; nor that a rotation was overdue that came after all; nor
 * what the directory rejected.
 */
function recorded({ spec, status, observed }: RoleSituation): Own {
  const { notification, overdue, earlier: _earlier, rejected: _rejected, ...others } = remembered(status);
  const isStill = observed.state === 'present' && isNoted(observed.live, { overdue });
  const rest = { ...others, ...(overdue !== undefined && isStill && { overdue }) };
  const restarts = observed.state === 'present' && observed.live.answers.restarts;
  return notification && outstanding(spec, notification, restarts).length > 0
    ? { ...rest, notification }
    : rest;
}

const publishedMs = 50_000;

export const ldapStaticRole = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/ldap-role',
  connectionField: '/configRef',
  parse: parser(declaration),
  parseOwn,
  references,
  policy: policyOf,
  // A rotation made by somebody else is published within a minute, jitter included.
  defaults: ({ output }) =>
    output ? { ...managing, drift: { ...managing.drift, intervalMs: publishedMs } } : managing,
  externalName: (spec, key) => spec.externalName ?? key.name,
  locate: (spec, key, connection, resolved) => ({
    backend: connection.backend,
    mount: configOf(resolved)['mount'] ?? '',
    role: spec.externalName ?? key.name,
  }),
  output: (spec) => spec.output?.secretName,
  declaredData: entryOf,
  places: entryPlaces,
  observe,
  plan,
  record: recorded,
  report(s) {
    if (s.observed.state !== 'present') {
      const instant = s.status.own?.published;
      const unready = instant === undefined ? undefined : unreadyOf(s, instant);
      return { observed: {}, conditions: [], ...(unready && { unready }) };
    }
    const { role, rotated } = s.observed.live;
    const unready = unreadyOf(s, rotated?.instant);
    return {
      observed: {
        ...target(s),
        username: role.username,
        dn: role.dn,
        rotationPeriod: role.rotation_period,
        ...(rotated && { lastRotation: rotated.instant }),
      },
      conditions: conditionsOf(s),
      ...(unready && { unready }),
    };
  },
  requests: [
    {
      name: 'rotate',
      help: 'rotate the password of an object',
      confirmation: 'will be rotated',
      once: true,
      waits: true,
      command: { name: 'rotate', sets: 'token', sample: 'shop/directory' },
    },
  ],
  timeline,
  interference: ({ mount = '', role = '' }) => ({ method: 'POST', path: `${mount}/rotate-role/${role}` }),
  uses,
  discovery: [discovery],
  outputs: (spec, status) => ({
    role: status.externalRef?.['role'] ?? '',
    username: spec.username,
    dn: spec.dn ?? '',
  }),
});
