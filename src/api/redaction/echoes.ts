// Removes secrets from texts of services, which may quote requests. Secrets are found plain, escaped in the usual ways,
// also several times over, in hex, and in base64 at any offset.
import { reveal, type Secret } from '../../core/secret.ts';
import { traced, unescaped, type Traced } from './unescaped.ts';

/** Shorter values are not sought in encoded form: they occur in many texts by chance. */
const encodedBytesMin = 4;
/** Nested escapes to decode. */
const layersMax = 6;

interface Span {
  readonly start: number;
  readonly end: number;
  readonly shown: string;
}

interface Wanted {
  readonly shown: string;
  /** The value itself and its unescaped forms: some of its characters may look like escapes. */
  readonly forms: readonly string[];
  readonly hex: string | undefined;
  readonly base64: readonly Base64[];
}

/** The base64 of a value that starts at a certain byte of a group of three. */
interface Base64 {
  readonly text: string;
  /** How many characters before and after the text hold bits of the value. */
  readonly before: number;
  readonly after: number;
}

/** Replaces these values in the text, in time proportional to its length. */
export function scrubbed(text: string, secrets: readonly Secret[]): string {
  const wanted = secrets.map(wantedOf).filter(({ forms }) => forms.length > 0);
  if (wanted.length === 0) return text;
  const spans: Span[] = [];
  for (const layer of layersOf(traced(text))) {
    const plain = spaced(layer.bytes);
    const hex = layer.bytes.toLowerCase();
    const packed = packedIn(layer);
    for (const { shown, forms, hex: inHex, base64 } of wanted) {
      for (const form of forms) spans.push(...spansOf(layer, plain, { text: form, shown }));
      if (inHex !== undefined) spans.push(...spansOf(layer, hex, { text: inHex, shown }));
      for (const one of base64) spans.push(...spansOf(packed, packed.bytes, { ...one, shown }));
    }
  }
  return without(text, spans);
}

function* layersOf(text: Traced): Generator<Traced> {
  let layer = text;
  for (let n = 0; n <= layersMax; n += 1) {
    yield layer;
    const next = unescaped(layer);
    if (next.bytes === layer.bytes) return;
    layer = next;
  }
}

/** In web forms, a plus stands for a space. */
const spaced = (bytes: string): string => bytes.replaceAll('+', ' ');

function wantedOf(secret: Secret): Wanted {
  const value = reveal(secret).trim();
  const [first, ...others] = Array.from(layersOf(traced(value)), ({ bytes }) => spaced(bytes));
  const whole = first ?? '';
  const meant = others.filter((form) => form.length >= Math.min(encodedBytesMin, whole.length));
  const bytes = Buffer.from(value);
  const isLong = bytes.length >= encodedBytesMin;
  return {
    shown: secret.toString(),
    forms: [...new Set([whole, ...meant])].filter((form) => form !== ''),
    hex: isLong ? bytes.toString('hex') : undefined,
    base64: isLong ? [0, 1, 2].map((offset) => base64Of(bytes, offset)) : [],
  };
}

function base64Of(bytes: Buffer, offset: number): Base64 {
  const begin = Math.ceil((offset * 8) / 6);
  const bits = (offset + bytes.length) * 8;
  const all = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
  return {
    text: all.slice(begin, Math.floor(bits / 6)),
    before: offset === 0 ? 0 : 1,
    after: bits % 6 === 0 ? 0 : 1,
  };
}

/** Reads the text as base64: the URL alphabet becomes the standard one, and line breaks are removed. */
function packedIn({ bytes, starts, ends }: Traced): Traced {
  const standard = bytes.replaceAll('-', '+').replaceAll('_', '/');
  if (!/[\r\n]/.test(standard)) return { bytes: standard, starts, ends };
  const kept = Uint32Array.from(standard.matchAll(/[^\r\n]/g), ({ index }) => index);
  return {
    bytes: standard.replaceAll(/[\r\n]/g, ''),
    starts: kept.map((at) => starts[at] ?? 0),
    ends: kept.map((at) => ends[at] ?? 0),
  };
}

function* spansOf(
  { starts, ends }: Traced,
  bytes: string,
  { text, shown, before = 0, after = 0 }: Partial<Base64> & { readonly text: string; readonly shown: string },
): Generator<Span> {
  for (let at = bytes.indexOf(text); at >= 0; at = bytes.indexOf(text, at + text.length)) {
    const last = Math.min(at + text.length - 1 + after, bytes.length - 1);
    yield { start: starts[Math.max(at - before, 0)] ?? 0, end: ends[last] ?? 0, shown };
  }
}

/** Overlapping spans are replaced by the name of the earliest, and of the longest of these. */
function without(text: string, spans: readonly Span[]): string {
  let left = '';
  let done = 0;
  for (const { start, end, shown } of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (start >= done) left += text.slice(done, start) + shown;
    done = Math.max(done, end);
  }
  return left + text.slice(done);
}
