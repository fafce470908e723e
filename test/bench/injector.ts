// Changes volumes behind the operator's back, in an open loop: each change is sent at its own time, whether or not those
// before it were answered or repaired. So a slow repair can't hold back the samples that would show it.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { injectorHeader } from './cluster.ts';
import { token } from './input.ts';

/** A volume as the API gives it, in the shape of Nomad's dialect. */
export interface Found {
  readonly ID: string;
  readonly ExternalID: string;
  readonly MountOptions: { readonly FSType: string; readonly MountFlags: readonly string[] };
}

export type How = 'deregistered' | 'changed';

export interface Injection {
  readonly how: How;
  readonly found: Found;
}

export interface Schedule {
  readonly injections: readonly Injection[];
  readonly intervalMs: number;
}

const headers = { 'x-nomad-token': token };
const pathOf = (id: string): string => `/v1/volume/csi/${id}?namespace=default`;

/** What registers it as it was found. */
export const registration = (found: Found): string => JSON.stringify({ Volumes: [found] });

/** So many, spread over the volumes, every other one a field that is changed. @param url of the scheduler */
export async function injectionsFor(
  url: string,
  volumes: number,
  samples: number,
): Promise<readonly Injection[]> {
  const names = Array.from(
    { length: samples },
    (_, i) => `volume-${String((i * 7_919) % volumes).padStart(6, '0')}`, // a prime: neighbours are far apart
  );
  const found = new Map(await read(url, new Set(names)));
  return names.map((name, i): Injection => {
    const one = found.get(name);
    if (!one) throw new Error(`no ${name}`);
    return { how: i % 2 === 0 ? 'deregistered' : 'changed', found: one };
  });
}

/** @throws Error where one of them is not as it was found first */
export async function checkRestored(url: string, injections: readonly Injection[]): Promise<void> {
  const before = new Map(injections.map(({ found }) => [found.ID, found]));
  for (const [id, now] of await read(url, before.keys())) {
    const then = before.get(id);
    const restored =
      now.ExternalID === then?.ExternalID &&
      now.MountOptions.FSType === then.MountOptions.FSType &&
      String(now.MountOptions.MountFlags) === String(then.MountOptions.MountFlags);
    if (!restored) throw new Error(`${id} is not as it was: ${JSON.stringify(now)}`);
  }
}

async function read(url: string, ids: Iterable<string>): Promise<readonly (readonly [string, Found])[]> {
  const pool = new Pool(url, { connections: 1 });
  const all: (readonly [string, Found])[] = [];
  for (const id of ids) {
    const { statusCode, body } = await pool.request({ method: 'GET', path: pathOf(id), headers });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${id}: ${statusCode} ${text}`);
    const found: Found = JSON.parse(text);
    all.push([id, found]);
  }
  await pool.close();
  return all;
}

/**
 * Resolves when all are answered.
 * @returns when each was to be sent: milliseconds since 1970
 * @throws Error where one is refused
 */
export async function inject(url: string, { injections, intervalMs }: Schedule): Promise<readonly number[]> {
  const pool = new Pool(url, { connections: 8 });
  const send = async ({ how, found }: Injection): Promise<void> => {
    const put = {
      method: 'PUT',
      body: registration({ ...found, MountOptions: { ...found.MountOptions, FSType: 'xfs' } }),
    } as const;
    const { statusCode, body } = await pool.request({
      ...(how === 'changed' ? put : { method: 'DELETE' }),
      path: pathOf(found.ID),
      headers: { ...headers, [injectorHeader]: 'yes', 'content-type': 'application/json' },
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`${how} ${found.ID}: ${statusCode} ${text}`);
  };
  const startMs = performance.now() + intervalMs;
  const sent: Promise<void>[] = [];
  for (const [i, injection] of injections.entries()) {
    await pause(Math.max(0, startMs + i * intervalMs - performance.now()));
    sent.push(send(injection));
  }
  await Promise.all(sent);
  await pool.close();
  return injections.map((_, i) => performance.timeOrigin + startMs + i * intervalMs);
}
