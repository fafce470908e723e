// Renders an object's fields in one table: declared, last written, and observed.
import { isTrue } from '../../core/status/condition.ts';
import { differenceOf, type ObjectView } from '../../core/status/view.ts';
import { html, type Html } from './html.ts';
import { cell, slashed, when } from './format.ts';
import { tableSection, type Line } from './table.ts';

/** Bounds the table; kinds have far fewer fields. */
const fieldsMax = 200;

const causes = {
  outside: 'changed outside',
  edit: 'the declaration changed',
  unwritten: 'not written yet',
} as const;

const soft = (text: string): Html => html`<span class="nothing">${text}</span>`;

export function fieldsSection(object: ObjectView, wallMs: number): Html | false {
  const { applied, observed = {}, drift } = object.status;
  const differing = drift?.fields ?? [];
  const paths = new Set([...differing.map(({ path }) => path), ...Object.keys(applied).toSorted()]);
  const others = Object.keys(observed)
    .toSorted()
    .filter((name) => !paths.has(`/${name}`));
  const lines: readonly Line[] = [
    ...fieldLines(object, paths),
    ...others.map((name): Line => [named(name), false, false, cell(observed[name], `/${name}`)]),
  ];
  if (lines.length === 0) return false;
  const used = [0, 1, 2, 3].filter((i) => lines.some((line) => line[i] !== false));
  const [first = titles[0], ...rest] = used.map((i) => titles[i] ?? titles[0]);
  const seen =
    drift &&
    differing.length > 0 &&
    html` <span class="nothing"
      >differs in <bdi>${drift.summary}</bdi>, seen ${when(drift.detectedAt, wallMs)}</span
    >`;
  const shown = lines.slice(0, fieldsMax).map((line) => used.map((i) => line[i]));
  return tableSection('fields-title', html`Fields${seen}`, [first, ...rest], shown);
}

const titles = [
  { title: 'Field' },
  { title: 'Declared' },
  { title: 'Last written' },
  { title: 'Live' },
] as const;

/** The fields that differ come first. */
function fieldLines(object: ObjectView, paths: ReadonlySet<string>): readonly Line[] {
  const { applied, observed = {}, drift } = object.status;
  const differing = new Map((drift?.fields ?? []).map((field) => [field.path, field]));
  const [declared, live] = isCompared(object)
    ? [soft('as written'), soft('no difference')]
    : ([false, false] as const);
  return [...paths].map((path) => {
    const written = Object.hasOwn(applied, path) && cell(applied[path], path);
    const differs = differing.get(path);
    if (!differs) {
      const name = path.slice(1);
      return [
        named(path),
        declared,
        written,
        Object.hasOwn(observed, name) ? cell(observed[name], path) : live,
      ];
    }
    const because = html`${named(path)}
      <span class="nothing">${causes[differenceOf(object.status, differs)]}</span>`;
    return [
      because,
      html`<span class="desired">${cell(differs.desired, path)}</span>`,
      written,
      html`<span class="live">${cell(differs.live, path)}</span>`,
    ];
  });
}

/** Whether the drift was computed for the current declaration: then a field without drift is as last written. */
const isCompared = ({ generation, status }: ObjectView): boolean =>
  status.observedGeneration === generation && !isTrue(status.conditions, 'Stalled');

const named = (path: string): Html => html`<code>${slashed(path)}</code>`;
