// OIDCRole: where it is, how it is read, what is reported of it.
import type { Effect, Operations, Reader } from '../../api/routes.ts';
import { ApiError } from '../../core/errors.ts';
import { defineKind } from '../../core/sealed-kind.ts';
import type { Resolved } from '../../core/resource.ts';
import { managing } from '../../core/planning/policy.ts';
import { usesOf } from '../../core/permission.ts';
import { parser } from '../../schema/parse.ts';
import { policyOf } from '../../schema/parts.ts';
import { referencesIn } from '../../schema/references.ts';
import { shownOf } from '../../schema/rows.ts';
import { have, target, type Live } from './body.ts';
import { discovery } from './discovery.ts';
import { plan } from './plan.ts';
import { atRisk } from './rules.ts';
import { declaration, type Spec } from './schema.ts';
import { isWhole } from './shape.ts';

/** Outputs of the config, over those of its connection. */
function configOf(resolved: Resolved): Readonly<Record<string, string>> {
  const config = resolved.get('/configRef');
  return config?.state === 'ready' ? config.outputs : {};
}

type Op = keyof Operations;

export const oidcRole = defineKind<Spec, Live, never, Effect, Reader>({
  name: declaration.kind,
  owns: 'secrets/oidc-role',
  connectionField: '/configRef',
  parse: parser(declaration),
  parseOwn: () => undefined,
  references: (spec, key) => referencesIn(declaration.references, spec, key),
  policy: policyOf,
  // A role that nobody declares is a way in, and holds nothing that could be lost.
  defaults: { ...managing, deletion: 'Delete' },
  externalName: (spec, key) => spec.externalName ?? key.name,
  locate: (spec, key, connection, resolved) => ({
    backend: connection.backend,
    mount: configOf(resolved)['mount'] ?? '',
    role: spec.externalName ?? key.name,
  }),
  async observe(read, look, signal) {
    const live = await read.read('oidc.role.read', target(look), signal);
    if (!live) return { state: 'absent' };
    if (isWhole(live)) return { state: 'present', live };
    throw new ApiError('unreadable', 'InvalidResponse', 'oidc.role.read: the answer is no role');
  },
  plan,
  record: () => undefined,
  report: (s) => ({
    observed: s.observed.state === 'present' ? { ...target(s), ...shownOf(have(s.observed.live)) } : {},
    conditions: s.deleting ? [] : [atRisk(s.spec, configOf(s.resolved))],
  }),
  interference: ({ mount = '', role = '' }) => ({ method: 'DELETE', path: `auth/${mount}/role/${role}` }),
  uses: (_, { management, deletion }) =>
    usesOf<Op>(
      ['oidc.role.read'],
      ['oidc.role.write', ...(deletion === 'Delete' ? (['oidc.role.delete'] as const) : [])],
      management === 'Full',
    ),
  discovery: [discovery],
  outputs: (_, status) => ({ role: status.externalRef?.['role'] ?? '' }),
});
