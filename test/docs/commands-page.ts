// docs/reference/commands.md: each command as its own --help shows it.
import type { Argument, Command, Option } from 'commander';
import { program } from '../../src/cli/main.ts';
import { Terminal } from '../../src/cli/output/terminal.ts';
import { code, codes, generatedFrom, table } from './markdown.ts';

export const commandsPage = 'docs/reference/commands.md';

export const commands = (): readonly Command[] =>
  program({
    terminal: new Terminal(process.stdout, process.stderr),
    process: { env: {}, asking: AbortSignal.abort(), asked: Promise.resolve() },
    end: () => undefined,
    isPlugin: false,
  }).commands;

export const optionsOf = (command: Command): readonly Option[] =>
  command.options.filter(({ hidden }) => !hidden);

/** Nothing is shown of what is empty or false. */
const shown = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? code(String(value)) : '';

const choices = (all: readonly string[] | undefined): string =>
  all === undefined ? '' : ` One of ${codes(all)}.`;

const sentence = (text: string): string => `${text[0]?.toUpperCase()}${text.slice(1)}.`;

const argumentRow = (one: Argument): readonly string[] => [
  code(`${one.required ? '<' : '['}${one.name()}${one.variadic ? '...' : ''}${one.required ? '>' : ']'}`),
  shown(one.defaultValue),
  `${one.description === '' ? '' : sentence(one.description)}${choices(one.argChoices)}`,
];

/** The value, as it would be given. An option that may be given several times has words in its place. */
const defaultOf = ({ defaultValue, defaultValueDescription }: Option): string =>
  Array.isArray(defaultValue)
    ? (defaultValueDescription ?? '')
    : shown(defaultValueDescription ?? defaultValue);

const optionRow = (one: Option): readonly string[] => [
  code(one.flags),
  one.mandatory ? 'required' : defaultOf(one),
  `${sentence(one.description)}${choices(one.argChoices)}`,
];

/** Its example, which stands under its help. */
function exampleOf(command: Command): readonly string[] {
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) });
  command.outputHelp();
  const [, example] = /\nExample:\n {2}\$ (.*)\n/.exec(help) ?? [];
  if (example === undefined) throw new Error(`${command.name()} has no example`);
  return ['```sh', example, '```'];
}

/** Options under a heading of the help have a table of their own. */
const groupsOf = (command: Command): readonly (readonly [heading: string, options: readonly Option[]])[] => [
  ...Map.groupBy(optionsOf(command), ({ helpGroupHeading }) => helpGroupHeading ?? ''),
];

function section(command: Command): readonly string[] {
  const groups = groupsOf(command);
  const plain = groups.find(([heading]) => heading === '')?.[1] ?? [];
  const rows = [...command.registeredArguments.map(argumentRow), ...plain.map(optionRow)];
  return [
    `## ${command.name()}`,
    '',
    sentence(command.description()),
    '',
    ...exampleOf(command),
    '',
    ...(rows.length === 0 ? [] : [...table(['Argument or option', 'Default', 'What it is'], rows), '']),
    ...groups
      .filter(([heading]) => heading !== '')
      .flatMap(([heading, options]) => [
        heading,
        '',
        ...table(['Option', 'Default', 'What it is'], options.map(optionRow)),
        '',
      ]),
  ];
}

export const commandsText = (): string =>
  [
    '# Commands',
    '',
    generatedFrom('the command line'),
    '',
    '`holdfast <command> --help` prints the same. In a checkout it is `npx holdfast`; on a cluster, also `kubectl holdfast`, which then',
    'needs no `--source`.',
    '',
    '| Exit code | Meaning |',
    '| --- | --- |',
    '| 0 | Fine. |',
    '| 1 | An error, bad input included. |',
    '| 2 | There is something to do (`plan --detailed-exitcode`). |',
    '| 3 | Not everything was ready in time. |',
    '',
    ...[...commands()].toSorted((a, b) => (a.name() < b.name() ? -1 : 1)).flatMap(section),
  ].join('\n');
