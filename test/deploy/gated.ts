// The requests that the admission policy asks a verb for.
import * as z from 'zod';
import { the } from './documents.ts';

const policy = the(
  'ValidatingAdmissionPolicy',
  'holdfast-requests',
  z.looseObject({
    spec: z.looseObject({
      variables: z.array(z.looseObject({ name: z.string(), expression: z.string() })),
      validations: z.array(z.looseObject({ expression: z.string(), message: z.string() })),
    }),
  }),
).spec;

export const { validations } = policy;

const [list = ''] = policy.variables.find(({ name }) => name === 'asked')?.expression.split('].filter') ?? [];
export const gated: readonly string[] = [...list.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name);
