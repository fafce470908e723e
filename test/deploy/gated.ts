// The requests that the admission policies know: those that need a verb, and all that mean something.
import * as z from 'zod';
import { the } from './documents.ts';

const policy = (name: string) =>
  the(
    'ValidatingAdmissionPolicy',
    name,
    z.looseObject({
      spec: z.looseObject({
        variables: z.array(z.looseObject({ name: z.string(), expression: z.string() })),
        validations: z.array(z.looseObject({ expression: z.string(), message: z.string() })),
      }),
    }),
  ).spec;

const variable = (of: string, wanted: string): string =>
  policy(of).variables.find(({ name }) => name === wanted)?.expression ?? '';

export const { validations } = policy('holdfast-requests');

const [list = ''] = variable('holdfast-requests', 'asked').split('].filter');
export const gated: readonly string[] = [...list.matchAll(/'([a-z-]+)'/g)].map(([, name = '']) => name);

const heard = (name: string): unknown => JSON.parse(variable('holdfast-unheard', name).replaceAll("'", '"'));
const names = z.array(z.string());
/** Requests that the API server does not warn of: of each kind, and of one besides. */
export const heardOfEach = names.parse(heard('each'));
export const heardOf = z.record(z.string(), names).parse(heard('own'));
/** By kind: the fields that `drift.ignore` may name. */
export const compared = z.record(z.string(), names).parse(heard('compared'));
