// Both services for the benchmarks of an operator at work, in a process of their own, which cluster.ts starts and which
// ends with it. In memory only. It tells when each volume was changed, by whom, and whether anybody asks for anything.
// Argument: for how many roles the directory has an entry.
import { channel } from 'node:diagnostics_channel';
import { IncomingMessage, ServerResponse } from 'node:http';
import { startScheduler } from '../../src/embedded/scheduler/server.ts';
import { defaultSeed as secretsSeed } from '../../src/embedded/secrets/fixtures/seed.ts';
import { startSecrets } from '../../src/embedded/secrets/server.ts';
import { injectorHeader, type Change, type Question, type Told } from './cluster.ts';
import { roleDN, roleName } from './declared.ts';
import { token } from './input.ts';

const nowMs = (): number => performance.timeOrigin + performance.now();

let changes: Change[] = [];
/** Queries that wait for something to change. */
let blocked = 0;
/** Something else than that was under way. */
let lastMs = nowMs();

/** Commits are made in the turn in which their reply is given out, so that a reply's end tells of both. */
function change({ url = '', method = 'GET', headers }: IncomingMessage, response: ServerResponse): void {
  const volume = /^\/v1\/volume\/csi\/([^/?]+)/.exec(url)?.[1];
  if (volume === undefined || method === 'GET') return;
  const by = injectorHeader in headers ? 'injector' : 'operator';
  const watched = blocked > 0;
  response.once('finish', () => {
    changes.push({ volume, by, watched, status: response.statusCode, atMs: nowMs() });
  });
}

function started(request: IncomingMessage, response: ServerResponse): void {
  if (/[?&]index=/.test(request.url ?? '')) {
    blocked += 1;
    response.once('close', () => (blocked -= 1));
    return;
  }
  lastMs = nowMs();
  response.once('close', () => (lastMs = nowMs()));
  change(request, response);
}

channel('http.server.request.start').subscribe((message) => {
  if (message === null || typeof message !== 'object') return;
  if (!('request' in message) || !(message.request instanceof IncomingMessage)) return;
  if (!('response' in message) || !(message.response instanceof ServerResponse)) return;
  started(message.request, message.response);
});

const roles = Number(process.argv[2]);
const entries = Array.from({ length: roles }, (_, i) => ({
  dn: roleDN(i),
  password: `before-${roleName(i)}`,
  attributes: { uid: roleName(i) },
}));
const node = { id: '0b5f2a6e-3c1d-4e7a-9f10-5a2b8c7d6e01', name: 'node' };
const plugin = { id: 'disk', provider: 'disk.csi.example', capabilities: ['CREATE_DELETE_VOLUME'] };
const scheduler = await startScheduler({
  dialect: 'nomad',
  token,
  seed: { nodes: [node], plugins: [plugin] },
});
const secrets = await startSecrets({
  dialect: 'vault',
  token,
  seed: { ...secretsSeed, entries: [...(secretsSeed.entries ?? []), ...entries] },
});

const look = (): Told['look'] => ({
  scheduler: scheduler.counters(),
  secrets: secrets.counters(),
  blocked,
  quietMs: nowMs() - lastMs,
});

function takeChanges(): readonly Change[] {
  const taken = changes;
  changes = [];
  return taken;
}

process.on('message', (question: Question) => {
  process.send?.(question === 'look' ? look() : takeChanges());
});
process.on('disconnect', () => process.exit());
process.send?.({ scheduler: scheduler.url, secrets: secrets.url });
