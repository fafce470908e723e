// An object's fields as tables: differences, last written values, observed values.
import type { Json } from '../../core/secret.ts';
import type { ObjectView } from '../../core/status/view.ts';
import { html, type Html } from './html.ts';
import { cell, slashed, when } from './format.ts';
import { tableSection } from './table.ts';

/** Nobody reads more; kinds have far fewer. */
const fieldsMax = 200;

const causes = { drift: 'the live state changed', edit: 'the declaration changed' } as const;

const driftColumns = [
  { title: 'Field' },
  { title: 'Desired', class: 'desired' },
  { title: 'Live', class: 'live' },
  { title: 'Because' },
] as const;

export function driftSection({ status: { drift } }: ObjectView, wallMs: number): Html | false {
  if (!drift || drift.fields.length === 0) return false;
  const lines = drift.fields
    .slice(0, fieldsMax)
    .map(({ path, desired, live, cause }) => [
      html`<code>${slashed(path)}</code>`,
      cell(desired),
      cell(live),
      causes[cause],
    ]);
  const heading = html`Differs in <bdi>${drift.summary}</bdi>
    <span class="nothing">seen ${when(drift.detectedAt, wallMs)}</span>`;
  return tableSection('drift-title', heading, driftColumns, lines);
}

export const fieldsSections = ({ status }: ObjectView): Html =>
  html`${values('Last observed', status.observed ?? {})}${values('Last written', status.applied)}`;

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
