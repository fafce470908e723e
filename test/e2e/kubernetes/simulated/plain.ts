// Answers of API servers without what differs from one to the other: UIDs become numbers in their order, versions too, and
// times, field managers and what is empty are left out.

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const times = new Set(['creationTimestamp', 'deletionTimestamp', 'time']);
const left = new Set(['managedFields', 'continue', 'selfLink']);
const uids = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

export function plain(answers: readonly unknown[]): readonly unknown[] {
  const known = new Map<string, string>();
  const text = JSON.stringify(answers).replaceAll(uids, (uid) => {
    if (!known.has(uid)) known.set(uid, `uid-${known.size + 1}`);
    return known.get(uid) ?? '';
  });
  const all: unknown = JSON.parse(text);
  const versions = [...new Set(versionsIn(all))].toSorted((a, b) => a - b);
  const placeOf = (version: string): string =>
    `version ${versions.filter((one) => one <= Number(version)).length}`;
  const told = bare(all, placeOf);
  return Array.isArray(told) ? told : [];
}

/** Those of objects: a list, or a bookmark, may be of a later version that nobody here has made. */
function versionsIn(value: unknown): readonly number[] {
  if (Array.isArray(value)) return value.flatMap(versionsIn);
  if (!isFields(value)) return [];
  const { uid, resourceVersion } = value;
  const own = typeof uid === 'string' && typeof resourceVersion === 'string' ? [Number(resourceVersion)] : [];
  return [...own, ...Object.values(value).flatMap(versionsIn)];
}

function bare(value: unknown, placeOf: (version: string) => string): unknown {
  if (Array.isArray(value)) return unrepeated(value.filter(isTold).map((one) => bare(one, placeOf)));
  if (!isFields(value)) return value;
  if (value['type'] === 'BOOKMARK' && isFields(value['object'])) {
    const { apiVersion, kind, metadata } = value['object'];
    return { type: 'BOOKMARK', apiVersion, kind, metadata: bare(metadata, placeOf) };
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name, held]) => !left.has(name) && held !== null)
      .map(([name, held]) => {
        if (times.has(name)) return [name, 'a time'];
        if (name === 'resourceVersion' && typeof held === 'string') return [name, placeOf(held)];
        if (name === 'message' && typeof held === 'string') return [name, held.replaceAll(/\d+/g, 'N')];
        // Versions in the queries of what was asked.
        const shown = name.replace(/(resourceVersion=)\d+/, '$1N');
        return [shown, bare(held, placeOf)];
      }),
  );
}

/** A bookmark that does not mark the end of a list may come at any time. */
const isTold = (event: unknown): boolean =>
  !isFields(event) || event['type'] !== 'BOOKMARK' || JSON.stringify(event).includes('initial-events-end');

/** The real one finds the same flaw of a custom resource twice. */
function unrepeated(all: readonly unknown[]): readonly unknown[] {
  const texts = all.map((one) => JSON.stringify(one));
  return all.filter((one, i) => !isFlaw(one) || texts.indexOf(texts[i] ?? '') === i);
}

const isFlaw = (value: unknown): boolean =>
  isFields(value) && String(value['reason']).startsWith('FieldValue');
