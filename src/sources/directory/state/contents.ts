// Reads everything in a state. A state that can't be trusted as a whole is an error. For a row with unreadable parts, the
// manifest is read again.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../../core/errors.ts';
import { parseKey } from '../../../core/resource.ts';
import { damaged, explained, metaOf, schemaVersion } from './database.ts';
import { parseDoubt, type Origin } from './distrust.ts';
import { isTexts, parseJson } from '../../../core/json.ts';
import { parseShared, shareParts } from '../../../core/shared-json.ts';
import { parseStatus } from '../../../core/status/status.ts';
import type { StoredReading } from '../tree/stored-reading.ts';
import type { Row } from './row.ts';
import type { StoredDeletion } from './transaction.ts';

/** Rows per turn of the event loop, so that a large state does not block the start of a process. */
const rowsPerTurn = 500;

export interface Contents {
  readonly installation: string | undefined;
  readonly origin: Origin;
  /** The problems of the last scan as text (noted-problems.ts); empty: none. */
  readonly problems: string;
  /** Key for versions of Secrets; itself a secret. */
  readonly versionKey: Uint8Array;
  readonly rows: Map<string, Row>;
  /** Empty unless they are asked for. */
  readonly readings: ReadonlyMap<string, StoredReading>;
  /** Deletions that count against the deletion limits, in order. */
  readonly recentDeletions: readonly Omit<StoredDeletion, 'atMs'>[];
}

/** Objects of these kinds, and those with these keys. */
export interface Selection {
  readonly kinds: readonly string[];
  readonly keys: readonly string[];
}

interface Asked {
  /** Whose readings of files are read, too. */
  readonly program?: string | undefined;
  /** Absent: all objects. */
  readonly only?: Selection | undefined;
}

/**
 * Reads everything as of one moment, a few rows per turn of the event loop.
 * @throws UsageError if the state is damaged or of another version
 */
export async function readContents(
  file: string,
  database: DatabaseSync,
  { program, only }: Asked = {},
): Promise<Contents> {
  try {
    database.exec('BEGIN'); // one snapshot, whatever another process writes meanwhile
    checkVersion(file, metaOf(database, 'schema'));
    const versionKey = Buffer.from(metaOf(database, 'versionKey') ?? '', 'hex');
    if (versionKey.length === 0) throw damaged(file, 'its key is missing');
    const origin = readOrigin(file, database);
    const installation = metaOf(database, 'installation');
    const problems = metaOf(database, 'problems') ?? '';
    const rows = await readRows(file, database, only);
    const readings = program === undefined ? new Map() : await readReadings(database, program);
    const recentDeletions = database
      .prepare('SELECT id, connection, key, boot, bootMs FROM released ORDER BY id')
      .all()
      .map((row) => ({
        id: Number(row['id']),
        connection: text(row['connection']),
        key: text(row['key']),
        boot: text(row['boot']),
        bootMs: Number(row['bootMs']),
      }));
    database.exec('COMMIT');
    return { installation, origin, problems, versionKey, rows, readings, recentDeletions };
  } catch (error) {
    throw explained(file, error);
  }
}

function readOrigin(file: string, database: DatabaseSync): Origin {
  const [id, commits, doubt] = ['id', 'commits', 'doubt'].map((name) => metaOf(database, name));
  if (id === undefined || commits === undefined) throw damaged(file, 'its generation is missing');
  return {
    generation: { id, commits: Number(commits) },
    file: metaOf(database, 'file') ?? '0 0',
    backup: metaOf(database, 'backup'),
    doubt: doubt === undefined ? undefined : parseDoubt(doubt),
  };
}

/** What files declared, as this program read them. */
async function readReadings(
  database: DatabaseSync,
  program: string,
): Promise<ReadonlyMap<string, StoredReading>> {
  const readings = new Map<string, StoredReading>();
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'files'").get();
  if (!known) return readings;
  const all = database.prepare('SELECT origin, digest, objects, sum FROM files WHERE program = ?');
  for (const record of all.iterate(program)) {
    const [digest, objects, sum] = [text(record['digest']), text(record['objects']), text(record['sum'])];
    readings.set(text(record['origin']), { digest, program, objects, sum });
    if (readings.size % rowsPerTurn === 0) await setImmediate();
  }
  return readings;
}

async function readRows(
  file: string,
  database: DatabaseSync,
  only: Selection | undefined,
): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  const all = database.prepare(`SELECT * FROM objects ${only ? whereOf(only) : ''}`);
  const records = only ? all.iterate(JSON.stringify(only.keys), JSON.stringify(only.kinds)) : all.iterate();
  for (const record of records) {
    rows.set(text(record['key']), decode(file, record));
    if (rows.size % rowsPerTurn === 0) await setImmediate();
  }
  return rows;
}

/** By key alone, SQLite uses its index; for kinds it looks at all keys. */
const whereOf = ({ kinds }: Selection): string =>
  'WHERE key IN (SELECT value FROM json_each(?1))' +
  (kinds.length === 0
    ? ' AND ?2 IS NOT NULL'
    : " OR substr(key, 1, instr(key, '/') - 1) IN (SELECT value FROM json_each(?2))");

/** One value for all rows: most have no requests, no labels and no commands. */
const none = Object.freeze({});

function jsonIn(value: SQLOutputValue | undefined): unknown {
  if (value === '{}') return none;
  const json = parseJson(text(value));
  shareParts(json);
  return json;
}

/** Validates the JSON of a row. An empty hash for an unreadable part makes the manifest be read again. */
function decode(file: string, record: Readonly<Record<string, SQLOutputValue>>): Row {
  const key = parseKey(text(record['key']));
  if (key === undefined) throw damaged(file, `"${text(record['key'])}" is not the key of an object`);
  const requests = jsonIn(record['requests']);
  const overlay = jsonIn(record['overlay']);
  const askers = jsonIn(record['askers']);
  const answered = jsonIn(record['answered']);
  const spec = parseShared(text(record['spec']));
  const labels = jsonIn(record['labels']);
  const createdAt = text(record['created']);
  const readable = isTexts(requests) && spec !== undefined;
  const hash = readable ? text(record['hash']) : '';
  return {
    object: {
      key,
      uid: text(record['uid']),
      generation: Number(record['generation']),
      deleting: record['leaving'] === 1,
      held: record['held'] === 1,
      requests: isTexts(requests) ? requests : {},
      spec: spec ?? null,
      ...(isTexts(labels) && Object.keys(labels).length > 0 && { labels }),
      ...(createdAt !== '' && { createdAt }),
      ...(text(record['origin']) !== '' && { origin: text(record['origin']) }),
      ...(hash === '' && { refused: true as const }),
    },
    status: parseStatus(jsonIn(record['status'])),
    hash,
    approved: text(record['approved']),
    overlay: isTexts(overlay) ? overlay : {},
    ...(isTexts(askers) && Object.keys(askers).length > 0 && { askers }),
    answered: isTexts(answered) ? answered : {},
  };
}

function checkVersion(file: string, found: string | undefined): void {
  const version = Number(found ?? Number.NaN);
  if (version > schemaVersion) {
    const versions = `its schema is ${version}, this one knows ${schemaVersion}`;
    throw new UsageError(`${file} was written by a newer holdfast (${versions}): run that version`);
  }
  if (version < schemaVersion) {
    const versions = `its schema is ${version}, this one knows ${schemaVersion}`;
    throw new UsageError(
      `${file} was written before the first release (${versions}), in another format: ` +
        'move it away to start afresh; existing objects are then adopted as adoptionPolicy allows',
    );
  }
  if (version !== schemaVersion) throw damaged(file, `its schema is ${found ?? 'not named'}`);
}

const text = (value: SQLOutputValue | undefined): string => (typeof value === 'string' ? value : '');
