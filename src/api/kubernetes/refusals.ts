// Classifies refusals of the API server. Their texts may quote values of the object, those of admission webhooks among
// them, so only texts of the API server's own that quote names alone are shown.
import { ApiError, isOutage } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import { reveal, Secret, type Sealed } from '../../core/secret.ts';
import type { HttpReply } from '../http/answer.ts';
import { oneLine, retryAfterMs, secretsIn } from '../http/request.ts';
import { scrubbed } from '../redaction/echoes.ts';

/** @param body what was sent: none of its secrets is shown */
export function refusal(op: string, reply: HttpReply, body: Sealed = null): ApiError {
  const { status } = reply;
  const more = { status, retryAfterMs: retryAfterMs(reply) };
  const said = statusOf(reply.text);
  const message = `${op}: ${oneLine(scrubbed(said.text, sentIn(body))) || wordless(status)}`;
  if (status === 401) return new ApiError('unavailable', 'ClusterUnavailable', message, more);
  if (status === 403) return new ApiError('refused', 'PermissionDenied', message, more);
  if (status === 429) return new ApiError('throttled', 'Throttled', message, more);
  // The API server requests a retry: the call had no effect.
  if (status === 503) return new ApiError('unavailable', 'ClusterUnavailable', message, more);
  if (status >= 500)
    return new ApiError('unavailable', 'ClusterUnavailable', message, { ...more, mayHaveHadEffect: true });
  return new ApiError('refused', 'Rejected', message, more);
}

/** A resource that is not served is answered by a page, not by a metav1.Status. */
const wordless = (status: number): string =>
  status === 404 ? '404, as where its CustomResourceDefinition is not installed' : String(status);

/** The secrets of a body, and what they hold in base64, as the values of a Secret do. */
const sentIn = (body: Sealed): readonly Secret[] =>
  secretsIn(body).flatMap((secret) => {
    const value = reveal(secret);
    const bytes = Buffer.from(value, 'base64');
    const isPacked = bytes.toString('base64') === value;
    return isPacked ? [secret, Secret.of(secret.source, secret.version, bytes.toString())] : [secret];
  });

/** Whether the object is absent. If the resource itself is not served, the answer names no object. */
export const isAbsent = ({ status, text }: HttpReply): boolean =>
  status === 404 && statusOf(text).name !== undefined;

interface Said {
  /** For display, once secrets are removed from it. */
  readonly text: string;
  /** Name of the object concerned. */
  readonly name?: string;
}

/**
 * The API server's own: a permission that is not given, a quota that is used up, a namespace that is being deleted. And what the
 * policies of deploy/kustomize/admission say, which name verbs.
 */
const harmless =
  /^(\S+( "[^"]*")? is forbidden: |forbidden: )?(User "[^"]*" cannot |exceeded quota: |unable to create new content in namespace |ValidatingAdmissionPolicy 'holdfast-[^']*' with binding 'holdfast-)/;
/** The API server puts the name before what the webhook or the policy says. */
const denial =
  /^(?:\S+ "[^"]*" is forbidden: )?(admission webhook "[^"]*"|ValidatingAdmissionPolicy '[^']*')/;

/** Some webhooks put what they say in place of the reason. */
const isWord = (reason: string): boolean => /^[A-Za-z]{1,64}$/.test(reason);

/** Reads a metav1.Status. */
function statusOf(body: string): Said {
  const status = parseJson(body);
  if (!isRecord(status)) return { text: '' };
  const { reason, message, details } = status;
  const about = isRecord(details) ? details['name'] : undefined;
  const name = typeof reason === 'string' && isWord(reason) ? reason : '';
  const said = typeof message === 'string' ? message : '';
  const [, by] = denial.exec(said) ?? [];
  const parts = [name, ...fieldsOf(details), by && `denied by ${by}`];
  const text = name === 'Forbidden' && harmless.test(said) ? said : parts.filter(Boolean).join(' ');
  return { text, ...(typeof about === 'string' && { name: about }) };
}

function fieldsOf(details: unknown): readonly string[] {
  const causes = isRecord(details) ? details['causes'] : undefined;
  if (!Array.isArray(causes)) return [];
  return causes.slice(0, 5).flatMap((cause: unknown) => {
    const field = isRecord(cause) ? cause['field'] : undefined;
    return typeof field === 'string' ? [field] : [];
  });
}

/** Turns an outage into `ClusterUnavailable`: it is the API server's, not one of a declared service. */
export function ofCluster(error: unknown): unknown {
  if (!isOutage(error)) return error;
  const { status, message, mayHaveHadEffect, cause } = error;
  return new ApiError(error.class, 'ClusterUnavailable', message, {
    mayHaveHadEffect,
    cause,
    retryAfterMs: error.retryAfterMs,
    ...(status !== undefined && { status }),
  });
}
