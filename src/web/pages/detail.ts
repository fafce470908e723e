// Renders the page of one object: what is declared, observed, done and planned.
import { conditionOf } from '../../core/status/condition.ts';
import type { Condition } from '../../core/status/status.ts';
import { keyText, parseKey } from '../../core/resource.ts';
import { suspensionText } from '../../core/suspension.ts';
import { headline, marksOf, stateOf, type ObjectView } from '../../core/status/view.ts';
import { watchText } from './connections.ts';
import { fieldsSection } from './fields.ts';
import { html, type Html, type Value } from './html.ts';
import { badge, cell, coded, due, icon, objectLink, remedied, slashed, stateNames, when } from './format.ts';
import { tableSection } from './table.ts';

/** The part of the page that is sent again when the object changes. */
export function detailPart(key: string, object: ObjectView | undefined, wallMs: number): Html {
  return html`<div id="detail" class="detail">${object ? shown(object, wallMs) : gone(key)}</div>`;
}

const gone = (key: string): Html =>
  html`<h1>No such object</h1>
    <p class="lead"><bdi>${key}</bdi> is not declared, or no longer.</p>
    <p><a href="/">All objects</a></p>`;

function shown(object: ObjectView, wallMs: number): Html {
  const state = stateOf(object);
  const { kind, namespace, name } = object.key;
  const { reason, message } = headline(object);
  return html`<header class="title">
      <p class="kind"><bdi>${kind}</bdi>${namespace !== '' && html` in <bdi>${namespace}</bdi>`}</p>
      <h1><bdi>${name}</bdi></h1>
      <p class="verdict s-${state}">
        ${icon(state)}<b>${stateNames[state]}</b> <span class="reason"><bdi>${reason}</bdi></span
        >${marksOf(object)
          .filter((mark) => stateNames[mark] !== reason)
          .map((mark) => html` ${badge(mark)}`)}
      </p>
      ${message !== '' && html`<p class="lead"><bdi>${message}</bdi></p>`} ${remedyOf(reason)}
    </header>
    <div class="columns">
      <div>
        ${timelineSection(object, wallMs)} ${waitsSection(object)} ${conditionsSection(object, wallMs)}
        ${fieldsSection(object, wallMs)}
      </div>
      <div>${facts(object, wallMs)} ${historySection(object, wallMs)}</div>
    </div>`;
}

function remedyOf(reason: string): Html | false {
  const known = remedied(reason);
  return (
    known !== undefined && html`<p class="remedy" id="remedy">${coded(`${known.cause} ${known.remedy}`)}</p>`
  );
}

function waitsSection({ waitsFor }: ObjectView): Html | false {
  if (waitsFor.length === 0) return false;
  const items = waitsFor.map(
    ({ field, target, state, message }) =>
      html`<li>
        <p>
          ${target.kind === 'Secret' ? slashed(keyText(target)) : objectLink(target)}
          <span class="tag">${state}</span>
        </p>
        <p class="nothing">
          <code><bdi>${field}</bdi></code> <bdi>${message}</bdi>
        </p>
      </li>`,
  );
  return html`<section>
    <h2>Waits for</h2>
    <ul class="plain">
      ${items}
    </ul>
  </section>`;
}

/** Conditions with the same reason and message, as Ready, Synced and Stalled often have, share one line. */
function conditionsSection(object: ObjectView, wallMs: number): Html {
  const { status } = object;
  const headlineReason = headline(object).reason;
  if (status.conditions.length === 0)
    return html`<section>
      <h2>Conditions</h2>
      <p class="nothing">none yet</p>
    </section>`;
  const columns = [{ title: 'Condition' }, { title: 'Reason' }, { title: 'Since' }] as const;
  const folded = Map.groupBy(status.conditions, ({ reason, message }) => JSON.stringify([reason, message]));
  const lines = [...folded.values()].map((alike) => [
    alike.map(({ type, status: holds }) => html`<div><bdi>${type}</bdi>: ${holds}</div>`),
    alike.slice(0, 1).map((c) => html`${reasonCell(c)}${c.reason !== headlineReason && explained(c.reason)}`),
    sinceCell(alike, wallMs),
  ]);
  return tableSection('conditions-title', 'Conditions', columns, lines);
}

const reasonCell = ({ reason, message }: Condition): Html =>
  html`<span class="reason"><bdi>${reason}</bdi></span
    >${message !== '' && html` <span class="message"><bdi>${message}</bdi></span>`}`;

/** One time if the conditions changed together, otherwise one for each. */
function sinceCell(alike: readonly Condition[], wallMs: number): readonly (Html | undefined)[] {
  const times = new Set(alike.map((c) => c.lastTransitionTime));
  const since = times.size === 1 ? [...times] : alike.map((c) => c.lastTransitionTime);
  return since.map((at) => html`<div>${when(at, wallMs)}</div>`);
}

/** The remedy for a reason. The headline's reason is explained above. Opens without a script. */
function explained(reason: string): Html | false {
  const known = remedied(reason);
  if (known === undefined) return false;
  return html`<details>
    <summary>What <bdi>${reason}</bdi> means</summary>
    <p>${coded(`${known.cause} ${known.remedy}`)}</p>
  </details>`;
}

function facts(object: ObjectView, wallMs: number): Html {
  const { status, connection } = object;
  const seen = status.observedGeneration;
  const ready = conditionOf(status.conditions, 'Ready');
  const known: readonly (readonly [string, Value])[] = [
    ['Declared in', object.origin !== undefined && html`<bdi>${object.origin}</bdi>`],
    [
      'Generation', // none, if its manifest was never usable
      object.generation > 0 &&
        html`${object.generation}${seen !== object.generation && `, ${seen === undefined ? 'not reconciled yet' : `reconciled: ${seen}`}`}`,
    ],
    [ready?.status === 'True' ? 'Ready since' : 'Not ready since', when(ready?.lastTransitionTime, wallMs)],
    ['Connection', object.through !== undefined && throughLink(object.through)],
    ['Watch', connection && watchText(connection)],
    [
      'Last list',
      connection?.list && html`index ${connection.list.index}, ${when(connection.list.atMs, wallMs)}`,
    ],
    ['Suspended', object.suspension && html`<bdi>${suspensionText(object.suspension, object)}</bdi>`],
    ['Next reconcile', due(object.nextVisitMs, wallMs) ?? 'when something changes'],
    [
      'Open step',
      status.pending &&
        html`<code><bdi>${status.pending.op}</bdi></code
          >, result not known yet`,
    ],
  ];
  return html`<section>
      <h2>Facts</h2>
      ${definitions(known)}
    </section>
    ${externalSection(object)}`;
}

/** A connection has no external object, and does nothing by itself. */
function externalSection({ connection, status: { externalRef } }: ObjectView): Html | false {
  if (connection) return false;
  if (!externalRef)
    return html`<section>
      <h2>External object</h2>
      <p class="nothing">none managed</p>
    </section>`;
  const entries = Object.entries(externalRef).map(
    ([name, value]) => [name, cell(value, `/${name}`)] as const,
  );
  return html`<section>
    <h2>External object</h2>
    ${definitions(entries)}
  </section>`;
}

function throughLink(through: string): Html {
  const key = parseKey(through);
  return key ? objectLink(key) : html`<bdi>${through}</bdi>`;
}

const definitions = (known: readonly (readonly [string, Value])[]): Html =>
  html`<dl class="facts">
    ${known
      .filter(([, value]) => value !== false && value !== undefined)
      .map(
        ([name, value]) =>
          html`<div>
            <dt><bdi>${name}</bdi></dt>
            <dd>${value}</dd>
          </div>`,
      )}
  </dl>`;

function timelineSection({ timeline = [] }: ObjectView, wallMs: number): Html | false {
  if (timeline.length === 0) return false;
  const next = timeline.findIndex((step) => !step.done);
  const steps = timeline.map(
    ({ at, what, done }, i) =>
      html`<li
        class="${done ? 's-ready' : i === next ? 's-reconciling' : 'later'}"
        ${i === next && html` aria-current="step"`}
      >
        ${icon(done ? 'ready' : i === next ? 'reconciling' : 'none')}<span
          ><bdi>${what}</bdi>
          <span class="nothing">${done ? when(at, wallMs) : i === next ? 'next' : 'later'}</span></span
        >
      </li>`,
  );
  return html`<section>
    <h2>Rotation</h2>
    <ol class="timeline">
      ${steps}
    </ol>
  </section>`;
}

function historySection({ connection, status: { history } }: ObjectView, wallMs: number): Html | false {
  if (connection) return false;
  const items = history.toReversed().map(
    ({ at, what, fields }) =>
      html`<li>
        <p><bdi>${what}</bdi></p>
        <p class="nothing">
          ${when(at, wallMs)}${fields.length > 0 && html` · ${fields.slice(0, 12).map((path) => html`<code><bdi>${path}</bdi></code> `)}`}
        </p>
      </li>`,
  );
  const list =
    items.length === 0
      ? html`<p class="nothing">nothing done yet</p>`
      : html`<ul class="plain">
          ${items}
        </ul>`;
  return html`<section>
    <h2>Last actions</h2>
    ${list}
  </section>`;
}
