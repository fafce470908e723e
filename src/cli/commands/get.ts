// `holdfast get`: lists the declared objects with their status. It only reads, and works while the operator runs.
import { UsageError } from '../../core/errors.ts';
import { invalidIn, lineOf, type Problem } from '../../core/text/problem.ts';
import { keyText, parseKey } from '../../core/resource.ts';
import type { Json } from '../../core/secret.ts';
import { parseSelector } from '../../core/text/selector.ts';
import { systemClock } from '../../runtime/clock.ts';
import { asYaml } from '../../runtime/kinds/lookup.ts';
import type { Entry } from '../../core/source/source.ts';
import type { Listing, Query } from '../../runtime/place/listing.ts';
import type { Place } from '../../runtime/place/place.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { listOf, manifestOf } from '../output/manifest.ts';
import { shownOf, tableOf } from '../output/objects.ts';
import { remedyLines } from '../output/show.ts';
import { printable, rowText, table, widthsOf, type Terminal } from '../output/terminal.ts';

export interface GetOptions {
  readonly output: 'text' | 'wide' | 'json' | 'yaml' | 'name';
  readonly namespace?: string;
  readonly selector?: string;
  readonly watch?: boolean;
}

export async function get(
  query: Query,
  options: GetOptions,
  place: Place,
  terminal: Terminal,
  asking: AbortSignal,
): Promise<ExitCode> {
  const isSelected = options.selector === undefined ? () => true : parseSelector(options.selector);
  const rowsOf = ({ rows }: Listing): readonly Entry[] =>
    rows
      .filter(({ object }) => isSelected(object.labels ?? {}))
      .map((row) => [keyText(row.object.key), row] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => row);
  const kind = query.kinds.length === 1 && query.keys.length === 0 ? query.kinds[0] : undefined;
  const shape = { kind, wide: options.output === 'wide' };
  let isTold = !isForPeople(options);
  const tellUnattended = (): void => {
    if (isTold || !place.isUnattended()) return;
    isTold = true;
    terminal.note(unattended);
  };
  if (options.watch === true) {
    if (query.keys.length > 0) await checkNamed(query, await place.list(query), place);
    const follower = new Follower(options, shape, terminal, tellUnattended);
    const ending = AbortSignal.any([asking, terminal.refused]);
    const onChange = (listing: Listing): void => follower.tell(listing, rowsOf(listing));
    const onTrouble = (watched: string, message: string | undefined): void =>
      terminal.note(`${watched} ${message === undefined ? 'can be watched again' : unwatched(message)}`);
    await place.watch(query, { onChange, onTrouble }, ending);
    return exitCode.fine;
  }
  const listing = await place.list(query);
  tellAside(listing, terminal);
  const rows = rowsOf(listing);
  await checkNamed(query, listing, place);
  tellUnattended();
  const isOne = query.keys.length === 1 && query.kinds.length === 0;
  const isAll = query.keys.length + query.kinds.length === 0 && options.selector === undefined;
  show(rows, listing, { ...options, ...shape, isOne, isAll }, terminal);
  return listing.distrusted ? exitCode.notReady : exitCode.fine;
}

const unwatched = (message: string): string => `can't be watched, so its changes are not shown: ${message}`;

/** @throws UsageError for a name that there is not: whoever mistyped it would see an empty list, or watch nothing for ever */
async function checkNamed({ keys }: Query, { rows }: Listing, place: Place): Promise<void> {
  for (const key of keys)
    if (!rows.some(({ object }) => keyText(object.key) === key)) throw await notFound(key, place);
}

/** Tells that the state is not trusted, and what of it can't be read. */
export function tellAside({ distrusted, unread = [] }: Listing, terminal: Terminal): void {
  if (distrusted) terminal.note(distrusted.message);
  for (const { message } of unread) terminal.note(`left out: ${message}`);
}

const unattended = 'no operator runs on this state: this is how the last one left it';

const isForPeople = ({ output }: GetOptions): boolean => output === 'text' || output === 'wide';

/** Names objects of the same name in other namespaces, because `-n` is easily forgotten. */
export async function notFound(key: string, place: Place): Promise<UsageError> {
  const { kind = '', name } = parseKey(key) ?? {};
  const { rows } = await place.list({ kinds: [kind], keys: [] });
  const alike = rows.map(({ object }) => object.key).filter((other) => other.name === name);
  const elsewhere = alike.slice(0, elsewhereMax).map(keyText).join(', ');
  const hint = elsewhere === '' ? `\`holdfast get ${kind}\` lists what there is` : `there is ${elsewhere}`;
  return new UsageError(`${key}: no such object; ${hint}`);
}

const elsewhereMax = 5;

interface Shape extends GetOptions {
  readonly kind: string | undefined;
  readonly wide: boolean;
  /** Exactly one object was named: it is shown alone, not in a list. */
  readonly isOne: boolean;
  /** Everything is shown: no kind, object or label was chosen. */
  readonly isAll: boolean;
}

function show(rows: readonly Entry[], listing: Listing, shape: Shape, terminal: Terminal): void {
  switch (shape.output) {
    case 'json':
    case 'yaml': {
      const documents = rows.map(manifestOf);
      const [first] = documents;
      const document = shape.isOne && first ? first : listOf(documents);
      return shape.output === 'json' ? terminal.json(document) : terminal.line(yamlOf(document));
    }
    case 'name':
      for (const { object } of rows) terminal.line(keyText(object.key));
      return;
    case 'text':
    case 'wide': {
      if (rows.length === 0)
        return terminal.line(listing.rows.length === 0 ? none(shape) : 'No object has these labels.');
      const { titles, cells } = tableOf(terminal, { ...shape, wallMs: systemClock.wallMs() });
      terminal.line(table([titles, ...rows.map(cells)]));
      for (const line of remedyLines(rows.map(shownOf))) terminal.line(line);
      if (shape.isAll) for (const line of problemLines(listing.problems ?? [])) terminal.line(line);
    }
  }
}

const problemsMax = 10;

function problemLines(problems: readonly Problem[]): readonly string[] {
  if (problems.length === 0) return [];
  const more = problems.length - problemsMax;
  return [
    '',
    `${invalidIn(problems)} invalid, when the files were last read:`,
    ...problems.slice(0, problemsMax).map((problem) => `  ${lineOf(problem)}`),
    ...(more > 0 ? [`  … and ${more} more: holdfast validate lists them`] : []),
  ];
}

const none = ({ kind, namespace }: Shape): string =>
  `${kind === undefined ? 'Nothing' : `No ${kind}`} is declared${namespace === undefined ? '' : ` in namespace ${namespace}`}.`;

// oxlint-disable-next-line no-unsafe-type-assertion -- a document holds JSON only
const yamlOf = (document: unknown): string => printable(asYaml(document as Json)).trimEnd();

/** Prints each object once, and again when its output changes. */
class Follower {
  readonly #options: GetOptions;
  readonly #shape: Pick<Shape, 'kind' | 'wide'>;
  readonly #terminal: Terminal;
  readonly #tellUnattended: () => void;
  readonly #printed = new Map<string, string>();
  #widths: readonly number[] | undefined;

  constructor(
    options: GetOptions,
    shape: Pick<Shape, 'kind' | 'wide'>,
    terminal: Terminal,
    tellUnattended: () => void,
  ) {
    this.#options = options;
    this.#shape = shape;
    this.#terminal = terminal;
    this.#tellUnattended = tellUnattended;
  }

  tell(listing: Listing, rows: readonly Entry[]): void {
    if (this.#widths === undefined) tellAside(listing, this.#terminal);
    this.#tellUnattended();
    const now = new Set(rows.map(({ object }) => keyText(object.key)));
    const gone = [...this.#printed.keys()].filter((key) => !now.has(key));
    for (const key of gone) {
      this.#printed.delete(key);
      this.#terminal.note(`${key} is no longer ${listing.read(key) ? 'among them' : 'declared'}`);
    }
    if (isForPeople(this.#options)) return this.#tellTable(rows);
    const { output } = this.#options;
    for (const row of rows) {
      const key = keyText(row.object.key);
      const text = output === 'name' ? key : JSON.stringify(manifestOf(row));
      if (!this.#isNews(key, text)) continue;
      if (output === 'name') this.#terminal.line(key);
      else if (output === 'json') this.#terminal.json(manifestOf(row));
      else this.#terminal.line(`---\n${yamlOf(manifestOf(row))}`);
    }
    this.#widths ??= [];
  }

  #tellTable(rows: readonly Entry[]): void {
    const wallMs = systemClock.wallMs();
    const ageless = tableOf(this.#terminal, { ...this.#shape, wallMs: 0 });
    const { titles, cells } = tableOf(this.#terminal, { ...this.#shape, wallMs });
    const news = rows
      .filter((row) => this.#isNews(keyText(row.object.key), ageless.cells(row).join('\0')))
      .map(cells);
    if (this.#widths === undefined) {
      this.#widths = widthsOf([titles, ...news]);
      this.#terminal.line(rowText(titles, this.#widths));
    }
    for (const row of news) this.#terminal.line(rowText(row, this.#widths));
  }

  #isNews(key: string, text: string): boolean {
    if (this.#printed.get(key) === text) return false;
    this.#printed.set(key, text);
    return true;
  }
}
