// Renders the problems of the files. An unreadable file declares no object that could show its problem.
import { lineOf, remedyOfProblems } from '../../core/text/problem.ts';
import { coded } from './format.ts';
import { html, type Html } from './html.ts';
import type { Scene } from './scene.ts';

const shownMax = 20;

export function filesPart({ view }: Scene): Html {
  const problems = view.problems();
  if (problems.length === 0) return html`<div id="files"></div>`;
  const more = problems.length - shownMax;
  return html`<section id="files" class="files" aria-labelledby="files-title">
    <h2 id="files-title">Files with problems</h2>
    <p class="nothing">${coded(remedyOfProblems)}</p>
    <ul>
      ${problems.slice(0, shownMax).map((problem) => html`<li><bdi>${lineOf(problem)}</bdi></li>`)}
    </ul>
    ${more > 0 && html`<p class="nothing">and ${more} more</p>`}
  </section>`;
}
