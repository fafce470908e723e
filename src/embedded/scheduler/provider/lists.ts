// Shared by the lists of disks and snapshots: the selection of plugins, and pages with opaque tokens.
import { Refusal, json, type Incoming, type Reply } from '../../http/server.ts';
import { notAPageSize, perPage } from '../../http/query.ts';
import { quoted } from '../../http/error-texts.ts';
import { checkOptions, meta, read } from '../http/blocking.ts';
import { controllerCall, rpc, type Fail } from './controller-call.ts';
import type { TextMap } from '../store/job.ts';
import { pairKey, type ControllerCapability, type PluginRow } from '../store/model.ts';
import type { State } from '../state.ts';
import type { Row, Table } from '../store/store.ts';

/** The one plugin that `plugin_id` names, by its ID or in `cluster` by a prefix of it. @throws Refusal 500 */
export function pluginNamed(state: State, id: string): PluginRow {
  const [plugin, another] = pluginsNamed(state, id);
  const whole = state.plugins.get(id);
  if (another && !whole) throw new Refusal(500, 'plugin_id names several plugins'); // the prefix is ambiguous
  return whole ?? plugin;
}

/** The plugins that `plugin_id` selects: exactly, or in `cluster` by prefix. @throws Refusal 500 */
function pluginsNamed(state: State, id: string): readonly [PluginRow, ...PluginRow[]] {
  const { exactPluginID } = state.dialect.capabilities;
  const [first, ...more] = Array.from(state.plugins.from('')).filter(({ ID }) =>
    exactPluginID ? ID === id : ID.startsWith(id),
  );
  if (!first) throw new Refusal(500, 'no such plugin');
  return [first, ...more];
}

interface Listing<R extends Row> {
  readonly table: Table<R>;
  readonly idOf: (row: R) => string;
  readonly call: 'list volumes' | 'list snapshots';
  readonly capability: ControllerCapability;
  readonly incapable: string;
  /** `undefined`: the call takes no secrets. */
  readonly secrets: TextMap | undefined;
  readonly needsPlugin: boolean;
  readonly body: (rows: readonly R[]) => object;
}

/** One page of the rows of the selected plugins. @throws Refusal 400, 500 */
export function listed<R extends Row & { readonly PluginID: string }>(
  state: State,
  request: Incoming,
  list: Listing<R>,
): Reply | Promise<Reply> {
  const { query } = request;
  if (list.needsPlugin && !query.get('plugin_id')) throw new Refusal(400, 'missing plugin_id');
  if (state.behaviour.needsPerPage && !query.get('per_page')) throw notAPageSize();
  perPage(query);
  const reply = (): Reply => {
    const { rows, NextToken } = page(state, query, list);
    return json(providerBody(state, { NextToken, ...list.body(rows) }));
  };
  if (state.behaviour.indexesProvider) return read(state, request, { table: list.table, reply });
  checkOptions(state, query);
  return { ...reply(), headers: providerMeta(state) };
}

function page<R extends Row & { readonly PluginID: string }>(
  state: State,
  query: URLSearchParams,
  { table, idOf, call, capability, incapable, secrets }: Listing<R>,
): { readonly rows: readonly R[]; readonly NextToken: string } {
  const named = pluginsNamed(state, query.get('plugin_id') ?? '');
  const able = named.filter(({ Capabilities }) => Capabilities.includes(capability));
  const fails = able.map((plugin) => controllerCall(plugin, call, capability, secrets));
  const [fail] = fails;
  if (!fail) throw new Refusal(500, incapable);
  const asked = Number(query.get('per_page') ?? '');
  if (asked < 0) fail('MaxEntries cannot be negative');
  const size = Math.min(asked || Infinity, ...able.map((plugin) => plugin.PageMax));
  const token = query.get('next_token') ?? '';
  if (token !== '' && hasExpired(state, able)) expired(token, fail);
  const from = startOf(token, fail);
  const ids = new Set(able.map(({ ID }) => ID));
  const rows: R[] = [];
  for (const row of table.from(from)) {
    if (!ids.has(row.PluginID)) continue;
    if (rows.length === size) return { rows, NextToken: tokenOf(pairKey(row.PluginID, idOf(row))) };
    rows.push(row);
  }
  return { rows, NextToken: '' };
}

const tokenMark = 'from ';
const tokenOf = (key: string): string => Buffer.from(`${tokenMark}${key}`).toString('base64url');

function startOf(token: string, fail: Fail): string {
  const text = Buffer.from(token, 'base64url').toString();
  if (token === '' || (text.startsWith(tokenMark) && tokenOf(text.slice(tokenMark.length)) === token)) {
    return text.slice(tokenMark.length);
  }
  return expired(token, fail);
}

const expired = (token: string, fail: Fail): never =>
  fail(`invalid starting token ${quoted(token)}: ${rpc('Aborted', 'no token of this plugin')}`);

/** Whether a fixture makes the token expire. Decrements the plugin's `ExpiredTokens`. */
function hasExpired(state: State, able: readonly PluginRow[]): boolean {
  const plugin = able.find(({ ExpiredTokens }) => ExpiredTokens > 0);
  if (!plugin) return false;
  const ExpiredTokens = plugin.ExpiredTokens - 1;
  state.store.put(state.plugins, plugin.ID, (indexes) => ({ ...plugin, ...indexes, ExpiredTokens }));
  return true;
}

/** Headers of replies from a provider: Nomad reports no index there (services.md#blocking-queries). */
export function providerMeta(state: State): Readonly<Record<string, string>> {
  if (state.behaviour.indexesProvider) return meta(state, state.store.index);
  return { ...meta(state, 0), [state.dialect.headers.knownLeader]: 'false' };
}

/** The body of such a reply. Nomad repeats the headers in it. */
export const providerBody = (state: State, body: object): object =>
  state.behaviour.indexesProvider
    ? body
    : { NextToken: '', ...body, Index: 0, LastContact: 0, KnownLeader: false };
