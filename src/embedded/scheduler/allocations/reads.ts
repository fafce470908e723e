import { Refusal, absent, json, type Endpoint, type Incoming, type Reply } from '../../http/server.ts';
import { flag, hasUuidPrefix, uuidPrefix, wholeUuid } from '../../http/query.ts';
import { allocationRead, allocationStub } from './render.ts';
import { read } from '../http/blocking.ts';
import { served } from '../http/endpoints.ts';
import { rowFilter } from '../filter/filter.ts';
import type { AllocationRow } from '../store/model.ts';
import { page } from '../http/paging.ts';
import { namespacesShown } from '../acl/authorize.ts';
import type { State } from '../state.ts';
import { quoted } from '../../http/error-texts.ts';

export const lookup = 'alloc lookup failed';

export const allocationReads = (state: State): readonly Endpoint[] => [
  served('allocation.list', (request) => list(state, request)),
  served('allocation.read', (request) => readOne(state, request)),
];

function list(state: State, request: Incoming): Reply | Promise<Reply> {
  const { query } = request;
  const given = (name: string, otherwise: boolean) =>
    flag(query, name, otherwise, (text) => {
      return new Refusal(
        state.behaviour.malformed,
        `Failed to parse value of ${quoted(name)} (${text}) as a bool`,
      );
    });
  const show = { resources: given('resources', false), taskStates: given('task_states', true) };
  const reverse = given('reverse', false);
  const order = orderOf(query);
  const accepts = selection(state, request);
  const reply = (): Reply => {
    const rows = Array.from(state.allocations.rows()).filter(accepts).toSorted(order.compare);
    return page(query, {
      rows: reverse ? rows.toReversed() : rows,
      tokenOf: order.tokenOf,
      before: (row, token) => (reverse ? order.toToken(row, token) > 0 : order.toToken(row, token) < 0),
      show: (row) => allocationStub(state, row, show),
      tokenHeader: state.dialect.headers.nextToken,
    });
  };
  return read(state, request, { table: state.allocations, reply });
}

const byID = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Orders by creation or, with a prefix, by ID. Page tokens are positions in that order. */
function orderOf(query: URLSearchParams) {
  if ((query.get('prefix') ?? '') !== '') {
    return {
      compare: (a: AllocationRow, b: AllocationRow) => byID(a.ID, b.ID),
      tokenOf: (a: AllocationRow) => a.ID,
      toToken: (a: AllocationRow, token: string) => byID(a.ID, token),
    };
  }
  return {
    compare: (a: AllocationRow, b: AllocationRow) => a.CreateIndex - b.CreateIndex || byID(a.ID, b.ID),
    tokenOf: (a: AllocationRow) => `${a.CreateIndex}.${a.ID}`,
    toToken: (a: AllocationRow, token: string) => {
      const [index = '', ...id] = token.split('.');
      return a.CreateIndex - (Number(index) || 0) || byID(a.ID, id.join('.'));
    },
  };
}

function selection(state: State, request: Incoming): (a: AllocationRow) => boolean {
  const { query } = request;
  const expression = query.get('filter') ?? '';
  const filter = expression === '' ? () => true : rowFilter(expression, state.dialect);
  const prefix = uuidPrefix(query.get('prefix') ?? '', lookup, state.behaviour.malformed);
  const shown = namespacesShown(state, request, 'allocation.list');
  return (a) => shown(a.Namespace) && hasUuidPrefix(a.ID, prefix) && filter(a);
}

/** The reply's index is that of the allocation, or the table's if the allocation does not exist. */
function readOne(state: State, request: Incoming): Reply | Promise<Reply> {
  const id = wholeUuid(request.params['id'] ?? '', lookup, state.behaviour.malformed);
  const found = () => state.allocations.get(id);
  const reply = (): Reply => {
    const allocation = found();
    return allocation ? json(allocationRead(state, allocation)) : absent('alloc not found');
  };
  const index = () => found()?.ModifyIndex ?? state.allocations.index;
  return read(state, request, { table: state.allocations, index, reply });
}
