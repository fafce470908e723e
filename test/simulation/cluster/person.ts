// What somebody asks of an API server, at once and without a network in between.
import type { ApiServer } from './api-server.ts';

const nobody = { closed: false, once: () => {} };

/** @returns the status of the answer */
export function asked(api: ApiServer, method: string, url: string, body?: unknown): number {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const headers = { accept: 'application/json', 'content-type': type };
  const text = body === undefined ? '' : JSON.stringify(body);
  return api.handle({ method, url, headers, body: text }, nobody).status;
}
