// Commands that set requests on objects, such as adopt and suspend, and that approve.
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { retentionHold } from '../../core/effect.ts';
import { UsageError } from '../../core/errors.ts';
import { managedKinds, requestCommands, type RequestCommand } from '../../runtime/kinds/lookup.ts';
import { exitCode } from '../exit.ts';
import { oneObject } from '../object-key.ts';
import { onPlace, type Add, type CommandContext } from './context.ts';

/** How commands name one object. */
export const anObject = 'KIND/NAMESPACE/NAME, or KIND NAME';

/** An object for examples in help texts. */
export const example = `${managedKinds[0]}/shop/orders`;

export function addAsking(add: Add, context: CommandContext): void {
  const adopting = add(
    'adopt',
    'list what exists but is not managed yet; adopt what is identical',
    'adopt --yes',
  ).option('--yes', 'adopt what is exactly as declared');
  onPlace(adopting, context, async (place) => {
    const { adopt } = await import('../commands/adopt.ts');
    return adopt(adopting.opts(), place, context.terminal);
  });

  const approving = add(
    'approve',
    'approve what waits for approval, such as deletions beyond the limits',
    'approve 1x9k2m7q',
  ).argument(
    '<digest>',
    'identifies exactly what to approve, whatever namespaces it is in; `holdfast get` shows it',
  );
  onPlace(approving, context, async (place, [digest = '']) => {
    context.terminal.line(await place.request({ do: 'approve', digest }));
    return exitCode.fine;
  });

  for (const command of requestCommands) addRequest(add, command, context);
  const takenBack = [
    ['resume', 'resume an object that was suspended by command', 'suspend'],
    ['unhold', 'let an object expire again that was held by command', retentionHold],
  ] as const;
  for (const [name, help, request] of takenBack) {
    const sample = requestCommands.find(
      ({ requestOf }) => requestOf(managedKinds[0] ?? '') === request,
    )?.sample;
    const [named = example] = sample?.split(' ') ?? [];
    const taking = add(name, help, `${name} ${named}`).argument('<object...>', anObject);
    asking(taking, context, () => ({ name: request }));
  }
}

function addRequest(add: Add, asks: RequestCommand, context: CommandContext): void {
  const { name, help, sets } = asks;
  const isReason = sets === 'reason';
  const command = add(name, help, `${name} ${asks.sample}`).argument('<object...>', anObject);
  if (isReason) command.requiredOption('--reason <text>', 'why; it is kept in the log');
  asking(command, context, (key) => {
    const requested = asks.requestOf(key.slice(0, key.indexOf('/')));
    if (requested === undefined) throw new UsageError(`${key}: ${name} is for ${asks.kinds.join(', ')}`);
    // A new token for each request, independent of the clock.
    const token = isReason ? command.getOptionValue('reason') : sets === 'token' ? randomUUID() : sets;
    return { name: requested, token };
  });
}

/** @param requestOf name and value of the request; without a value, it is taken back */
function asking(
  command: Command,
  context: CommandContext,
  requestOf: (key: string) => { readonly name: string; readonly token?: string },
): void {
  onPlace(command, context, async (place, words) => {
    const key = oneObject(words, place.namespace);
    const request = requestOf(key);
    const { rows } = await place.list({ kinds: [], keys: [key] });
    if (rows.length === 0) throw await (await import('../commands/get.ts')).notFound(key, place);
    context.terminal.line(await place.request({ do: 'request', key, ...request }));
    return exitCode.fine;
  });
}
