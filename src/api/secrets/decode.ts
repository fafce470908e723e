// Decodes answers of the secrets service: without envelopes, in the neutral shape, with boxed secrets.
import { ApiError } from '../../core/errors.ts';
import { Secret, type Json, type Sealed } from '../../core/secret.ts';
import { isMap, raiseSecrets } from '../dialects.ts';
import { jsonOf } from '../http/request.ts';
import type { Route } from '../route.ts';
import { secretsRoutes, type SecretsOperations } from './routes.ts';
import type { SecretsOp } from './refusals.ts';

/** Secrets that answers may hold although no caller needs them, such as the token in its lookup. They are removed. */
const unasked: readonly string[] = [
  'id',
  'client_token',
  'password',
  'last_password',
  'bindpass',
  'oidc_client_secret',
  'credentials',
];
/** The same, in the `provider_config` of an identity provider. */
const keyField = 'workspace_service_account';

export type AnsweringOp = {
  [O in SecretsOp]: unknown extends SecretsOperations[O]['reply'] ? never : O;
}[SecretsOp];

/**
 * The one place that types an answer. Readers treat every field as optional.
 * @param where the path, for the source of boxed secrets
 * @throws ApiError, which does not quote the answer
 */
export function decode<O extends AnsweringOp>(
  op: O,
  where: string,
  text: string,
): SecretsOperations[O]['reply'] {
  const answer = jsonOf(op, text);
  try {
    const raised = raiseSecrets(unwrapped(op, answer));
    // oxlint-disable-next-line no-unsafe-type-assertion -- readers doubt each field: a service's answer is never proven
    return boxed(op, where, raised) as SecretsOperations[O]['reply'];
  } catch (error) {
    if (error instanceof ApiError) throw error;
    throw unreadable(op, 'is nested too deeply'); // no other failure is possible; the cause could quote the answer
  }
}

const unreadable = (op: string, what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `${op}: the answer ${what}`);

/** Removes the envelope, if there is one, whatever the dialect (services.md#secrets-dialects). */
function unwrapped(op: SecretsOp, answer: Json): Sealed {
  const data = isMap(answer) && 'data' in answer ? answer['data'] : answer;
  if (op.endsWith('.list')) {
    const keys = isMap(data) ? data['keys'] : data;
    if (!isList(keys)) throw unreadable(op, 'is not a list of names');
    return { keys: keys.filter((key) => typeof key === 'string') };
  }
  const held = isGrant(op) ? isMap(answer) && answer['auth'] : op === 'sys.health' ? answer : data;
  if (!isMap(held)) throw unreadable(op, 'is not an object');
  return held;
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value);
const isGrant = (op: SecretsOp): boolean => op === 'token.renew' || op.startsWith('login.');

/** The version of a credential is the time of its rotation; a token has no version. A version is never a hash. */
function boxed(op: SecretsOp, where: string, value: Sealed): Sealed {
  if (!isMap(value)) return value;
  const { secret }: Route = secretsRoutes[op];
  const rotated = value['last_service_rotation'];
  const version = typeof rotated === 'string' ? rotated : '';
  const out: [string, Sealed | undefined][] = [];
  for (const [name, held] of Object.entries(value)) {
    if (secret?.includes(name) === true && held !== null) {
      if (typeof held !== 'string') throw unreadable(op, `has no text for ${name}`);
      const from = name.startsWith('last_') ? `before ${version}` : version;
      out.push([name, Secret.of(`${where}/${name}`, from, held)]);
    } else if (name === 'provider_config' && held !== undefined && isMap(held)) {
      out.push([name, Object.fromEntries(Object.entries(held).filter(([field]) => field !== keyField))]);
    } else if (!unasked.includes(name)) out.push([name, held]);
  }
  return Object.fromEntries(out);
}

/** The error texts of an answer; `undefined` if it does not have the service's error format. */
export function errorsIn(text: string): readonly string[] | undefined {
  const answer = parsed(text);
  const errors = isMap(answer) ? answer['errors'] : undefined;
  return isList(errors) ? errors.filter((one) => typeof one === 'string') : undefined;
}

const warningsMax = 16;
const warningMax = 65_536;

export function warningsIn(text: string): readonly string[] {
  const answer = parsed(text);
  const warnings = isMap(answer) ? answer['warnings'] : undefined;
  if (!isList(warnings)) return [];
  return warnings
    .filter((one) => typeof one === 'string')
    .filter((one) => one.length <= warningMax)
    .slice(0, warningsMax);
}

function parsed(text: string): Json | undefined {
  try {
    return jsonOf('', text);
  } catch {
    return undefined;
  }
}
