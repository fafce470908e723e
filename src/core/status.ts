// The status of an object: what is remembered of it between visits. One schema gives its type, its parser and, lowered, its
// part of the CustomResourceDefinitions. Losing a status may cost an adoption, never data.
import * as z from 'zod';
import type { Json } from './secret.ts';

// Bounds are stated for the API server, and kept where the values are made: a status that was stored is never forgotten
// because a text in it is long.
const text = (maxLength: number, description: string) => z.string().meta({ maxLength, description });
const count = (description: string) =>
  z.number().meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const time = (description: string) => z.string().meta({ format: 'date-time', maxLength: 64, description });
const json = (description: string): z.ZodType<Json> =>
  z.any().meta({ 'x-kubernetes-preserve-unknown-fields': true, description });
const mapOf = <V extends z.ZodType>(value: V, maxProperties: number, description: string) =>
  z.record(z.string(), value).meta({ maxProperties, description });
const listOf = <V extends z.ZodType>(item: V, maxItems: number, description: string) =>
  z.array(item).meta({ maxItems, description });
const textsOf = (maxLength: number, maxProperties: number, description: string) =>
  mapOf(text(maxLength, 'Its value.'), maxProperties, description);

const path = () => text(512, 'JSON pointer into the spec.');

const condition = z
  .object({
    type: text(316, 'What it is about.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether it holds.'),
    reason: text(1024, 'Why, in one word.'),
    message: text(32_768, 'Why, for people.'),
    observedGeneration: count('Generation that it speaks of.'),
    lastTransitionTime: time('When `status` last changed.'),
  })
  .describe('As metav1.Condition.');

const fieldChange = z
  .object({
    path: path(),
    desired: json('As declared, in public form. Absent: the field was let go.').exactOptional(),
    live: json('As found. Absent: not there, or not readable.').exactOptional(),
    cause: z.enum(['edit', 'drift']).describe('What moved: the declaration or the world.'),
  })
  .describe('One field.');

const intent = z
  .object({
    op: text(128, 'Which effect.'),
    token: text(2048, 'Which run of it.'),
    evidence: textsOf(
      1024,
      8,
      'What was seen before it, by which a later look tells whether it happened.',
    ).exactOptional(),
    done: z
      .literal(true)
      .describe('The service said that it is done. Looking may show it only a little later.')
      .exactOptional(),
  })
  .describe('Recorded before an effect whose result can not be told by looking.');

const historyEntry = z
  .object({
    at: time('When.'),
    verb: text(32, 'What was done, in one word.'),
    what: text(1024, 'What was done.'),
    fields: listOf(path(), 64, 'Which fields it was about.'),
  })
  .describe('One change.');

const drift = z
  .object({
    summary: text(1024, 'In one line.'),
    detectedAt: time('When it was first seen.'),
    fields: listOf(fieldChange, 64, 'Field by field.'),
  })
  .describe('What differs from what was last written.');

const limits = z
  .object({
    perHour: count('Objects that may leave per hour without approval.'),
    percent: count('Per cent of the objects that may leave at once; from six objects on.'),
  })
  .describe('Of a connection: the deletion limits in force.');

const awaits = z
  .object({
    digest: text(128, 'Under which it is approved.'),
    id: text(2048, 'What waits.'),
  })
  .describe('What waits for a person.');

export const statusSchema = z
  .object({
    observedGeneration: count('Generation that was last acted on.').exactOptional(),
    conditions: listOf(
      condition,
      16,
      'What holds at the moment: Ready, Synced, Reconciling, Stalled and those of the kind.',
    ).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
    externalRef: textsOf(
      1024,
      16,
      'Enough to find and delete the external object. Set once the object is ours.',
    ).exactOptional(),
    identity: text(
      2048,
      'What told the external object from the next of its name, when it was last seen to be ours: the proof that it is.',
    ).exactOptional(),
    movedFrom: text(
      128,
      'UID of the object that it took its external object over from: what that one published is its own.',
    ).exactOptional(),
    limits: limits.exactOptional(),
    awaits: awaits.exactOptional(),
    refusal: text(
      1024,
      'Why the service refused the last step that it refused. Absent: steps since then were made.',
    ).exactOptional(),
    applied: mapOf(
      json('As written.'),
      64,
      'Per managed field what was last written or adopted, in public form: tells edit from drift, shows what was let go.',
    ),
    observed: mapOf(
      json('As seen.'),
      64,
      'Managed fields and identity as last seen, redacted.',
    ).exactOptional(),
    drift: drift.exactOptional(),
    pending: intent.exactOptional(),
    tries: mapOf(count('How often.'), 64, 'How often each field was written without being seen as written.'),
    handledRequests: textsOf(1024, 32, 'Request by annotation → its token that was handled.'),
    own: json('What the kind itself remembers.').exactOptional(),
    history: listOf(historyEntry, 5, 'The last changes.'),
  })
  .describe('What is remembered and reported. Losing it may cost an adoption, never data.');

/** All the way down; JSON is so already. */
type DeepReadonly<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
      : T;

type Whole = DeepReadonly<z.infer<typeof statusSchema>>;

/** What is remembered between visits. Parsed when read, never trusted. */
export type Status<Own = Json> = Omit<Whole, 'own'> & { readonly own?: Own };

/** Recorded before an effect whose result can't be told by looking. */
export type Intent = NonNullable<Whole['pending']>;
export type Condition = Whole['conditions'][number];
/** One field that differs. */
export type FieldChange = NonNullable<Whole['drift']>['fields'][number];

export const noStatus: Status<never> = {
  applied: {},
  handledRequests: {},
  tries: {},
  history: [],
  conditions: [],
};

const isStatus = (value: unknown): value is Status => statusSchema.safeParse(value).success;

/**
 * A status as it was stored. Fields that this version does not know are let pass: a newer one may have written them. What
 * can't be read is as if nothing had been remembered.
 */
export const parseStatus = (value: unknown): Status => (isStatus(value) ? value : noStatus);
