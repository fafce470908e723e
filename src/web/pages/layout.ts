// The frame of every page: head, shapes, header and footer. It has no inline script or style, because the policy forbids
// both.
import type { View } from '../../core/status/view.ts';
import { styles } from '../assets.ts';
import { html, type Html } from './html.ts';
import { shapes, when } from './format.ts';

const mark =
  'data:image/svg+xml,%3Csvg xmlns=%22http://www.w3.org/2000/svg%22 viewBox=%220 0 16 16%22%3E%3Cpath d=%22M8 9.2C4.6 6.8 5 3.4 8 1c3 2.4 3.4 5.8 0 8.2zM8 4.5v10.7M8 10.8c-.4 2.2-3 2-4.5 4.2M8 10.8c.4 2.2 3 2 4.5 4.2%22 fill=%22none%22 stroke=%22%231d7a63%22 stroke-width=%221.4%22 stroke-linecap=%22round%22/%3E%3C/svg%3E';

/** Which process shows this: a page that is open while another one takes its place goes on, under that one. */
export const processPart = (view: Pick<View, 'version' | 'startedAtMs'>, wallMs: number): Html =>
  html`<p id="process" class="meta">
    <bdi>${view.version}</bdi><span>, started ${when(view.startedAtMs, wallMs)}</span>
  </p>`;

/** @param events the address of the page's event stream; absent: none */
export function layout(options: {
  readonly title: string;
  readonly main: Html;
  readonly view: View;
  readonly wallMs: number;
  readonly events?: string;
}): string {
  const { title, main, view, wallMs, events } = options;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<link rel="icon" href="${mark}">
${styles.map((name) => html`<link rel="stylesheet" href="/assets/${name}" />`)}
<script src="/assets/live.js" type="module"></script>
</head>
<body${events !== undefined && html` data-events="${events}"`}>
<a class="skip" href="#main">Skip to the content</a>
${shapes}
<header class="top">
<a class="brand" href="/"><svg class="icon" viewBox="0 0 16 16" aria-hidden="true"><path d="M8 9.2C4.6 6.8 5 3.4 8 1c3 2.4 3.4 5.8 0 8.2zM8 4.5v10.7M8 10.8c-.4 2.2-3 2-4.5 4.2M8 10.8c.4 2.2 3 2 4.5 4.2" fill="none" stroke="currentColor" stroke-width="1.4" stroke-linecap="round"/></svg>Holdfast</a>
${processPart(view, wallMs)}
<p id="link" class="link"></p>
</header>
<main id="main" tabindex="-1">
${main}
</main>
<p id="say" class="unseen" role="status" aria-live="polite"></p>
</body>
</html>
`.toString();
}
