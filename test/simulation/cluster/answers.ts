// What the API server answers when it refuses: a metav1.Status, in its words.
import type { Resource } from '../../../src/api/kubernetes/resources.ts';
import type { Reply } from '../../../src/embedded/http/server.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Thrown where a request is refused. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly reply: Reply;
  constructor(code: number, reason: string, message: string, details?: Fields) {
    super(message);
    this.reply = { status: code, body: { json: failure(code, reason, message, details) } };
  }
}

export const failure = (code: number, reason: string, message: string, details?: Fields): Fields => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message,
  ...(reason && { reason }),
  ...(details && { details }),
  code,
});

export const groupOf = ({ apiVersion }: Pick<Resource, 'apiVersion'>): string =>
  apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';

const qualified = (name: string, group: string): string => (group === '' ? name : `${name}.${group}`);

/** `disks.example.org`, as messages name a resource. */
const nameOf = (of: Resource): string => qualified(of.plural, groupOf(of));

function detailsOf(of: Resource, name: string): Fields {
  const group = groupOf(of);
  return { name, ...(group && { group }), kind: of.plural };
}

export const success = (of: Resource, name: string, uid: string): Fields => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { ...detailsOf(of, name), uid },
});

export const badRequest = (message: string): Refused => new Refused(400, 'BadRequest', message);

/** Of what there could be in a group that the API server has itself. */
export const unknownResource = (): Refused =>
  new Refused(404, 'NotFound', 'the server could not find the requested resource', {});

/** Of a path that nobody serves: it is no Status. */
export const unknownPath: Reply = { status: 404, body: { text: '404 page not found\n' } };

export const notFound = (of: Resource, name: string): Refused =>
  new Refused(404, 'NotFound', `${nameOf(of)} ${JSON.stringify(name)} not found`, detailsOf(of, name));

export function alreadyExists(of: Resource, name: string, deleting: boolean): Refused {
  const said = `${nameOf(of)} ${JSON.stringify(name)} already exists`;
  const message = deleting ? `object is being deleted: ${said}` : said;
  return new Refused(409, 'AlreadyExists', message, detailsOf(of, name));
}

/** @param plural as the API server names it: here and there by its kind */
export function conflict(of: Resource, name: string, why: string, plural = of.plural): Refused {
  const at = { ...of, plural };
  const message = `Operation cannot be fulfilled on ${nameOf(at)} ${JSON.stringify(name)}: ${why}`;
  return new Refused(409, 'Conflict', message, detailsOf(at, name));
}

export const otherVersion = (of: Resource, name: string): Refused =>
  conflict(
    of,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );

export const forbidden = (of: Resource, name: string, why: string, causes?: readonly Fields[]): Refused =>
  new Refused(403, 'Forbidden', `${nameOf(of)} ${JSON.stringify(name)} is forbidden: ${why}`, {
    ...detailsOf(of, name),
    ...(causes && { causes }),
  });

export interface Flaw {
  readonly field: string;
  readonly reason: 'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired';
  readonly message: string;
}

/** @param kind as the API server names what is invalid: mostly the kind, sometimes the plural */
export function invalid(of: Resource, name: string, flaws: readonly Flaw[], kind = of.kind): Refused {
  const group = groupOf(of);
  const said = flaws.map(({ field, message }) => `${field}: ${message}`);
  const all = said.length === 1 ? said.join('') : `[${said.join(', ')}]`;
  const message = `${qualified(kind, group)} ${JSON.stringify(name)} is invalid: ${all}`;
  const causes = flaws.map(({ field, reason, message: text }) => ({ reason, message: text, field }));
  return new Refused(422, 'Invalid', message, {
    ...(name && { name }),
    ...(group && { group }),
    kind,
    causes,
  });
}
