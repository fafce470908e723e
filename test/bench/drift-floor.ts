// The floor of the drift benchmark: it knows which volume is changed next, waits for that by a blocking query, and sends
// the repair at once. It lists nothing, compares nothing, plans nothing. Argument: a file with what drift.ts wrote.
import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import type { FloorTask } from './drift.ts';

const task: FloorTask = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8'));
const headers = { 'x-nomad-token': task.token, 'content-type': 'application/json' };
const pool = new Pool(task.url, { connections: 1 });

/** The row at which this volume stands, or would stand. */
async function look(volume: string, index = 0): Promise<{ readonly index: number; readonly row: string }> {
  const wait = index > 0 ? `&wait=60s&index=${index}` : '';
  const path = `/v1/volumes?type=csi&namespace=default&per_page=1&next_token=default.${volume}${wait}`;
  const reply = await pool.request({ method: 'GET', path, headers });
  const [row]: readonly { readonly ID: string; readonly ModifyIndex: number }[] = JSON.parse(
    await reply.body.text(),
  );
  return { index: Number(reply.headers['x-nomad-index']), row: `${row?.ID} ${row?.ModifyIndex}` };
}

for (const { volume, body } of task.repairs) {
  const first = await look(volume);
  process.stdout.write('watching\n');
  let now = first;
  while (now.row === first.row) now = await look(volume, now.index);
  const path = `/v1/volume/csi/${volume}?namespace=default`;
  const { statusCode, body: reply } = await pool.request({ method: 'PUT', path, headers, body });
  const text = await reply.text();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text}`);
}
await pool.close();
