// Every version of the declared objects that somebody who watches is shown.
import { Agent, request } from 'undici';
import { onTestFinished } from 'vitest';
import { resources } from '../../../src/runtime/kinds/lookup.ts';
import type { Cluster } from './cluster.ts';
import type { Live } from './installed.ts';

interface WatchLine {
  readonly type: string;
  readonly object: Live;
}

/** @returns what is filled from now on, in the order of each kind */
export async function versions(cluster: Cluster): Promise<readonly Live[]> {
  const seen: Live[] = [];
  const dispatcher = new Agent({ connect: { ca: cluster.ca }, bodyTimeout: 0 });
  onTestFinished(() => dispatcher.destroy());
  for (const [kind, { plural }] of resources) {
    const url = `${cluster.url}/apis/holdfast.dev/v1alpha1/${plural}?watch=true`;
    const headers = { authorization: `Bearer ${cluster.adminToken}` };
    const { body, statusCode } = await request(url, { dispatcher, headers });
    if (statusCode !== 200) throw new Error(`${plural} can't be watched: ${statusCode}`);
    let rest = '';
    body.setEncoding('utf8');
    body
      .on('error', () => {})
      .on('data', (text: string) => {
        const lines = (rest + text).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          // oxlint-disable-next-line no-unsafe-type-assertion -- as the API server answers
          const { type, object } = JSON.parse(line) as WatchLine;
          if (type === 'ADDED' || type === 'MODIFIED') seen.push({ ...object, kind });
        }
      });
  }
  return seen;
}
