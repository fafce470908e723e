// Reads everything that a state holds. What can't be trusted as a whole is an error; what can't be read in one row is
// forgotten there, and its manifest taken again.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { UsageError } from '../../core/errors.ts';
import { parseKey } from '../../core/resource.ts';
import { damaged, explained, schemaVersion } from './database.ts';
import { isTexts, parseJson } from './json.ts';
import { parseMemory } from './memory.ts';
import type { Departure, Row } from './row.ts';

/** Rows read before the event loop turns: a large state must not stall a process that starts. */
const rowsPerTurn = 500;

/** Everything that a state holds. */
export interface Contents {
  readonly installation: string | undefined;
  /** Names the versions of Secrets; itself a secret. */
  readonly versionKey: Uint8Array;
  readonly rows: Map<string, Row>;
  /** How often Holdfast removed the external object of a key; absent: never. */
  readonly incarnations: Map<string, number>;
  /** In the order in which they happened. */
  readonly departures: Departure[];
}

/**
 * Reads everything, as it was at one moment, a few rows a turn of the event loop.
 * @throws UsageError when it is damaged or of a newer version.
 */
export async function readContents(file: string, database: DatabaseSync): Promise<Contents> {
  try {
    database.exec('BEGIN'); // one moment, whatever the process that holds the state writes meanwhile
    checkVersion(file, meta(database, 'schema'));
    const versionKey = Buffer.from(meta(database, 'versionKey') ?? '', 'hex');
    if (versionKey.length === 0) throw damaged(file, 'its key is missing');
    const installation = meta(database, 'installation');
    const rows = await readRows(file, database);
    const incarnations = new Map<string, number>();
    for (const row of database.prepare('SELECT key, incarnation FROM incarnations').iterate()) {
      incarnations.set(text(row['key']), Number(row['incarnation']));
    }
    const departures: Departure[] = [];
    for (const row of database.prepare('SELECT connection, at FROM released ORDER BY at').iterate()) {
      departures.push({ connection: text(row['connection']), atMs: Number(row['at']) });
    }
    database.exec('COMMIT');
    return { installation, versionKey, rows, incarnations, departures };
  } catch (error) {
    throw explained(file, error);
  }
}

async function readRows(file: string, database: DatabaseSync): Promise<Map<string, Row>> {
  const rows = new Map<string, Row>();
  for (const record of database.prepare('SELECT * FROM objects').iterate()) {
    rows.set(text(record['key']), decode(file, record));
    if (rows.size % rowsPerTurn === 0) await setImmediate();
  }
  return rows;
}

/** What is JSON in a row is parsed, not trusted: where it can't be read, the manifest is taken again. */
function decode(file: string, record: Readonly<Record<string, SQLOutputValue>>): Row {
  const key = parseKey(text(record['key']));
  if (key === undefined) throw damaged(file, `"${text(record['key'])}" is not the key of an object`);
  const requests = parseJson(text(record['requests']));
  const overlay = parseJson(text(record['overlay']));
  const spec = parseJson(text(record['spec']));
  const readable = isTexts(requests) && spec !== undefined;
  return {
    object: {
      key,
      uid: text(record['uid']),
      generation: Number(record['generation']),
      deleting: record['leaving'] === 1,
      held: record['held'] === 1,
      requests: isTexts(requests) ? requests : {},
      spec: spec ?? null,
      origin: text(record['origin']),
    },
    memory: parseMemory(text(record['memory'])),
    hash: readable ? text(record['hash']) : '',
    approved: record['approved'] === 1,
    overlay: isTexts(overlay) ? overlay : {},
  };
}

function checkVersion(file: string, found: string | undefined): void {
  const version = Number(found ?? Number.NaN);
  if (version > schemaVersion) {
    const versions = `its schema is ${version}, this one knows ${schemaVersion}`;
    throw new UsageError(`${file} was written by a newer holdfast (${versions}): run that version`);
  }
  if (version !== schemaVersion) throw damaged(file, `its schema is ${found ?? 'not named'}`);
}

const text = (value: SQLOutputValue | undefined): string => (typeof value === 'string' ? value : '');

function meta(database: DatabaseSync, name: string): string | undefined {
  const value = database.prepare('SELECT value FROM meta WHERE name = ?').get(name)?.['value'];
  return value === undefined ? undefined : text(value);
}
