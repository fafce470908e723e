// LDAPStaticRole: its references, and the access that it needs to the connections of consumers. PURE.
import type { Key, Reference } from '../../core/resource.ts';
import { referencesIn } from '../../schema/references.ts';
import type { Job } from './consumers.ts';
import { declaration, type Spec } from './schema.ts';

/** A job consumer needs one action on one job, in the namespace that it names. The role does not wait for the consumer's connection. */
export function references(spec: Spec, key: Key): readonly Reference[] {
  const jobs = new Map(
    (spec.consumers ?? []).flatMap(({ job }, at): readonly (readonly [string, Job])[] =>
      job ? [[`/consumers/${at}/job/connectionRef`, job]] : [],
    ),
  );
  return referencesIn(declaration.references, spec, key).map((reference): Reference => {
    const job = jobs.get(reference.field);
    if (reference.to !== 'object' || !job) return reference;
    const within = job.namespace !== undefined && { within: job.namespace };
    return { ...reference, optional: true, use: { externalName: job.id, action: job.action, ...within } };
  });
}
