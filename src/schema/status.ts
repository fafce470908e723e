// The schema of `status`, the same for every kind (design section 5). Only the controller writes it; it is bounded all the
// same, and what belongs to one kind alone is kept as it stands.
import type { Schema } from './lower.ts';

const text = (maxLength: number, description: string): Schema => ({ type: 'string', maxLength, description });
const time = (description: string): Schema => ({ type: 'string', format: 'date-time', description });
const anything = { 'x-kubernetes-preserve-unknown-fields': true };

const mapOf = (values: Schema, maxProperties: number, description: string): Schema => ({
  type: 'object',
  description,
  maxProperties,
  additionalProperties: values,
});

const listOf = (properties: Schema, maxItems: number, description: string): Schema => ({
  type: 'array',
  description,
  maxItems,
  items: { type: 'object', description: 'One of them.', properties },
});

const conditions: Schema = {
  type: 'array',
  description: 'What holds at the moment: Ready, Synced, Reconciling, Stalled and those of the kind.',
  maxItems: 16,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    description: 'As metav1.Condition.',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: text(316, 'What it is about.'),
      status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'Whether it holds.' },
      reason: text(1024, 'Why, in one word.'),
      message: text(32_768, 'Why, for people.'),
      observedGeneration: {
        type: 'integer',
        format: 'int64',
        minimum: 0,
        description: 'Of which generation.',
      },
      lastTransitionTime: time('When its status last changed.'),
    },
  },
};

const change = {
  path: text(512, 'JSON pointer into the spec.'),
  desired: { ...anything, description: 'As declared.' },
  live: { ...anything, description: 'As found.' },
  cause: {
    type: 'string',
    enum: ['edit', 'drift'],
    description: 'What moved: the declaration or the world.',
  },
};

const event = {
  at: time('When.'),
  verb: text(32, 'What was done, in one word.'),
  what: text(1024, 'What was done.'),
  fields: {
    type: 'array',
    description: 'Which fields it was about.',
    maxItems: 64,
    items: text(512, 'JSON pointer into the spec.'),
  },
};

export const statusSchema: Schema = {
  type: 'object',
  description: 'What is remembered and reported. Losing it may cost an adoption, never data.',
  properties: {
    observedGeneration: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'Generation that was last acted on.',
    },
    conditions,
    externalRef: mapOf(text(1024, 'One part of it.'), 16, 'Enough to find and delete the external object.'),
    applied: mapOf(anything, 64, 'Per managed field what was last written; of secrets, source and version.'),
    observed: mapOf(anything, 64, 'Managed fields and identity as last seen.'),
    drift: {
      type: 'object',
      description: 'What differs from what was last written.',
      properties: {
        summary: text(1024, 'In one line.'),
        detectedAt: time('When it was first seen.'),
        fields: listOf(change, 64, 'Field by field.'),
      },
    },
    pending: {
      type: 'object',
      description: 'An intent recorded before an effect whose result can not be told by looking.',
      properties: {
        op: text(128, 'Which effect.'),
        token: text(2048, 'Which run of it.'),
        evidence: mapOf(text(1024, 'Its value.'), 8, 'What was seen before it, to tell whether it happened.'),
        atMs: {
          type: 'integer',
          format: 'int64',
          minimum: 0,
          description: 'When it was recorded, in milliseconds since 1970.',
        },
        done: { type: 'boolean', description: 'The service said that it is done.' },
      },
    },
    tries: mapOf(
      { type: 'integer', format: 'int64', minimum: 0 },
      64,
      'How often each field was written without being seen as written.',
    ),
    handledRequests: mapOf(text(1024, 'Its token.'), 32, 'Requests by annotation that were handled.'),
    own: { type: 'object', description: 'What the kind itself remembers.', ...anything },
    history: listOf(event, 5, 'The last changes.'),
  },
};
