// CSISnapshot: finds a snapshot in the list of its plugin, which is the only way to read one.
import * as z from 'zod';
import type { Reader } from '../../api/routes.ts';
import type { SnapshotStub } from '../../api/scheduler/wire.ts';
import type { Secret } from '../../core/secret.ts';
import { ApiError } from '../../core/errors.ts';
import { begunAgain, pagesOf } from '../../core/pages.ts';
import { fits } from '../../schema/problems.ts';

export interface Wanted {
  readonly id: string;
  readonly pluginID: string;
  readonly namespace: string;
  readonly secrets: Readonly<Record<string, Secret>>;
}

/** The provider chooses the page size: some cut their list to the requested size and report no next page. */
const pageSize = 0;
/** Maximum number of lists before the listing counts as unstable. */
const walksMax = 5;

const count = z.number().nullish();
const entry = z.looseObject({
  ID: z.string().min(1).max(1_024),
  PluginID: z.string().nullish(),
  CreateTime: count,
  SizeBytes: count,
  IsReady: z.boolean().nullish(),
  ExternalSourceVolumeID: z.string().max(1_024).nullish(),
});

const unreadable = (what: string): ApiError =>
  new ApiError('unreadable', 'InvalidResponse', `snapshot.list: ${what}`);

/**
 * @returns `undefined`: the plugin has no snapshot with that ID; `unlistable`: it can't list snapshots
 * @throws ApiError
 */
export async function found(
  read: Reader,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<SnapshotStub | 'unlistable' | undefined> {
  try {
    return await sought(read, wanted, signal);
  } catch (error) {
    if (error instanceof ApiError && error.reason === 'PluginIncapable') return 'unlistable';
    throw error;
  }
}

/**
 * Pages may skip a snapshot while others are created and deleted. So the snapshot is absent only if the list has one
 * page, or if two whole lists in a row are the same.
 */
async function sought(read: Reader, wanted: Wanted, signal: AbortSignal): Promise<SnapshotStub | undefined> {
  let before: string | undefined;
  for (let walk = 0; walk < walksMax; walk++) {
    const { snapshot, pages, ids } = await begunAgain(() => walked(read, wanted, signal));
    if (snapshot || pages === 1 || ids === before) return snapshot;
    before = ids;
  }
  const message = `snapshot.list: the snapshots of ${wanted.pluginID} change while they are listed`;
  throw new ApiError('unavailable', 'ListUnstable', message);
}

interface Walked {
  readonly snapshot: SnapshotStub | undefined;
  readonly pages: number;
  /** IDs of all listed snapshots, as text. */
  readonly ids: string;
}

/** Reads pages until the snapshot is found or the list ends. */
async function walked(read: Reader, wanted: Wanted, signal: AbortSignal): Promise<Walked> {
  const ids: string[] = [];
  let pages = 0;
  let snapshot: SnapshotStub | undefined;
  for await (const listed of snapshotsOf(read, wanted, signal)) {
    pages += 1;
    ids.push(...listed.map((one) => one.ID));
    snapshot = listed.find((one) => one.ID === wanted.id);
    if (snapshot) break;
  }
  return { snapshot, pages, ids: JSON.stringify(ids) };
}

/** The snapshots of the plugin, page by page. @throws ApiError */
export async function* snapshotsOf(
  read: Reader,
  { pluginID, namespace, secrets }: Omit<Wanted, 'id'>,
  signal: AbortSignal,
): AsyncGenerator<readonly SnapshotStub[], void, undefined> {
  const sent = Object.keys(secrets).length > 0 && { secrets };
  const params = { namespace, plugin_id: pluginID, per_page: pageSize, ...sent };
  const ask = (at: object) => read.page('snapshot.list', { ...params, ...at }, signal);
  for await (const reply of pagesOf('snapshot.list', ask))
    yield entriesIn(reply).filter((one) => isOf(pluginID, one));
}

/** @throws ApiError if an entry is unreadable, because it may be the wanted snapshot */
function entriesIn({ Snapshots: listed }: { readonly Snapshots?: unknown }): readonly SnapshotStub[] {
  if (listed === undefined || listed === null) return [];
  if (Array.isArray(listed) && listed.every(isEntry)) return listed;
  throw unreadable('an entry is not a snapshot');
}

const isEntry = (one: unknown): one is SnapshotStub => fits(entry, one);

/** A server that treats the ID as a prefix also lists snapshots of other plugins. */
const isOf = (pluginID: string, { PluginID: of }: { readonly PluginID?: string | null }): boolean =>
  (of ?? '') === '' || of === pluginID;
