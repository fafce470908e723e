// What is there and nobody declares: to be looked at, and adopted by a command. Nothing on this page is ever deleted.
import type { UnmanagedView } from '../../core/status/view.ts';
import { when } from './format.ts';
import { html, type Html } from './html.ts';

export function unmanagedMain(found: UnmanagedView, wallMs: number): Html {
  const { items, total, failed, atMs } = found;
  const more = total - items.length;
  return html`<nav class="trail" aria-label="Trail"><a href="/">← All objects</a></nav>
    <section class="files" aria-labelledby="unmanaged-title">
      <h1 id="unmanaged-title">What nobody declares</h1>
      <p class="nothing">
        ${total} found, listed ${when(atMs, wallMs)}. Holdfast leaves all of it alone, and never deletes it.
        To declare it: <code>holdfast export manifests</code>, or <code>kubectl holdfast export</code> on
        Kubernetes, prints manifests that adopt without a write, and tells what it leaves out.
      </p>
      ${
        failed.length > 0 &&
        html`<h2>Not listed</h2>
          <ul>
            ${failed.map(({ what, message }) => html`<li><bdi>${what}</bdi>: <bdi>${message}</bdi></li>`)}
          </ul>`
      }
      ${items.length > 0 && list(items)}
      ${
        more > 0 &&
        html`<p class="nothing">
          and ${more} more: <code>holdfast unmanaged manifests</code>, or
          <code>kubectl holdfast unmanaged</code>, lists them
        </p>`
      }
    </section>`;
}

const list = (items: UnmanagedView['items']): Html =>
  html`<ul>
    ${items.map(
      ({ kind, connection, mount, name }) =>
        html`<li>
          <bdi>${kind}</bdi> <b><bdi>${name}</bdi></b
          >${mount !== undefined && html`, of <bdi>${mount}</bdi>`}:
          <code>--connection ${connection}</code>
        </li>`,
    )}
  </ul>`;
