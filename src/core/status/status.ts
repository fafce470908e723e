// The status of an object, stored between visits. One schema gives its type, its parser and its part of the
// CustomResourceDefinitions. Losing a status may cost an adoption, never data.
import * as z from 'zod';
import { isRecord, type JsonMap } from '../json.ts';
import type { Json } from '../secret.ts';

// The API server checks these bounds, and the code that produces the values keeps them. The parser does not: a stored
// status must not be lost because a text in it is too long.
const text = (maxLength: number, description: string) => z.string().meta({ maxLength, description });
const count = (description: string) =>
  z.number().meta({ type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description });
const time = (description: string) => z.string().meta({ format: 'date-time', maxLength: 64, description });
/** The API server drops `null` where it is not allowed, and of an applied field `null` says that its value is unknown. */
const json = (description: string): z.ZodType<Json> =>
  z.any().meta({ 'x-kubernetes-preserve-unknown-fields': true, nullable: true, description });
/** Only that it is a map is checked: zod would ask for each of its fields whether it is anything, for every object in turn. */
const jsonsOf = (value: string, maxProperties: number, description: string): z.ZodType<JsonMap> =>
  z
    .any()
    .refine(isRecord)
    .meta({
      type: 'object',
      additionalProperties: {
        'x-kubernetes-preserve-unknown-fields': true,
        nullable: true,
        description: value,
      },
      maxProperties,
      description,
    });
const mapOf = <V extends z.ZodType>(value: V, maxProperties: number, description: string) =>
  z.record(z.string(), value).meta({ maxProperties, description });
const listOf = <V extends z.ZodType>(item: V, maxItems: number, description: string) =>
  z.array(item).meta({ maxItems, description });
const textsOf = (maxLength: number, maxProperties: number, description: string) =>
  mapOf(text(maxLength, 'Its value.'), maxProperties, description);

/** How many former UIDs are remembered. */
export const formerMax = 16;

const path = () => text(512, 'JSON pointer into the spec.');

const condition = z
  .object({
    type: text(316, 'Type of the condition.'),
    status: z.enum(['True', 'False', 'Unknown']).describe('Whether the condition holds.'),
    reason: text(1024, 'Reason in one word.'),
    message: text(32_768, 'Why, for people.'),
    observedGeneration: count('Generation that the condition is about.'),
    lastTransitionTime: time('When `status` last changed.'),
  })
  .describe('As metav1.Condition.');

const fieldChange = z
  .object({
    path: path(),
    desired: json(
      'Declared value; secrets by source and version. Absent: the field is no longer declared.',
    ).exactOptional(),
    live: json('Observed value. Absent: missing or unreadable.').exactOptional(),
    cause: z.enum(['edit', 'drift']).describe('What changed: the declaration or the external object.'),
  })
  .describe('One field.');

const intent = z
  .object({
    op: text(128, 'Operation.'),
    token: text(2048, 'Identifies this attempt.'),
    evidence: textsOf(
      1024,
      8,
      'Observed before the effect; tells later whether it happened.',
    ).exactOptional(),
    done: z
      .literal(true)
      .describe('The service confirmed the effect. It may become visible a little later.')
      .exactOptional(),
  })
  .describe('Recorded before an effect whose result can not be observed.');

const historyEntry = z
  .object({
    at: time('When.'),
    verb: text(32, 'What was done, in one word.'),
    what: text(1024, 'What was done.'),
    fields: listOf(path(), 64, 'Fields concerned.'),
  })
  .describe('One change.');

const drift = z
  .object({
    summary: text(1024, 'Summary in one line.'),
    detectedAt: time('When it was first observed.'),
    fields: listOf(fieldChange, 64, 'Fields that differ.'),
  })
  .describe('Differences from what was last written.');

const limits = z
  .object({
    perHour: count('Objects that may be deleted per hour without approval.'),
    percent: count('Percentage of the objects that may be deleted at once; applies from six objects on.'),
  })
  .describe('Of a connection: the deletion limits in force.');

const awaits = z
  .object({
    digest: text(128, 'Digest to approve.'),
    id: text(2048, 'What waits.'),
  })
  .describe('What waits for approval.');

export const statusSchema = z
  .object({
    observedGeneration: count('Last reconciled generation.').exactOptional(),
    conditions: listOf(
      condition,
      16,
      'Current conditions: Ready, Synced, Reconciling, Stalled and those of the kind.',
    ).meta({ 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['type'] }),
    externalRef: textsOf(
      1024,
      16,
      'Enough to find and delete the external object. Set once Holdfast manages it.',
    ).exactOptional(),
    identity: text(
      2048,
      'What distinguishes the external object from a later one of the same name: the proof of ownership, as last observed.',
    ).exactOptional(),
    movedFrom: text(
      128,
      'UID of the object whose external object it took over, together with its output.',
    ).exactOptional(),
    formerUIDs: listOf(
      text(128, 'A UID.'),
      formerMax,
      'UIDs of the objects that had it before that one, the latest first: the output may still be marked as that of one of them.',
    ).exactOptional(),
    limits: limits.exactOptional(),
    awaits: awaits.exactOptional(),
    refusal: text(
      1024,
      'Why the service refused a step. Absent once a later step succeeded.',
    ).exactOptional(),
    applied: jsonsOf(
      'As written.',
      64,
      'Last written or adopted value of each managed field; tells edits from drift, and shows fields that are no longer declared.',
    ),
    kept: jsonsOf(
      'As written.',
      64,
      'Values of fields that stay as they were, although they are declared otherwise or no longer (condition FieldsKept).',
    ).exactOptional(),
    observed: jsonsOf(
      'As seen.',
      64,
      'Managed fields and identity as last observed, redacted.',
    ).exactOptional(),
    observedVersion: text(
      256,
      'Version of the external object as it was when all was last found in sync. After a restart, an object whose version is the same in the list is not read.',
    ).exactOptional(),
    drift: drift.exactOptional(),
    pending: intent.exactOptional(),
    tries: mapOf(
      count('How often.'),
      64,
      'How often each field was written without the change being observed.',
    ),
    handledRequests: textsOf(1024, 32, 'Annotation of a request → the token that was handled.'),
    own: json('Data of the kind.').exactOptional(),
    history: listOf(historyEntry, 5, 'The last changes.'),
  })
  .describe('Stored and reported. Losing it may cost an adoption, never data.');

/** Readonly at every depth. JSON already is. */
type DeepReadonly<T> = Json extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly DeepReadonly<Item>[]
    : T extends object
      ? { readonly [Name in keyof T]: DeepReadonly<T[Name]> }
      : T;

type Whole = DeepReadonly<z.infer<typeof statusSchema>>;

/** Parsed when read, never trusted. */
export type Status<Own = Json> = Omit<Whole, 'own'> & { readonly own?: Own };

export type Intent = NonNullable<Whole['pending']>;
export type Condition = Whole['conditions'][number];
export type FieldChange = NonNullable<Whole['drift']>['fields'][number];

export const noStatus: Status<never> = {
  applied: {},
  handledRequests: {},
  tries: {},
  history: [],
  conditions: [],
};

/** Whether a create may have been sent and no response was recorded: it may have made something. */
export const hasUnansweredCreate = ({ pending }: Pick<Status, 'pending'>): boolean =>
  pending?.op === 'create' && pending.done !== true;

const isStatus = (value: unknown): value is Status => statusSchema.safeParse(value).success;

/**
 * Parses a stored status. Unknown fields pass, because a newer version may have written them. An unreadable status counts
 * as empty. An observed generation of -1 counts as absent: a cluster writes it into a status that has none.
 */
export function parseStatus(value: unknown): Status {
  if (!isStatus(value)) return noStatus;
  const { observedGeneration, ...rest } = value;
  return observedGeneration === -1 ? rest : value;
}
