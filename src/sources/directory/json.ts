// JSON of which nothing is known but that it should be JSON: it is looked at before it is believed.

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Names and texts, as requests have them. */
export const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((held) => typeof held === 'string');

/** The value of `source`; `undefined` where it is not JSON. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
