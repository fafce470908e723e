// `holdfast dev`: runs the embedded services and reconciles a directory on them.
import { resolve } from 'node:path';
import { plain } from '../output/terminal.ts';
import { converge } from './converge.ts';
import { systemClock } from '../../runtime/clock.ts';
import { tokenFile } from '../../runtime/embedded/token.ts';
import { tokenHeaders, type DialectsName, type RunningEmbedded } from '../../runtime/embedded/running.ts';
import { startEmbedded } from '../../runtime/embedded/services.ts';
import { counted } from '../../core/text/count.ts';
import { exitCode, type ExitCode } from '../exit.ts';
import { faultOf } from '../fault.ts';
import { kinds } from '../../runtime/kinds/lookup.ts';
import { listen, type Listen } from '../../runtime/status-page.ts';
import { judgedForEmbedded } from '../../runtime/machine.ts';
import { Narrator } from '../output/narrator.ts';
import { openOperator, type Operator } from '../../runtime/directory-operator.ts';
import { serveRequests } from '../../runtime/place/requests.ts';
import { shellWord } from '../output/shell.ts';
import { rowsOf } from '../output/show.ts';
import type { Terminal } from '../output/terminal.ts';
import type { Process } from '../process.ts';
import type { RunningWeb } from '../../web/server.ts';

export interface DevOptions {
  readonly once?: boolean;
  readonly output: 'text' | 'json';
  readonly dialect: DialectsName;
  readonly stateDir: string;
  readonly secretsDir?: string;
  readonly outputDir?: string;
  readonly timeout: number;
  /** Port of the embedded scheduler. */
  readonly port: number;
  /** Port of the embedded secrets service. */
  readonly secretsPort: number;
  readonly listen: Listen | 'off';
}

export async function dev(
  directory: string | undefined,
  options: DevOptions,
  terminal: Terminal,
  process: Process,
): Promise<ExitCode> {
  const { stateDir, secretsDir, outputDir } = options;
  if (options.once !== true)
    terminal.mayLoseLines((lines) =>
      terminal.line(`${counted(lines, 'line')} lost here: standard output could not be written`),
    );
  if (directory !== undefined) judgedForEmbedded(directory, options);
  const embedded = await startEmbedded(options);
  const { running } = embedded;
  const text = options.output === 'text';
  const narrator = new Narrator(terminal, !text, systemClock.wallMs);
  let operator: Operator | undefined;
  let page: RunningWeb | undefined;
  try {
    if (text) greet(terminal, running, options);
    if (directory === undefined) {
      await process.asked;
      return exitCode.fine;
    }
    operator = await openOperator({
      directory,
      stateDir,
      watch: options.once !== true,
      embedded: () => running,
      ...narrator.hooks,
      ...(secretsDir !== undefined && { secretsDir }),
      ...(outputDir !== undefined && { outputDir }),
      gate: faultOf(process),
    });
    if (options.once !== true) page = await listen(operator, options.listen, narrator.hooks.onPageBug);
    if (text && page) terminal.line(`${terminal.style('bold', 'status')}     ${page.url}\n`);
    await operator.controller.list();
    const control = options.once === true ? undefined : await serveRequests(stateDir, operator);
    const timeUp = AbortSignal.any([AbortSignal.timeout(options.timeout * 1000), process.asking]);
    const facts = () => ({
      'service writes': embedded.scheduler.counters().writes + embedded.secrets.counters().writes,
    });
    const { source } = operator;
    const code = await converge(operator, narrator, terminal, {
      output: options.output,
      timeUp,
      facts,
      problems: () => source.problems(),
    });
    if (options.once === true) return code;
    if (text && !process.asking.aborted) invite(terminal, running, { directory, stateDir }, operator);
    await process.asked;
    await control?.close();
    return exitCode.fine;
  } finally {
    await page?.stop();
    await operator?.close();
    await embedded.stop();
  }
}

const how = (dialect: string): string => `(embedded, dialect ${dialect})`;

/** A shell expression that reads the token from its file, in any directory. The token itself is not printed. */
const tokenOf = (stateDir: string): string => `$(cat ${shellWord(resolve(tokenFile(stateDir)))})`;

function greet(
  terminal: Terminal,
  { scheduler, secrets }: RunningEmbedded,
  { stateDir }: Pick<DevOptions, 'stateDir'>,
): void {
  terminal.line(`${terminal.style('bold', 'scheduler')}  ${scheduler.url}  ${how(scheduler.dialect)}`);
  terminal.line(`${terminal.style('bold', 'secrets')}    ${secrets.url}  ${how(secrets.dialect)}`);
  terminal.line(`${terminal.style('bold', 'state')}      ${plain(stateDir)}`);
  terminal.line(`${terminal.style('bold', 'token')}      ${plain(tokenFile(stateDir))}`);
  terminal.line();
}

function invite(
  terminal: Terminal,
  { scheduler, secrets }: Pick<RunningEmbedded, 'scheduler' | 'secrets'>,
  { directory, stateDir }: { readonly directory: string; readonly stateDir: string },
  operator: Operator,
): void {
  const rows = rowsOf(operator.source, () => []);
  const calls = [...kinds.values()].flatMap((kind) => {
    const row = rows.find(({ key, status }) => key.kind === kind.name && status.externalRef);
    const ref = row?.status.externalRef;
    const call = ref && kind.interference(ref);
    return call
      ? [{ ...call, of: kind.external(ref).type.startsWith('secrets/') ? 'secrets' : 'scheduler' } as const]
      : [];
  });
  const headers = tokenHeaders({ scheduler, secrets });
  const urls = { scheduler: scheduler.url, secrets: secrets.url };
  terminal.line();
  terminal.line(`Watching ${plain(directory)}: edit, add or remove a file.`);
  if (calls.length > 0) terminal.line('Or change something behind its back:');
  for (const { method, path, of } of calls)
    terminal.line(`  curl -X ${method} -H "${headers[of]}: ${tokenOf(stateDir)}" ${urls[of]}/v1/${path}`);
  terminal.line('Press Ctrl-C to stop.');
}
