// What all pages render alike: states with their shapes, instants, values, links to objects.
import { keyText, type Key } from '../../core/resource.ts';
import { explanationOf, type Reason } from '../../core/status/reasons.ts';
import type { Json } from '../../core/secret.ts';
import type { Mark, State } from '../../core/status/view.ts';
import { valueText } from '../../core/text/value.ts';
import { html, type Html } from './html.ts';
import { objectPath } from '../query.ts';

export const stateNames = {
  stalled: 'Stalled',
  'not-ready': 'Not ready',
  reconciling: 'Reconciling',
  ready: 'Ready',
  drifted: 'Drifted',
  suspended: 'Suspended',
  deleting: 'Deleting',
} as const satisfies Record<State | Mark, string>;

/** A shape next to the word, so that states differ without colour. */
export const icon = (name: State | Mark | 'none'): Html =>
  html`<svg class="icon" aria-hidden="true"><use href="#i-${name}"></use></svg>`;

export const badge = (name: State | Mark): Html =>
  html`<span class="badge s-${name}">${icon(name)}${stateNames[name]}</span>`;

export const shapes = html`<svg class="shapes" aria-hidden="true">
  <symbol id="i-ready" viewBox="0 0 16 16">
    <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6" />
    <path
      d="M5 8.3l2.1 2.1L11.2 6"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </symbol>
  <symbol id="i-reconciling" viewBox="0 0 16 16">
    <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6" />
    <path d="M8 1.5a6.5 6.5 0 0 1 0 13z" fill="currentColor" />
  </symbol>
  <symbol id="i-not-ready" viewBox="0 0 16 16">
    <circle cx="8" cy="8" r="6.5" fill="none" stroke="currentColor" stroke-width="1.6" />
    <path d="M4.8 8h6.4" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
  </symbol>
  <symbol id="i-stalled" viewBox="0 0 16 16">
    <path d="M5 1.2h6L14.8 5v6L11 14.8H5L1.2 11V5z" fill="currentColor" />
    <path d="M5.7 5.7l4.6 4.6m0-4.6l-4.6 4.6" class="cut" stroke-width="1.7" stroke-linecap="round" />
  </symbol>
  <symbol id="i-drifted" viewBox="0 0 16 16">
    <path
      d="M1.5 6c2.2-2.6 4.3-2.6 6.5 0s4.3 2.6 6.5 0M1.5 11c2.2-2.6 4.3-2.6 6.5 0s4.3 2.6 6.5 0"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
    />
  </symbol>
  <symbol id="i-suspended" viewBox="0 0 16 16">
    <path d="M5.2 3v10M10.8 3v10" stroke="currentColor" stroke-width="2.4" stroke-linecap="round" />
  </symbol>
  <symbol id="i-deleting" viewBox="0 0 16 16">
    <path
      d="M6.5 2.5h-4v11h4M6.5 8h8m-3-3l3 3-3 3"
      fill="none"
      stroke="currentColor"
      stroke-width="1.7"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </symbol>
  <symbol id="i-none" viewBox="0 0 16 16">
    <circle
      cx="8"
      cy="8"
      r="6.5"
      fill="none"
      stroke="currentColor"
      stroke-width="1.6"
      stroke-dasharray="2 2.1"
    />
  </symbol>
</svg>`;

const units = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1_000, 's'],
] as const;

/** `3 min ago`, `in 2 h`, `now`. The browser's script must use the same words. */
function relative(atMs: number, wallMs: number): string {
  const away = Math.abs(atMs - wallMs);
  const unit = units.find(([ms]) => away >= ms);
  if (!unit) return 'now';
  const text = `${Math.floor(away / unit[0])} ${unit[1]}`;
  return atMs > wallMs ? `in ${text}` : `${text} ago`;
}

/** An instant; `undefined` for an invalid date, because stored status comes from files. */
export const when = (at: number | string | undefined, wallMs: number): Html | undefined =>
  instant(at, (ms) => relative(ms, wallMs));

/** When something is to be done. What waits for its turn by then is due now. */
export const due = (at: number | undefined, wallMs: number): Html | undefined =>
  instant(at, (ms) => relative(Math.max(ms, wallMs), wallMs), html`data-due`);

function instant(
  at: number | string | undefined,
  textOf: (ms: number) => string,
  mark?: Html,
): Html | undefined {
  const date = new Date(at ?? Number.NaN);
  const ms = date.getTime();
  if (Number.isNaN(ms)) return undefined;
  const iso = date.toISOString();
  return html`<time datetime="${iso}" title="${iso.replace('T', ' ')}" ${mark}>${textOf(ms)}</time>`;
}

/** A key or a path, which may wrap before its slashes. */
export const slashed = (text: string): Html =>
  html`<bdi>${text.split('/').map((part, i) => (i === 0 ? part : html`<wbr />/${part}`))}</bdi>`;

export const objectLink = (key: Key): Html => html`<a href="${objectPath(key)}">${slashed(keyText(key))}</a>`;

const inSync: Reason = 'InSync';

/** The explanation of a reason; none if all is well, or if only another version knows the reason. */
export const remedied = (reason: string): ReturnType<typeof explanationOf> =>
  reason === inSync ? undefined : explanationOf(reason);

/** Text between backticks is code. */
export const coded = (text: string): Html =>
  html`${text.split('`').map((part, i) => (i % 2 === 0 ? part : html`<code>${part}</code>`))}`;

const valueMax = 2_000;

/** @param path path of the field that has the value */
export const cell = (value: Json | undefined, path: string): Html => {
  if (value === undefined || value === '') {
    return html`<span class="nothing">${value === undefined ? 'none' : 'empty'}</span>`;
  }
  const text = valueText(value, path);
  return html`<code><bdi>${text.length > valueMax ? `${text.slice(0, valueMax)}…` : text}</bdi></code>`;
};
