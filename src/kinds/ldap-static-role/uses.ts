// LDAPStaticRole: the calls that it makes to the secrets service and to the schedulers of its consumers. PURE.
import type { Operations } from '../../api/routes.ts';
import { usesOf, type Use } from '../../core/kind/permission.ts';
import type { Policy } from '../../core/planning/policy.ts';
import type { Spec } from './schema.ts';

type Op = keyof Operations;

export function uses(spec: Spec, { management, deletion }: Policy): readonly Use[] {
  const isManaged = management === 'Full';
  const own = usesOf<Op>(
    ['ldap.role.read'],
    [
      'ldap.role.write',
      'ldap.role.rotate',
      ...(spec.output || spec.verify?.bind === true ? (['ldap.credential.read'] as const) : []),
      ...(deletion === 'Delete' ? (['ldap.role.delete'] as const) : []),
    ],
    isManaged,
  );
  return isManaged ? [...own, ...consumersOf(spec)] : own;
}

function consumersOf({ consumers = [] }: Spec): readonly Use[] {
  return consumers.flatMap(({ job }, at) => {
    if (!job) return [];
    const there = {
      via: `/consumers/${at}/job/connectionRef`,
      ...(job.namespace !== undefined && { namespace: job.namespace }),
    };
    const action: Op = job.action === 'Signal' ? 'allocation.signal' : 'allocation.restart';
    const calls: readonly Op[] = ['allocation.list', 'allocation.read', action];
    return calls.map((op) => ({ op, ...there }));
  });
}
