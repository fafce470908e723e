// An object's fields as tables: where it differs, what was last written, what was seen.
import type { Json } from '../core/secret.ts';
import type { ObjectView } from '../core/view.ts';
import { html, type Html } from './html.ts';
import { cell, slashed, when } from './show.ts';

/** More are not read by people; kinds have far fewer. */
const fieldsMax = 200;

const causes = { drift: 'the live state moved', edit: 'the declaration moved' } as const;

export function driftSection({ memory: { drift } }: ObjectView, nowMs: number): Html | false {
  if (!drift || drift.fields.length === 0) return false;
  const lines = drift.fields.slice(0, fieldsMax).map(
    ({ path, desired, live, cause }) =>
      html`<tr role="row">
        <th role="rowheader" scope="row">
          <code>${slashed(path)}</code>
        </th>
        <td role="cell" data-label="Desired" class="desired">${cell(desired)}</td>
        <td role="cell" data-label="Live" class="live">${cell(live)}</td>
        <td role="cell" data-label="Because">${causes[cause]}</td>
      </tr>`,
  );
  return html`<section>
    <h2 id="drift-title">
      Differs in <bdi>${drift.summary}</bdi>
      <span class="nothing">seen ${when(drift.detectedAt, nowMs)}</span>
    </h2>
    <table role="table" class="small" aria-labelledby="drift-title">
      <thead role="rowgroup">
        <tr role="row">
          <th role="columnheader" scope="col">Field</th>
          <th role="columnheader" scope="col">Desired</th>
          <th role="columnheader" scope="col">Live</th>
          <th role="columnheader" scope="col">Because</th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        ${lines}
      </tbody>
    </table>
  </section>`;
}

export const fieldsSections = ({ memory }: ObjectView): Html =>
  html`${values('Last seen', memory.observed ?? {})}${values('Last written', memory.applied)}`;

function values(title: string, fields: Readonly<Record<string, Json>>): Html | false {
  const names = Object.keys(fields).toSorted().slice(0, fieldsMax);
  if (names.length === 0) return false;
  const lines = names.map(
    (name) =>
      html`<div>
        <dt>
          <code><bdi>${name}</bdi></code>
        </dt>
        <dd>${cell(fields[name])}</dd>
      </div>`,
  );
  return html`<section>
    <h2>${title}</h2>
    <dl class="facts wide">${lines}</dl>
  </section>`;
}
