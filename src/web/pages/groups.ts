// Renders a group's heading in the list: its name, its problems, and a link to all of its objects.
import { listPath, none, type Query } from '../query.ts';
import type { GroupOfRows, Page } from './board.ts';
import { stateNames } from './format.ts';
import { visible } from '../../core/text/visible.ts';
import { html, type Html } from './html.ts';
import { rowId } from './rows.ts';
import { counted } from '../../core/text/count.ts';

/** The element's `id`, in the form that browsers use. */
const groupId = (name: string): string => visible(`group:${name}`);

/** Ids of all lines in order, headings included. */
export const lineIds = ({ keys, groups }: Page): readonly string[] =>
  groups.length === 0
    ? keys.map(rowId)
    : groups.flatMap((group) => [groupId(group.name), ...group.keys.map(rowId)]);

/** By element id. */
export const headings = (query: Query, { groups }: Page): ReadonlyMap<string, Html> =>
  new Map(groups.map((group) => [groupId(group.name), heading(query, group)]));

function heading(query: Query, { name, total, stalled, unready, keys }: GroupOfRows): Html {
  const { group = 'namespace' } = query;
  const path = listPath({ ...query, group: undefined, [group]: name, page: 1 });
  const wrong = [
    stalled > 0 && html`, <b class="s-stalled">${stalled} ${stateNames.stalled.toLowerCase()}</b>`,
    unready > 0 && html`, <b class="s-not-ready">${unready} ${stateNames['not-ready'].toLowerCase()}</b>`,
  ];
  const rest = total - keys.length;
  return html`<tr role="row" class="group" id="${groupId(name)}">
    <th role="rowheader" scope="rowgroup" colspan="6">
      <a href="${path}"><bdi>${name === none ? `no ${group}` : name}</bdi></a>
      <span class="nothing"
        >${counted(total, 'object')}${wrong}${rest > 0 && `; ${rest} more than shown here`}</span
      >
    </th>
  </tr> `;
}
