// A plan as text and as Markdown.
import { invalidIn, lineOf, type Problem } from '../../core/text/problem.ts';
import { changeBlock, signs } from './changes.ts';
import { actions, countsOf, type Planned } from './forecast.ts';
import { plain } from './terminal.ts';

const losses = {
  data: 'destroys data',
  registration: 'destroys its registration',
  credential: 'destroys a credential',
} as const;

interface Line {
  readonly sign: string;
  readonly text: string;
  /** The step destroys something. */
  readonly destroys?: true;
}

const indented = (lines: readonly string[]): readonly Line[] =>
  lines.map((text) => ({ sign: ' ', text: `  ${text}` }));

function linesOf(one: Planned): readonly Line[] {
  const { after, steps, blocked, unchecked = [], drift, coming = [], because, error, problems } = one;
  return [
    ...problems.map((problem) => ({ sign: 'x', text: lineOf(problem) })),
    ...(after && (steps.length > 0 || blocked) ? [{ sign: ' ', text: `after ${after.join(', ')}` }] : []),
    ...steps.flatMap(({ verb, summary, destroys, changes }): readonly Line[] => [
      destroys
        ? { sign: signs[verb], text: `${plain(summary)} (${losses[destroys]})`, destroys: true }
        : { sign: signs[verb], text: plain(summary) },
      ...indented(changes.flatMap(changeBlock)),
    ]),
    ...unchecked.map((text) => ({ sign: '!', text: plain(text) })),
    ...(blocked
      ? [
          { sign: 'x', text: `${blocked.reason}: ${plain(blocked.message)}` },
          ...indented(blocked.changes.flatMap(changeBlock)),
        ]
      : []),
    ...drift.flatMap(changeBlock).map((text) => ({ sign: '?', text: `left as found: ${text}` })),
    ...coming.map((text) => ({ sign: '.', text: plain(text) })),
    ...(because === undefined ? [] : [{ sign: '-', text: plain(because) }]),
    ...(error === undefined ? [] : [{ sign: 'x', text: plain(error) }]),
  ];
}

const titleOf = ({ key, suspended }: Planned): string =>
  suspended === undefined ? key : `${key} (suspended ${suspensions[suspended]})`;

const suspensions = {
  command: 'by command',
  annotation: 'by annotation',
  spec: 'by its spec',
  connection: 'with its connection',
} as const;

/**
 * @param red colours the lines of steps that destroy something
 * @param others problems of what is no object of the plan: told above it, and counted
 */
export function planText(
  planned: readonly Planned[],
  red: (text: string) => string,
  others: readonly Problem[] = [],
): string {
  const blocks = planned.flatMap((one) => {
    const lines = linesOf(one).map(({ sign, text, destroys }) => {
      const line = `  ${sign} ${text}`;
      return destroys ? red(line) : line;
    });
    return isShown(one) ? [[titleOf(one), ...lines].join('\n')] : [];
  });
  return [...blocks, [...lossLines(planned).map(red), summaryOf(planned, others)].join('\n')].join('\n\n');
}

/**
 * What `others` say is part of it, for whoever reads it sees nothing else. Signs start their lines, so that Markdown
 * colours the lines as a diff.
 */
export function planMarkdown(planned: readonly Planned[], others: readonly Problem[] = []): string {
  const unread = others.map((problem) => `x ${lineOf(problem)}`);
  const blocks = planned.flatMap((one) =>
    isShown(one)
      ? [
          [
            `# ${titleOf(one)}`,
            ...linesOf(one).map(({ sign, text }) => `${sign === '~' ? '!' : sign} ${text}`),
          ].join('\n'),
        ]
      : [],
  );
  const lost = lossLines(planned).map(
    (line) => `**${line.replace(': ', ':** `').replaceAll(', ', '`, `')}\``,
  );
  if (unread.length > 0) blocks.unshift([`# can't be used`, ...unread].join('\n'));
  const diff = blocks.length === 0 ? [] : [`\`\`\`diff\n${blocks.join('\n\n')}\n\`\`\``];
  return [`### holdfast plan`, summaryOf(planned, others), ...lost, ...diff].join('\n\n');
}

/** With a suspended connection, only objects that have something to do are shown: it may have thousands. */
const isShown = (one: Planned): boolean =>
  linesOf(one).length > 0 || (one.suspended !== undefined && one.suspended !== 'connection');

const namesMax = 10;

/** What the plan destroys, with the names of the objects. */
function lossLines(planned: readonly Planned[]): readonly string[] {
  const losing = planned.filter(({ destroys }) => destroys !== undefined);
  return [...Map.groupBy(losing, ({ destroys }) => destroys ?? 'data')].map(([what, those]) => {
    const names = those.slice(0, namesMax).map(({ key }) => key);
    const more = those.length > namesMax ? [`and ${those.length - namesMax} more`] : [];
    const said = losses[what];
    return `${said.charAt(0).toUpperCase()}${said.slice(1)}: ${[...names, ...more].join(', ')}`;
  });
}

const states = [
  ['held', 'of these held back'],
  ['blocked', 'blocked'],
  ['invalid', 'invalid'],
  ['failed', 'failed'],
  ['suspended', 'suspended'],
] as const;

const always: ReadonlySet<string> = new Set(['create', 'update', 'replace', 'destroy']);

/** @param others problems of what is no object of the plan, which may declare more than is planned */
function summaryOf(planned: readonly Planned[], others: readonly Problem[]): string {
  const ofObjects = countsOf(planned);
  const counts = { ...ofObjects, invalid: ofObjects.invalid + invalidIn(others) };
  const isIdle = actions.every((action) => counts[action] === 0);
  const doing = actions
    .filter((action) => always.has(action) || counts[action] > 0)
    .map((action) => `${counts[action]} to ${action}`);
  const rest = states.filter(([name]) => counts[name] > 0).map(([name, text]) => `${counts[name]} ${text}`);
  const state = [...rest, `${counts.inSync} in sync`].join(', ');
  return isIdle ? `No changes; ${state}` : `Plan: ${doing.join(', ')}; ${state}`;
}
