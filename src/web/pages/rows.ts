// Renders one object as a row of the list. The same markup is sent with the page and when the object changes.
import { keyText } from '../../core/resource.ts';
import { differenceOf, headline, marksOf, stateOf, type ObjectView } from '../../core/status/view.ts';
import { originText } from '../../core/suspension.ts';
import { visible } from '../../core/text/visible.ts';
import { html, type Html } from './html.ts';
import { objectPath } from '../query.ts';
import { badge, due, icon, objectLink, remedied, slashed, stateNames, when } from './format.ts';

/** The element's `id`, in the form that browsers use. */
export const rowId = (key: string): string => visible(`row:${key}`);

export function row(object: ObjectView, wallMs: number): Html {
  const state = stateOf(object);
  const { kind, namespace, name } = object.key;
  const { reason, message } = headline(object);
  return html`<tr role="row" class="s-${state}" id="${rowId(keyText(object.key))}">
    <td role="cell" class="state">${icon(state)}${stateNames[state]}</td>
    <th role="rowheader" scope="row" class="what">
      <a href="${objectPath(object.key)}"><bdi>${name}</bdi></a>
      <span class="kind"><bdi>${kind}</bdi>${namespace !== '' && html` in <bdi>${namespace}</bdi>`}</span
      >${marksOf(object).map((mark) => html` ${badge(mark)}`)}
    </th>
    <td role="cell" class="why" data-label="Reason">
      <div class="clamp">
        <span class="reason">${reasonOf(object, reason)}</span
        >${message !== '' && html` <span class="message"><bdi>${message}</bdi></span>`}
      </div>
      ${drift(object)} ${waits(object)} ${suspendedNote(object)}
    </td>
    <td role="cell" class="last" data-label="Last action">${last(object, wallMs)}</td>
    <td role="cell" class="age" data-label="Age">${when(object.createdAt, wallMs)}</td>
    <td role="cell" class="next" data-label="Next reconcile">${due(object.nextVisitMs, wallMs)}</td>
  </tr> `;
}

/** Links to the remedy, if there is one. */
const reasonOf = ({ key }: ObjectView, reason: string): Html =>
  remedied(reason)
    ? html`<a href="${objectPath(key)}#remedy"><bdi>${reason}</bdi></a>`
    : html`<bdi>${reason}</bdi>`;

const pathsMax = 2;

function drift({ status }: ObjectView): Html | undefined {
  const fields = status.drift?.fields ?? [];
  if (fields.length === 0) return undefined;
  const more = fields.length - pathsMax;
  const kinds = new Set(fields.map((field) => differenceOf(status, field)));
  return html`<div class="drift">
    ${kinds.has('outside') ? 'Changed outside:' : kinds.has('edit') ? 'Differs in' : 'Not written yet:'}
    ${fields.slice(0, pathsMax).map(({ path }) => html`<code>${slashed(path)}</code> `)}${more > 0 && `and ${more} more`}
  </div>`;
}

function waits({ waitsFor }: ObjectView): Html | undefined {
  const [first, ...rest] = waitsFor;
  if (!first) return undefined;
  const target = first.target.kind === 'Secret' ? slashed(keyText(first.target)) : objectLink(first.target);
  return html`<div class="waits clamp">
    Waits for ${target}${rest.length > 0 && html` and ${rest.length} more`}
  </div>`;
}

function suspendedNote({ suspension }: ObjectView): Html | undefined {
  return suspension && html`<div class="waits clamp">Suspended <bdi>${originText(suspension)}</bdi></div>`;
}

function last({ status }: ObjectView, wallMs: number): Html | undefined {
  const entry = status.history.at(-1);
  return entry && html`<bdi>${entry.what}</bdi> <span class="ago">${when(entry.at, wallMs)}</span>`;
}
