// Renders a section with a table and its heading. Roles keep it a table for screen readers where narrow windows show a
// list.
import { html, type Html, type Value } from './html.ts';

export interface Column {
  readonly title: string;
}

/** One cell per column; the first cell names the line. */
export type Line = readonly Value[];

export function tableSection(
  id: string,
  heading: Value,
  columns: readonly [Column, ...Column[]],
  lines: readonly Line[],
): Html {
  const titles = columns.map(({ title }) => html`<th role="columnheader" scope="col">${title}</th>`);
  return html`<section>
    <h2 id="${id}">${heading}</h2>
    <table role="table" class="small" aria-labelledby="${id}">
      <thead role="rowgroup">
        <tr role="row">
          ${titles}
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${lines.map((line) => lineOf(columns.slice(1), line))}
      </tbody>
    </table>
  </section>`;
}

function lineOf(columns: readonly Column[], [name, ...cells]: Line): Html {
  const rest = columns.map(({ title }, i) => html`<td role="cell" data-label="${title}">${cells[i]}</td>`);
  return html`<tr role="row">
    <th role="rowheader" scope="row">${name}</th>
    ${rest}
  </tr>`;
}
