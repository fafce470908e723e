// Decodes a watch of the API server: one JSON document per line.
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { linesOf } from '../http/lines.ts';
import { jsonOf } from '../http/request.ts';
import { objectOf, type KubernetesObject } from './resources.ts';

export type WatchEvent =
  | { readonly is: 'changed' | 'deleted'; readonly object: KubernetesObject }
  /** All changes up to this version were sent. initial: all objects that existed at the start were sent. */
  | { readonly is: 'bookmark'; readonly resourceVersion: string; readonly initial: boolean };

/** etcd accepts 1.5 MiB, which may be longer as JSON. */
const lineBytesMax = 16 * 2 ** 20;

/** @throws ApiError for an unreadable line, and for an error event: `PageTokenExpired` if the version is too old */
export async function* eventsOf(op: string, chunks: AsyncIterable<Buffer>): AsyncGenerator<WatchEvent> {
  for await (const line of linesOf(op, chunks, lineBytesMax)) {
    const event = jsonOf(op, line);
    const { type, object } = isRecord(event) ? event : {};
    if (type === 'ERROR') throw errorOf(op, object);
    if (type === 'BOOKMARK') yield bookmarkOf(op, object);
    else if (type === 'ADDED' || type === 'MODIFIED') yield { is: 'changed', object: objectOf(op, object) };
    else if (type === 'DELETED') yield { is: 'deleted', object: objectOf(op, object) };
    else throw new ApiError('unreadable', 'InvalidResponse', `${op}: the answer has an unknown event`);
  }
}

function errorOf(op: string, status: unknown): ApiError {
  const { code } = isRecord(status) ? status : {};
  return code === 410
    ? new ApiError('unavailable', 'PageTokenExpired', `${op}: expired`)
    : new ApiError(
        'unavailable',
        'ClusterUnavailable',
        `${op}: error ${typeof code === 'number' ? code : ''}`.trim(),
      );
}

function bookmarkOf(op: string, object: unknown): WatchEvent {
  const { metadata } = isRecord(object) ? object : {};
  const { resourceVersion, annotations } = isRecord(metadata) ? metadata : {};
  if (typeof resourceVersion !== 'string') {
    throw new ApiError('unreadable', 'InvalidResponse', `${op}: the answer has a bookmark without a version`);
  }
  const initial = isRecord(annotations) && annotations['k8s.io/initial-events-end'] === 'true';
  return { is: 'bookmark', resourceVersion, initial };
}
