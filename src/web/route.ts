// Routes paths to answers.
import { kindOf, problemKinds } from '../core/text/problem.ts';
import type { UnmanagedView } from '../core/status/view.ts';
import type { Scene } from './pages/scene.ts';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { page, pageHeaders, text, type Answer } from './answer.ts';
import { assetAnswer, type Assets } from './assets.ts';
import { refusalOf, type Authorize } from './authorize.ts';
import type { Board } from './pages/board.ts';
import { detailPart } from './pages/detail.ts';
import type { Events } from './events.ts';
import { html } from './pages/html.ts';
import { layout } from './pages/layout.ts';
import { listMain, titleText } from './pages/objects.ts';
import { unmanagedMain } from './pages/unmanaged.ts';
import { keyOfPath, queryText, readQuery } from './query.ts';
import type { Shows } from './reader.ts';

export interface Site {
  readonly assets: Assets;
  readonly board: Board;
  readonly events: Events;
  readonly scene: () => Scene;
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  /** What nobody declares. Never rejects. */
  readonly unmanaged: () => Promise<UnmanagedView>;
  readonly ready: () => boolean;
  readonly alive: () => boolean;
  /** Asked for every path but the probes. Absent: every client may read. */
  readonly authorize: Authorize | undefined;
}

const urlMax = 4_096;

/** @returns `undefined`: already answered */
export async function route(
  site: Site,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const { url = '' } = request;
  if (url.length > urlMax) return text(414, `The address is longer than ${urlMax} characters.`);
  const [path = '', ...search] = url.split('?');
  const parameters = new URLSearchParams(search.join('?'));
  if (path === '/healthz') return site.alive() ? text(200, 'ok') : text(503, 'not alive');
  if (path === '/readyz') return readiness(site, parameters.has('verbose'));
  const refusal = site.authorize && (await refusalOf(site.authorize, request, path));
  if (refusal) return refusal;
  switch (path) {
    case '/':
      return await list(site, parameters);
    case '/events':
      return await listen(site, parameters, request, response);
    case '/unmanaged':
      return await unmanaged(site);
    case '/metrics':
      return { status: 200, type: site.metrics.contentType, body: await site.metrics.metrics() };
  }
  if (path.startsWith('/assets/')) return assetAnswer(site.assets, path, request.headers['if-none-match']);
  const key = keyOfPath(path);
  return key === undefined ? nowhere(site) : object(site, key);
}

/**
 * Any client may ask, so the answer names no files. Problems of files are reported, but do not make the operator unready:
 * it goes on with all other objects.
 */
function readiness({ ready, scene }: Site, verbose: boolean): Answer {
  const isReady = ready();
  const status = isReady ? 200 : 503;
  if (!verbose) return text(status, isReady ? 'ok' : 'not ready');
  const counts = Map.groupBy(scene().view.problems(), kindOf);
  const found = problemKinds.flatMap((kind) => {
    const count = counts.get(kind)?.length ?? 0;
    return count === 0 ? [] : [`${kind} ${count}`];
  });
  const files = found.length === 0 ? '[+]files ok' : `[-]files have problems: ${found.join(', ')}`;
  const end = `readyz check ${isReady ? 'passed' : 'failed'}`;
  return text(
    status,
    [`[${isReady ? '+' : '-'}]listed ${isReady ? 'ok' : 'not yet'}`, files, end].join('\n'),
  );
}

async function list({ board, scene }: Site, parameters: URLSearchParams): Promise<Answer> {
  await board.refresh();
  const query = readQuery(parameters);
  const now = scene();
  const main = listMain(now, query, board.page(query));
  const title = titleText(board.summary.counts);
  return page(200, layout({ ...now, main, title, events: `/events?${queryText(query)}` }));
}

function object({ scene }: Site, key: string): Answer {
  const now = scene();
  const found = now.view.object(key);
  const main = html`<nav class="trail" aria-label="Trail"><a href="/">← All objects</a></nav>
    ${detailPart(key, found, now.wallMs)}`;
  const events = `/events?${new URLSearchParams({ object: key }).toString()}`;
  const title = `${found?.key.name ?? 'No such object'}, Holdfast`;
  return page(found ? 200 : 404, layout({ ...now, main, title, events }));
}

async function unmanaged({ scene, unmanaged: read }: Site): Promise<Answer> {
  const found = await read();
  const now = scene();
  const main = unmanagedMain(found, now.wallMs);
  return page(200, layout({ ...now, main, title: 'What nobody declares, Holdfast' }));
}

function nowhere({ scene }: Site): Answer {
  const main = html`<div class="detail">
    <h1>No such page</h1>
    <p><a href="/">All objects</a></p>
  </div>`;
  return page(404, layout({ ...scene(), main, title: 'No such page, Holdfast' }));
}

async function listen(
  { board, events }: Site,
  parameters: URLSearchParams,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<Answer | undefined> {
  const key = parameters.get('object');
  const shows: Shows =
    key === null ? { page: 'list', query: readQuery(parameters) } : { page: 'object', key };
  await board.refresh();
  if (response.destroyed) return undefined;
  if (events.full) {
    const full = text(503, 'Too many browsers are listening: this page is not live.');
    return { ...full, headers: { 'Retry-After': '30' } };
  }
  response.writeHead(200, {
    ...pageHeaders,
    'Content-Type': 'text/event-stream; charset=utf-8',
    'X-Accel-Buffering': 'no',
  });
  if (request.method === 'HEAD') response.end();
  else events.open(response, shows);
  return undefined;
}
