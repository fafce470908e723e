// Renders the list: a headline, the connections, and one page of objects. Parts with an id are sent again when they
// change.
import { reasons } from '../../core/status/reasons.ts';
import { states } from '../../core/status/view.ts';
import { pageSize, type Page, type Summary } from './board.ts';
import { connectionsPart } from './connections.ts';
import { filesPart } from './files.ts';
import { headings, lineIds } from './groups.ts';
import { headPart } from './head.ts';
import { html, type Html } from './html.ts';
import { everything, groups, listPath, none, sortText, type Query } from '../query.ts';
import { row, rowId } from './rows.ts';
import type { Scene } from './scene.ts';
import { coded, icon, stateNames } from './format.ts';
import { counted } from '../../core/text/count.ts';

/** What the list shows besides rows, by element id. */
export function listParts(scene: Scene, query: Query, page: Page): ReadonlyMap<string, Html> {
  const { summary } = scene.board;
  return new Map([
    ['summary', summaryPart(scene, summary, query)],
    ['files', filesPart(scene)],
    ['connections', connectionsPart(scene, summary)],
    ['found', foundPart(page, query)],
    ['head', headPart(query)],
    ['pager', pagerPart(query, page, summary.total)],
  ]);
}

export function listMain(scene: Scene, query: Query, page: Page): Html {
  const parts = listParts(scene, query, page);
  return html`${parts.get('summary')} ${parts.get('files')} ${parts.get('connections')}
    <section class="objects" aria-labelledby="objects-title">
      <div class="bar">
        <h2 id="objects-title">Objects</h2>
        ${parts.get('found')}${filterForm(scene.board.summary, query)}
      </div>
      <table role="table" aria-labelledby="objects-title" class="list">
        <thead role="rowgroup">
          ${parts.get('head')}
        </thead>
        <tbody role="rowgroup" id="rows">
          ${rows(scene, query, page)}
        </tbody>
      </table>
      ${parts.get('pager')}
      <p class="nothing beyond"><a href="/unmanaged">What nobody declares</a></p>
    </section>`;
}

function rows({ view, wallMs }: Scene, query: Query, page: Page): readonly (Html | undefined)[] {
  const shown = new Map(headings(query, page));
  for (const key of page.keys) {
    const object = view.object(key);
    if (object) shown.set(rowId(key), row(object, wallMs));
  }
  return lineIds(page).map((id) => shown.get(id));
}

function summaryPart({ ready, view }: Scene, { total, counts }: Summary, query: Query): Html {
  const here = (state: Query['state']) => query.state === state && html` aria-current="true"`;
  const asides = (['drifted', 'suspended', 'deleting'] as const).filter((mark) => counts[mark] > 0);
  return html`<section
    id="summary"
    class="summary"
    aria-labelledby="headline"
    data-title="${titleText(counts)}"
  >
    <h1 id="headline">${headlineText(total, counts)}</h1>
    ${!ready && html`<p class="unready">${icon('not-ready')}Holdfast itself is not ready: it has not listed everything yet, or may not act.</p>`}
    ${refusalNote(view.refusal())} ${bar(total, counts)}
    <ul class="counts">
      <li>
        <a href="/" ${here(undefined)}><b>${total}</b> All</a>
      </li>
      ${[...states, ...asides].map(
        (state) =>
          html`<li>
            <a class="s-${state}" href="${onlyPath(state)}" ${here(state)}
              >${icon(state)}<b>${counts[state]}</b> ${stateNames[state]}</a
            >
          </li>`,
      )}
    </ul>
  </section>`;
}

/** Objects show what was stored last. If nothing can be stored, only this note tells. */
const refusalNote = (refusal: string | undefined): Html | false =>
  refusal !== undefined &&
  html`<p class="unready">
    ${icon('stalled')}<bdi>${refusal}</bdi>. ${coded(reasons.StateUnavailable.remedy)}
  </p>`;

const onlyPath = (state: Query['state']): string => listPath({ ...everything, state });

const isOrAre = (n: number): string => (n === 1 ? 'is' : 'are');

/** Who is not ready, those first that need a person. */
function headlineText(total: number, counts: Summary['counts']): string {
  if (total === 0) return 'Nothing is declared';
  const { stalled, 'not-ready': unready, reconciling } = counts;
  const [first, ...more] = [
    { n: stalled, what: stalled === 1 ? 'needs attention' : 'need attention' },
    { n: unready, what: `${isOrAre(unready)} not ready` },
    { n: reconciling, what: `${isOrAre(reconciling)} being reconciled` },
  ].filter(({ n }) => n > 0);
  if (!first) return total === 1 ? 'The one object is ready' : `All ${counted(total, 'object')} are ready`;
  const others = more.map(({ n, what }) => `, ${n} more ${what}`).join('');
  return `${first.n} of ${counted(total, 'object')} ${first.what}${others}`;
}

/** The title of the browser's tab; stalled objects come first. */
export const titleText = ({ stalled }: Summary['counts']): string =>
  stalled > 0 ? `(${stalled}) Holdfast` : 'Holdfast';

/** The shares as a strip. The counts below give the same in words. */
function bar(total: number, counts: Summary['counts']): Html | false {
  if (total === 0) return false;
  let x = 0;
  const shares = states.map((state) => {
    const width = (counts[state] / total) * 1000;
    const drawn = width > 0 && html`<rect class="s-${state}" x="${x}" width="${width}" height="1" />`;
    x += width;
    return drawn;
  });
  return html`<svg class="shares" viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">
    ${shares}
  </svg>`;
}

const option = (value: string, text: string, chosen: boolean): Html =>
  html`<option value="${value}" ${chosen && html` selected`}>${text}</option>`;

type Choice = readonly [value: string, text: string];

const named = (values: readonly string[]): readonly Choice[] => values.map((value) => [value, value]);

const groupings = groups.map((name): Choice => [name, `By ${name}`]);

const picked = [...states, 'drifted', 'suspended', 'deleting'] as const;

/** Offers the chosen value even if no object has it any more. */
function choice(name: string, every: string, choices: readonly Choice[], chosen: string): Html {
  const isKnown = chosen === '' || choices.some(([value]) => value === chosen);
  const all = isKnown ? choices : [...choices, ...named([chosen])];
  return html`<label
    ><span>${name}</span>
    <select name="${name}">
      ${option('', every, chosen === '')}${all.map(([value, text]) => option(value, text, value === chosen))}
    </select></label
  >`;
}

/** Works without the script; the script submits it while the user types. */
function filterForm({ kinds, namespaces, connections }: Summary, query: Query): Html {
  const sort = sortText(query);
  return html`<form id="filter" role="search" action="/" method="get">
    <label class="text"
      ><span>Find</span>
      <input
        type="search"
        name="q"
        value="${query.text}"
        maxlength="200"
        placeholder="Name, reason, message"
        autocomplete="off"
        spellcheck="false"
    /></label>
    ${choice('kind', 'Every kind', named(kinds), query.kind)}
    ${choice('namespace', 'Every namespace', [...named(namespaces), [none, 'No namespace']], query.namespace)}
    ${choice('connection', 'Every connection', [...named(connections), [none, 'No connection']], query.connection)}
    ${choice(
      'state',
      'Every state',
      picked.map((state) => [state, stateNames[state]]),
      query.state ?? '',
    )}
    ${choice('group', 'Not grouped', groupings, query.group ?? '')}
    ${sort !== '' && html`<input type="hidden" name="sort" value="${sort}" />`}
    <button type="submit">Filter</button>
  </form>`;
}

function foundPart({ total, offset, keys, groupsTotal }: Page, { group }: Query): Html {
  const text =
    total === 0
      ? 'none found'
      : group
        ? `${counted(total, 'object')} in ${counted(groupsTotal, 'group')}`
        : total <= pageSize
          ? counted(total, 'object')
          : `${offset + 1}–${offset + keys.length} of ${total}`;
  return html`<span id="found" class="found">${text}</span>`;
}

function pagerPart(query: Query, { page, pages, total }: Page, declared: number): Html {
  if (total === 0) {
    const found = html`<p>No object matches. <a href="/">Show all objects</a></p>`;
    const begin = html`<p>What is declared is shown here. <code>holdfast explain</code> lists the kinds.</p>`;
    return html`<div id="pager" class="empty">${declared === 0 ? begin : found}</div>`;
  }
  if (pages === 1) return html`<div id="pager"></div>`;
  const link = (to: number, text: string, rel: string) =>
    to >= 1 && to <= pages
      ? html`<a rel="${rel}" href="${listPath({ ...query, page: to })}">${text}</a>`
      : html`<span class="nothing">${text}</span>`;
  return html`<nav id="pager" class="pager" aria-label="Pages">
    ${link(page - 1, '← Previous', 'prev')}<span>Page ${page} of ${pages}</span
    >${link(page + 1, 'Next →', 'next')}
  </nav>`;
}
