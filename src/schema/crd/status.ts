// The schema of `status` in the CustomResourceDefinitions: that of every kind, and fields that only a cluster has.
import * as z from 'zod';
import { statusSchema } from '../../core/status/status.ts';
import type { Declaration } from '../declaration.ts';
import { isSchema, lower, type Schema } from './lower.ts';

/** Only the source reads and writes these fields; kinds do not see them. */
const uid = z
  .string()
  .max(64)
  .describe('UID of the object that this status is of. Copied to another object, it counts for nothing.')
  .exactOptional();

const intent = z
  .string()
  .max(64)
  .describe('ID of the intent annotation that this status includes.')
  .exactOptional();

const approved = z
  .string()
  .max(2048)
  .describe('ID of the deletion or replacement that a person approved.')
  .exactOptional();

const recentDeletions = z
  .array(
    z
      .object({
        key: z.string().max(512).describe('The object, as Kind/namespace/name.'),
        at: z.string().meta({ format: 'date-time', maxLength: 64 }).describe('When it left.'),
      })
      .describe('One object.'),
  )
  .max(10_000)
  .describe('Objects that left this connection within the last hour: they count against the deletion limits.')
  .exactOptional();

/**
 * An object without a status gets `default`: without an observed generation, kstatus would call it Current (cli-utils,
 * checkGeneration). Hence no field is required, and −1 means none.
 */
export function statusOf(scope: Declaration['scope']): Schema {
  const connection = scope === 'Cluster'; // only connections are cluster-scoped
  const more = { uid, intent, approved, ...(connection && { recentDeletions }) };
  const whole = statusSchema.extend(more).describe(statusSchema.description ?? '');
  const { required: _, ...schema } = lower(whole, '/status');
  const { properties } = schema;
  const seen = isSchema(properties) ? properties['observedGeneration'] : undefined;
  if (!isSchema(properties) || !isSchema(seen)) throw new Error('/status: no observedGeneration');
  return {
    ...schema,
    default: { observedGeneration: -1 },
    properties: { ...properties, observedGeneration: { ...seen, minimum: -1 } },
  };
}
