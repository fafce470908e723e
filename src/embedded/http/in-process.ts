// Calls an embedded service without a connection: one request in, one reply out, through the same handlers.
import type { IncomingHttpHeaders } from 'node:http';
import { handle, refused, rendered, type Client, type Reply, type ServiceOptions } from './server.ts';

export interface InProcessRequest {
  readonly method: string;
  readonly url: string;
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** @param client a blocking request ends when the client closes */
export async function askInProcess(
  service: ServiceOptions,
  { method, url, headers, body }: InProcessRequest,
  client: Client,
): Promise<Reply> {
  const match = service.router.find(method, url.split('?', 1)[0] ?? '', headers);
  const pattern = match.is === 'found' ? match.route.path : '';
  if (!pattern.startsWith('/setup/')) service.log.count(`${method} ${pattern}`);
  try {
    return await handle(service, match, { url, headers }, client, { text: body });
  } catch (error) {
    return refused(service, error);
  }
}

export function textOf({ body }: Reply, url: string): string {
  if (body === undefined || 'stream' in body) return '';
  return 'text' in body ? body.text : rendered({}, body.json, url);
}
