// Parses documents of Kubernetes' `kind: Secret` and decodes their values. No message holds any part of a value.
import { isUtf8 } from 'node:buffer';
import { SpecError } from '../../../core/errors.ts';
import type { Json } from '../../../core/secret.ts';
import { isJsonMap, type JsonMap } from '../../../core/json.ts';
import { pointerTo, shown, unknownField } from '../../../schema/problems.ts';

export interface DeclaredSecret {
  readonly namespace: string;
  readonly name: string;
  readonly entries: ReadonlyMap<string, string>;
  /** Path relative to the tree, or to the directory of secrets. */
  readonly origin: string;
}

const fields = ['apiVersion', 'kind', 'metadata', 'type', 'immutable', 'data', 'stringData'];
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const forms = {
  subdomain: {
    form: /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/,
    words: 'a name: a-z, 0-9, - and . inside, up to 253 characters',
  },
  label: {
    form: /^(?=.{1,63}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?$/,
    words: 'a name: a-z, 0-9 and - inside, up to 63 characters',
  },
  entry: {
    form: /^(?=.{1,253}$)\.?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$/,
    words: 'a key: letters, digits, -, _ and ., up to 253 characters',
  },
} as const;

/** Whether a Secret may have an entry of this name. */
export const isEntry = (text: string): boolean => forms.entry.form.test(text);

export function named(what: keyof typeof forms, text: Json | undefined, path: string): string {
  const { form, words } = forms[what];
  if (typeof text === 'string' && form.test(text)) return text;
  if (text === undefined) throw new SpecError(path, `is required (${words})`, '');
  throw new SpecError(path, words, shown(text));
}

export function parseSecret(document: JsonMap, origin: string): DeclaredSecret {
  const unknown = Object.keys(document).find((field) => !fields.includes(field));
  if (unknown !== undefined) throw new SpecError(below('', unknown), unknownField(unknown, fields), '');
  const { apiVersion } = document;
  if (apiVersion !== 'v1') throw new SpecError('/apiVersion', 'v1', shown(apiVersion));
  const metadata = mapAt(document, 'metadata');
  const entries = new Map<string, string>();
  for (const [key, value] of Object.entries(mapAt(document, 'data'))) {
    const path = below('/data', key);
    entries.set(named('entry', key, path), fromBase64(textOf(value, path), path));
  }
  for (const [key, value] of Object.entries(mapAt(document, 'stringData'))) {
    const path = below('/stringData', key);
    entries.set(named('entry', key, path), textOf(value, path));
  }
  return {
    namespace: named('label', metadata['namespace'] ?? 'default', '/metadata/namespace'),
    name: named('subdomain', metadata['name'], '/metadata/name'),
    entries,
    origin,
  };
}

const below = (path: string, key: string): string => pointerTo(path, [key.slice(0, 80)]);

function mapAt(document: JsonMap, field: string): JsonMap {
  const value = document[field] ?? {}; // `data:` with nothing below it is null
  if (isJsonMap(value)) return value;
  throw new SpecError(`/${field}`, 'a map', sortOf(value));
}

function textOf(value: Json, path: string): string {
  if (typeof value === 'string') return value;
  throw new SpecError(path, 'text (in quotes, if it looks like something else)', sortOf(value));
}

/** Kubernetes folds long values into lines, so white space is skipped. */
function fromBase64(text: string, path: string): string {
  const packed = text.replaceAll(/\s/g, '');
  if (!base64.test(packed)) {
    throw new SpecError(path, 'base64 (plain text goes into stringData)', 'something else');
  }
  const bytes = Buffer.from(packed, 'base64');
  if (!isUtf8(bytes)) throw new SpecError(path, 'base64 of UTF-8 text', 'other bytes');
  return bytes.toString('utf8');
}

/** Names the sort of a value without showing it. */
function sortOf(value: Json): string {
  if (value === null) return 'nothing';
  return Array.isArray(value) ? 'a list' : isJsonMap(value) ? 'a map' : `a ${typeof value}`;
}
