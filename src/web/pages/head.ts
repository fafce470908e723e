// Renders the heads of the list's columns. Those that sort are plain links, so they need no script.
import { listPath, type Query, type Sort } from '../query.ts';
import { html, type Html } from './html.ts';

interface Head {
  readonly title: string;
  readonly sort?: Sort;
}

const heads: readonly Head[] = [
  { title: 'State', sort: 'state' },
  { title: 'Object', sort: 'name' },
  { title: 'Reason', sort: 'reason' },
  { title: 'Last action', sort: 'last' },
  { title: 'Age', sort: 'age' },
  { title: 'Next reconcile' },
];

/** The link of the column that the list is sorted by reverses the order. */
export function headPart(query: Query): Html {
  const cells = heads.map(({ title, sort }) => {
    if (sort === undefined) return html`<th role="columnheader" scope="col">${title}</th>`;
    const isThis = query.sort === sort;
    const isReversed = isThis && !query.isReversed;
    const order = query.isReversed ? 'descending' : 'ascending';
    return html`<th role="columnheader" scope="col" ${isThis && html` aria-sort="${order}"`}>
      <a href="${listPath({ ...query, sort, isReversed, page: 1 })}">${title}</a>
    </th>`;
  });
  return html`<tr role="row" id="head">
    ${cells}
  </tr>`;
}
