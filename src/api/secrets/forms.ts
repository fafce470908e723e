// The forms in which the document writes some values of a request. Whoever made a service from the document alone may take no
// others; embedded services, Vault and OpenBao take these, too. Answers have either form.
import type { Sealed } from '../../core/secret.ts';
import { isMap } from '../dialects.ts';

/** Lists as text with commas: an entry that holds a comma keeps the list. */
const lists: ReadonlySet<string> = new Set(['allowed_redirect_uris', 'policies']);
/** Durations as text: seconds with their unit. */
const durations: ReadonlySet<string> = new Set(['rotation_period']);

export const asDocumented = (body: Sealed): Sealed =>
  isMap(body)
    ? Object.fromEntries(Object.entries(body).map(([field, held]) => [field, held && formOf(field, held)]))
    : body;

function formOf(field: string, held: Sealed): Sealed {
  if (durations.has(field) && typeof held === 'number') return `${held}s`;
  if (!lists.has(field) || !Array.isArray(held)) return held;
  const isPlain = held.every((one: unknown) => typeof one === 'string' && !one.includes(','));
  return isPlain ? held.join(',') : held;
}
