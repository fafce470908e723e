// Classifies refusals of the API server. Their texts may quote values of the object, so only the text of a refused
// permission, which quotes names alone, is shown.
import { ApiError, isOutage } from '../../core/errors.ts';
import { isRecord, parseJson } from '../../core/json.ts';
import type { HttpReply } from '../http/answer.ts';
import { oneLine, retryAfterMs } from '../http/request.ts';

export function refusal(op: string, reply: HttpReply): ApiError {
  const { status } = reply;
  const more = { status, retryAfterMs: retryAfterMs(reply) };
  const said = statusOf(reply.text);
  const message = `${op}: ${said.text || status}`;
  if (status === 401) return new ApiError('unavailable', 'ClusterUnavailable', message, more);
  if (status === 403) return new ApiError('refused', 'PermissionDenied', message, more);
  if (status === 429) return new ApiError('throttled', 'Throttled', message, more);
  // The API server requests a retry: the call had no effect.
  if (status === 503) return new ApiError('unavailable', 'ClusterUnavailable', message, more);
  if (status >= 500)
    return new ApiError('unavailable', 'ClusterUnavailable', message, { ...more, mayHaveHadEffect: true });
  return new ApiError('refused', 'Rejected', message, more);
}

/** Whether the object is absent. If the resource itself is not served, the answer names no object. */
export const isAbsent = ({ status, text }: HttpReply): boolean =>
  status === 404 && statusOf(text).name !== undefined;

interface Said {
  /** For display. */
  readonly text: string;
  /** Name of the object concerned. */
  readonly name?: string;
}

/** Reads a metav1.Status. */
function statusOf(body: string): Said {
  const status = parseJson(body);
  if (!isRecord(status)) return { text: '' };
  const { reason, message, details } = status;
  const about = isRecord(details) ? details['name'] : undefined;
  const name = typeof reason === 'string' ? reason : '';
  const quoted = name === 'Forbidden' && typeof message === 'string' ? message : '';
  const shown = quoted || [name, ...fieldsOf(details)].filter(Boolean).join(' ');
  return { text: oneLine(shown), ...(typeof about === 'string' && { name: about }) };
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
