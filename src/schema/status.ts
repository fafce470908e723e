// The schema of `status` in the CustomResourceDefinitions, the same for every kind.
import { statusSchema } from '../core/status/status.ts';
import { lower, type Schema } from './lower.ts';

export const status: Schema = lower(statusSchema, '/status');
