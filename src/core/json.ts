// Type guards for JSON values, and a parser that returns `undefined` instead of throwing.
import type { Json } from './secret.ts';

export type JsonMap = Readonly<Record<string, Json>>;
export const isJsonMap = (value: Json | undefined): value is JsonMap =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

export const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  isRecord(value) && Object.values(value).every((held) => typeof held === 'string');

/** @returns `undefined` if the text is not JSON */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}
