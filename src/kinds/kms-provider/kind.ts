// KMSProvider: how it is located, observed and reported.
import * as z from 'zod';
import { secretsDialect } from '../../api/dialects.ts';
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind } from '../../core/kind/sealed-kind.ts';
import { mustBeOfType } from '../../core/kind/mount-type.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/kind/permission.ts';
import type { Observed } from '../../core/planning/situation.ts';
import type { Resolved } from '../../core/resource.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { shownOf } from '../../schema/rows.ts';
import { have, target, type Live, type Own } from './body.ts';
import { credentialsWritten } from './credentials.ts';
import { discovery } from './discovery.ts';
import { plan } from './plan.ts';
import { declaration, type Spec } from './schema.ts';
import { isWhole } from './shape.ts';

const own = z.object({ written: z.boolean() });

type Target = ReturnType<typeof target>;

/** HTTP status for a method that a path does not support. */
const unsupported = 405;

/** Another engine would keep the credentials readable. */
const mustBeKeyManagement = (read: Reader, mount: string, signal: AbortSignal): Promise<void> =>
  mustBeOfType(
    { op: 'kms.mount.read', at: mount, types: ['keymgmt'], what: 'key-management engine' },
    read.read('kms.mount.read', { mount }, signal),
  );

/** Only writes are documented: a service may return nothing, or only some fields (services.md#key-management). */
async function readOf(read: Reader, at: Target, signal: AbortSignal): Promise<Partial<Live> | undefined> {
  try {
    return await read.read('kms.provider.read', at, signal);
  } catch (error) {
    if (!(error instanceof ApiError) || error.reason !== 'Rejected') throw error;
    if (error.status === unsupported) return {};
    await mustBeKeyManagement(read, at.mount, signal);
    throw error;
  }
}

async function observe(read: Reader, at: Target, signal: AbortSignal): Promise<Observed<Live>> {
  const shown = await readOf(read, at, signal);
  if (isWhole(shown)) return { state: 'present', live: shown };
  await mustBeKeyManagement(read, at.mount, signal);
  if (!shown) return { state: 'absent' };
  const { provider = '', key_collection: keyCollection = '' } = shown;
  if (isWhole({ provider, key_collection: keyCollection })) return { state: 'unknown' };
  throw new ApiError('unreadable', 'InvalidResponse', 'kms.provider.read: the answer is no provider');
}

function dialectOf(resolved: Resolved): string {
  const connection = resolved.get('/connectionRef');
  return connection?.state === 'ready' ? (connection.outputs['dialect'] ?? '') : '';
}

type Op = keyof Operations;

export const kmsProvider = defineKind<Spec, Live, Own, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/kms-provider',
  connectionField: '/connectionRef',
  parse: parser(declaration),
  parseOwn: (raw) => own.safeParse(raw).data, // unreadable: it is not known who sent the credentials
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  defaults: managing,
  externalName: (spec, key) => spec.externalName ?? key.name,
  reaches: ({ mount }) => [mount], // each mount has names of its own, so the name alone gives no access
  locate: (spec, key, connection) => ({
    backend: connection.backend,
    mount: spec.mount,
    name: spec.externalName ?? key.name,
  }),
  observe: (read, context, signal) => observe(read, target(context), signal),
  plan,
  record: ({ status }) => status.own ?? { written: false },
  report: (s) => ({
    observed: s.observed.state === 'present' ? { ...target(s), ...shownOf(have(s.observed.live)) } : {},
    conditions: s.deleting
      ? []
      : [credentialsWritten(s, secretsDialect(dialectOf(s.resolved)).environmentPrefix)],
  }),
  interference: ({ mount = '', name = '' }) => ({ method: 'DELETE', path: `${mount}/kms/${name}` }),
  uses: (_, { management, deletion }) =>
    usesOf<Op>(
      ['kms.provider.read'],
      ['kms.provider.write', ...(deletion === 'Delete' ? (['kms.provider.delete'] as const) : [])],
      management === 'Full',
    ),
  discovery: [discovery],
  outputs: () => ({}),
});
