// Commands that set requests on objects, such as adopt and suspend, and that approve.
import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { retentionHold } from '../../core/effect.ts';
import { UsageError } from '../../core/errors.ts';
import { managedKinds, requestCommands, type RequestCommand } from '../../runtime/kinds/lookup.ts';
import type { Place } from '../../runtime/place/place.ts';
import { exitCode } from '../exit.ts';
import { objectKey } from '../object-key.ts';
import { onPlace, type Add, type CommandContext } from './context.ts';

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
  ).argument('<digest>', 'identifies exactly what to approve; `holdfast get` shows it');
  asking(approving, context, (digest) => ({ do: 'approve', digest }));

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
    const taking = add(name, help, `${name} ${named}`).argument('<object>', 'KIND/NAMESPACE/NAME');
    asking(taking, context, (object, namespace) => ({
      do: 'request',
      key: objectKey(object, namespace),
      name: request,
    }));
  }
}

function addRequest(add: Add, asks: RequestCommand, context: CommandContext): void {
  const { name, help, sets } = asks;
  const isReason = sets === 'reason';
  const command = add(name, help, `${name} ${asks.sample}`).argument('<object>', 'KIND/NAMESPACE/NAME');
  if (isReason) command.requiredOption('--reason <text>', 'why; it is kept in the log');
  asking(command, context, (object, namespace) => {
    const key = objectKey(object, namespace);
    const requested = asks.requestOf(key.slice(0, key.indexOf('/')));
    if (requested === undefined) throw new UsageError(`${key}: ${name} is for ${asks.kinds.join(', ')}`);
    // A new token for each request, independent of the clock.
    const token = isReason ? command.getOptionValue('reason') : sets === 'token' ? randomUUID() : sets;
    return { do: 'request', key, name: requested, token };
  });
}

function asking(
  command: Command,
  context: CommandContext,
  controlOf: (argument: string, namespace: string) => Parameters<Place['request']>[0],
): void {
  onPlace(command, context, async (place, [argument = '']) => {
    context.terminal.line(await place.request(controlOf(argument, place.namespace)));
    return exitCode.fine;
  });
}
