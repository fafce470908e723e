// Reads what was remembered of an object. What can't be read is as if nothing had been remembered: it may cost an
// adoption, never a destructive effect (design section 5).
import { noMemory, type Memory } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { isRecord, isTexts, parseJson } from './json.ts';

type Check = (value: unknown) => boolean;

const anything: Check = () => true;
const text: Check = (value) => typeof value === 'string';
const isTrue: Check = (value) => value === true;
const number: Check = (value) => typeof value === 'number';

const oneOf =
  (...known: readonly string[]): Check =>
  (value) =>
    typeof value === 'string' && known.includes(value);

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const recordOf =
  (check: Check): Check =>
  (value) =>
    isRecord(value) && Object.values(value).every(check);

/** Fields beyond these are let pass: a newer version may have written them. */
const shape =
  (required: Readonly<Record<string, Check>>, optional: Readonly<Record<string, Check>> = {}): Check =>
  (value) =>
    isRecord(value) &&
    Object.entries(required).every(([name, check]) => check(value[name])) &&
    Object.entries(optional).every(([name, check]) => value[name] === undefined || check(value[name]));

const condition = shape({
  type: text,
  status: oneOf('True', 'False', 'Unknown'),
  reason: text,
  message: text,
  observedGeneration: number,
  lastTransitionTime: text,
});

const change = shape({ path: text, cause: oneOf('edit', 'drift') }, { desired: anything, live: anything });

const memory = shape(
  {
    applied: recordOf(anything),
    handled: isTexts,
    tries: recordOf(number),
    history: listOf(shape({ at: text, verb: text, what: text, fields: listOf(text) })),
    conditions: listOf(condition),
  },
  {
    observedGeneration: number,
    externalRef: isTexts,
    identity: text,
    movedFrom: text,
    limits: shape({ perHour: number, percent: number }),
    awaits: shape({ digest: text, id: text }),
    refusal: text,
    pending: shape({ op: text, token: text }, { evidence: isTexts, done: isTrue }),
    observed: recordOf(anything),
    drift: shape({ summary: text, detectedAt: text, fields: listOf(change) }),
  },
);

const isMemory = (value: unknown): value is Memory<Json> => memory(value);

/** @param source JSON as it was stored. */
export function parseMemory(source: string): Memory<Json> {
  const value = parseJson(source);
  return isMemory(value) ? value : noMemory;
}
