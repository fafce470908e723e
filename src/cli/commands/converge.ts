// Runs an operator until every object is at rest, and reports the result: for `dev`, `run` and `apply`.
import { exitCode, type ExitCode } from '../exit.ts';
import type { Narrator } from '../output/narrator.ts';
import type { LastVisit } from '../../controller/reconcile/endings.ts';
import type { Reason } from '../../core/status/reasons.ts';
import type { Approvals } from '../../core/source/approvals.ts';
import { invalidIn } from '../../core/text/problem.ts';
import { keyText } from '../../core/resource.ts';
import type { Problem } from '../../core/text/problem.ts';
import { withInvalid } from '../../core/source/invalid.ts';
import type { Declarations } from '../../core/source/source.ts';
import type { Engine } from '../../runtime/engine.ts';
import { listed, rowsOf, showTable, type Listed, type Row } from '../output/show.ts';
import type { Terminal } from '../output/terminal.ts';

/** An operator over any source. */
interface Converging extends Pick<Engine, 'settle'> {
  readonly controller: Pick<Engine['controller'], 'run' | 'last'>;
  readonly source: Declarations;
  readonly approvals: Pick<Approvals, 'distrusted'>;
}

/** Of an object whose connection can't be used, nothing was looked at: that it was ready before does not count. */
function asVisited(row: Row, last: LastVisit | undefined): Listed {
  const before = listed(row);
  if (last?.ending.is !== 'parked' || before.ready !== 'True') return before;
  const reason = 'ConnectionNotReady' satisfies Reason;
  return { ...before, ready: 'Unknown', reason, message: last.ending.message };
}

/**
 * Runs until every object is at rest or the time is up, then reports the result.
 * @param facts further lines of the report, name → value
 */
export async function converge(
  operator: Converging,
  narrator: Narrator,
  terminal: Terminal,
  {
    output,
    timeUp,
    facts,
    problems = () => [],
    shows = () => true,
  }: {
    readonly output: 'text' | 'json';
    readonly timeUp: AbortSignal;
    readonly facts: () => Readonly<Record<string, number>>;
    /** Problems of the declarations, in addition to the objects' statuses. */
    readonly problems?: () => readonly Problem[];
    /** Whether the object is reported. */
    readonly shows?: (key: string) => boolean;
  },
): Promise<ExitCode> {
  operator.controller.run();
  const inTime = await operator.settle(timeUp);
  const wrong = problems();
  const rows = rowsOf(withInvalid(operator.source, wrong), (key) => narrator.done(key))
    .filter(({ key }) => shows(keyText(key)))
    .map((row) => asVisited(row, operator.controller.last(keyText(row.key))));
  const allReady = inTime && rows.every((row) => row.ready === 'True');
  if (output === 'json') {
    terminal.json({ objects: rows, problems: wrong, ...facts() });
  } else {
    terminal.gap();
    const nothing = wrong.length === 0 ? 'Nothing is declared.' : 'Nothing that is declared can be used.';
    terminal.line(rows.length === 0 ? nothing : showTable(terminal, rows));
    const ready = rows.filter((row) => row.ready === 'True').length;
    const more = Object.entries(facts()).map(([name, value]) => `, ${name} ${value}`);
    terminal.line();
    const invalid = wrong.length === 0 ? '' : `, ${invalidIn(wrong)} invalid`;
    terminal.line(`${ready} of ${rows.length} ready${invalid}${more.join('')}`);
  }
  if (narrator.problems > 0) return exitCode.error;
  const doubt = operator.approvals.distrusted;
  if (doubt) terminal.note(doubt.message);
  return allReady && !doubt ? exitCode.fine : exitCode.notReady;
}
