// Completion scripts, generated from the declared commands and options. A script contains everything that it offers,
// except the names of objects: it runs `holdfast get` for these on each completion.
import type { Command, Option } from 'commander';

/** What a script offers for one command. */
interface Offer {
  readonly name: string;
  readonly description: string;
  readonly options: readonly OfferedOption[];
  /** objects: kinds and names of objects. files: any path. */
  readonly takes: 'objects' | 'kinds' | 'files' | 'shells' | 'nothing';
}

interface OfferedOption {
  readonly flags: readonly string[];
  readonly description: string;
  readonly hasValue: boolean;
  readonly isPath: boolean;
  readonly choices: readonly string[];
}

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** @param kinds names of kinds that commands accept */
export function completionScript(shell: Shell, root: Command, kinds: readonly string[]): string {
  const offers = root.commands.map(offerOf);
  if (shell === 'fish') return fishScript(offers, kinds);
  const bash = bashScript(offers, kinds);
  return shell === 'bash'
    ? bash
    : `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash}`;
}

const argumentsTaken: Readonly<Record<string, Offer['takes']>> = {
  what: 'objects',
  object: 'objects',
  field: 'kinds',
  kind: 'kinds',
  shell: 'shells',
  path: 'files',
  dir: 'files',
  file: 'files',
};

const offerOf = (command: Command): Offer => ({
  name: command.name(),
  description: command.description(),
  options: [...command.options.filter(({ hidden }) => !hidden).map(optionOf), help],
  takes: argumentsTaken[command.registeredArguments[0]?.name() ?? ''] ?? 'nothing',
});

const optionOf = ({
  short,
  long,
  flags,
  description,
  required,
  optional,
  argChoices,
}: Option): OfferedOption => ({
  flags: [short, long].filter((flag) => flag !== undefined && flag !== null),
  description,
  hasValue: required || optional,
  isPath: /<(dir|file|path|dir\|kubernetes)>$/.test(flags) && long !== '--mount',
  choices: argChoices ?? [],
});

const help: OfferedOption = {
  flags: ['-h', '--help'],
  description: 'show help',
  hasValue: false,
  isPath: false,
  choices: [],
};

const words = (list: readonly string[]): string => list.join(' ');
/** A string literal of fish. */
const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const objects = '$(holdfast get -o name 2>/dev/null)';

function bashScript(offers: readonly Offer[], kinds: readonly string[]): string {
  const values = offers.flatMap(({ name, options }) =>
    options
      .filter(({ hasValue }) => hasValue)
      .map(({ flags, isPath, choices }) => {
        const at = flags.map((flag) => `'${name} ${flag}'`).join(' | ');
        return choices.length > 0
          ? `    ${at}) words='${words(choices)}' ;;`
          : `    ${at})${isPath ? ' _holdfast_files;' : ''} return ;;`;
      }),
  );
  const taken = {
    objects: ` words="$words ${words(kinds)} ${objects}"`,
    kinds: ` words="$words ${words(kinds)}"`,
    shells: ` words="$words ${words(shells)}"`,
    files: ' _holdfast_files',
    nothing: '',
  } as const;
  const commands = offers.map(
    ({ name, options, takes }) =>
      `      ${name}) words='${words(options.flatMap(({ flags }) => flags))}';${taken[takes]} ;;`,
  );
  return `# Completion of holdfast. Made by \`holdfast completion\`; do not edit.
_holdfast_files() { # bash goes on behind a folder, and quotes blanks; zsh has no compopt
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_holdfast() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${words([...offers.map(({ name }) => name), 'help', '--help', '--version'])}' -- "$cur"))
    return
  fi
  case "\${COMP_WORDS[1]} $prev" in
${values.join('\n')}
    *) case "\${COMP_WORDS[1]}" in
${commands.join('\n')}
    esac ;;
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$cur"))
}
complete -F _holdfast holdfast
`;
}

function fishScript(offers: readonly Offer[], kinds: readonly string[]): string {
  const lines = offers.flatMap(({ name, description, options, takes }) => {
    const within = `-n '__fish_seen_subcommand_from ${name}'`;
    const taken = {
      objects: `complete -c holdfast ${within} -f -a ${quoted(`${kinds.join(' ')} (holdfast get -o name 2>/dev/null)`)}`,
      kinds: `complete -c holdfast ${within} -f -a ${quoted(kinds.join(' '))}`,
      shells: `complete -c holdfast ${within} -f -a ${quoted(shells.join(' '))}`,
      files: `complete -c holdfast ${within} -F`,
      nothing: `complete -c holdfast ${within} -f`,
    } as const;
    return [
      `complete -c holdfast -f -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
      taken[takes],
      ...options.map(({ flags, description: about, hasValue, isPath, choices }) => {
        const names = flags.map((flag) =>
          flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`,
        );
        const other = isPath ? ' -r' : hasValue ? ' -x' : '';
        const value = choices.length > 0 ? ` -x -a ${quoted(choices.join(' '))}` : other;
        return `complete -c holdfast ${within} ${names.join(' ')}${value} -d ${quoted(about)}`;
      }),
    ];
  });
  return `# Completion of holdfast. Made by \`holdfast completion\`; do not edit.\n${lines.join('\n')}\n`;
}
