// Renders the connections above the list: whether each can be used, how its changes are noticed, and how many objects use
// it.
import { conditionOf } from '../../core/status/condition.ts';
import { headline, stateOf, type ConnectionView, type ObjectView } from '../../core/status/view.ts';
import type { Summary } from './board.ts';
import { html, type Html } from './html.ts';
import type { Scene } from './scene.ts';
import { objectPath } from '../query.ts';
import { icon, when } from './format.ts';

const watchTexts = {
  live: 'Live',
  polling: 'Polling',
  reconnecting: 'Reconnecting',
  off: 'Not watched',
} as const satisfies Record<ConnectionView['watch'], string>;

export const watchText = (connection: ConnectionView): string => watchTexts[connection.watch];

const eventTexts = {
  live: 'Live',
  reconnecting: 'Reconnecting',
  denied: 'Denied',
} as const satisfies Record<NonNullable<ConnectionView['events']>, string>;

const healthTexts = { True: 'Usable', False: 'Not usable', Unknown: 'Not known yet' } as const;

/** Administrators declare few connections; any further ones are only in the list below. */
const shownMax = 24;

export function connectionsPart(scene: Scene, { connections, users }: Summary): Html {
  if (connections.length === 0) return html`<div id="connections"></div>`;
  const more = connections.length - shownMax;
  return html`<section id="connections" class="connections" aria-labelledby="connections-title">
    <h2 id="connections-title">Connections</h2>
    <ul>
      ${connections.slice(0, shownMax).map((key) => card(scene, key, users.get(key)))}
    </ul>
    ${more > 0 && html`<p class="nothing">and ${more} more, in the list below</p>`}
  </section>`;
}

function card(
  { view, wallMs }: Scene,
  key: string,
  users: { readonly total: number; readonly ready: number } | undefined,
): Html | undefined {
  const object = view.object(key);
  if (!object?.connection) return undefined;
  const { connection, status } = object;
  const ready = conditionOf(status.conditions, 'Ready')?.status ?? 'Unknown';
  const { list, events } = connection;
  return html`<li class="card s-${stateOf(object)}">
    <p class="head">
      <a href="${objectPath(object.key)}"><bdi>${object.key.name}</bdi></a>
      <span class="kind"><bdi>${object.key.kind}</bdi></span>
    </p>
    <p class="health">${icon(stateOf(object))}${healthTexts[ready]}${troubleOf(object)}</p>
    <dl>
      <div>
        <dt>Watch</dt>
        <dd class="w-${connection.watch}">${watchText(connection)}</dd>
      </div>
      ${
        events &&
        html`<div>
          <dt>Events</dt>
          <dd>${eventTexts[events]}</dd>
        </div>`
      }
      ${
        list &&
        html`<div>
          <dt>Last list</dt>
          <dd>index ${list.index}, ${when(list.atMs, wallMs)}</dd>
        </div>`
      }
      <div>
        <dt>Objects</dt>
        <dd>${users ? `${users.ready} of ${users.total} ready` : 'none'}</dd>
      </div>
    </dl>
  </li> `;
}

function troubleOf(object: ObjectView): Html | false {
  const { message, reason } = headline(object);
  if (stateOf(object) === 'ready') return false;
  return html`: <span class="message"><bdi>${message === '' ? reason : message}</bdi></span>`;
}
