// `approve` and `reconcile`: asked of the running process, or written into the state when none runs.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { EffectGate } from '../api/effect.ts';
import { UsageError, messageOf } from '../core/errors.ts';
import {
  callControl,
  serveControl,
  type Control,
  type ControlReply,
  type ControlServer,
} from '../sources/directory/control.ts';
import { State } from '../sources/directory/state.ts';
import { approveIn } from './approvals.ts';
import type { Operator } from './operator.ts';

const socketIn = (stateDir: string): string => join(stateDir, 'control.sock');

/** Where requests are carried out. */
interface Target {
  approve(digest: string): Promise<readonly string[]>;
  overlay(key: string, name: string, token: string): Promise<void>;
}

async function carryOut(command: Control, target: Target): Promise<ControlReply> {
  const { do: what, digest, key, token } = command;
  if (what === 'approve' && digest !== undefined) {
    const keys = await target.approve(digest);
    return {
      ok: true,
      message: `approved: ${keys.length} objects may leave: ${keys.slice(0, 10).join(', ')}${keys.length > 10 ? ', …' : ''}`,
    };
  }
  if (what === 'reconcile' && key !== undefined && token !== undefined) {
    await target.overlay(key, 'reconcile', token);
    return { ok: true, message: `${key} is looked at again` };
  }
  return { ok: false, message: `unknown request ${what}` };
}

/** Carries out requests on the running operator until it is closed. */
export const serveRequests = (stateDir: string, operator: Operator): Promise<ControlServer> =>
  serveControl(socketIn(stateDir), async (command) => {
    try {
      const { approve, source } = operator;
      return await carryOut(command, { approve, overlay: (...asked) => source.overlay(...asked) });
    } catch (error) {
      if (error instanceof UsageError) return { ok: false, message: messageOf(error) };
      throw error;
    }
  });

/** @returns what to tell the person. @throws UsageError when it can't be carried out. */
export async function request(stateDir: string, command: Control): Promise<string> {
  const reply = (await callControl(socketIn(stateDir), command)) ?? (await onTheFile(stateDir, command));
  if (!reply.ok) throw new UsageError(reply.message);
  return reply.message;
}

async function onTheFile(stateDir: string, command: Control): Promise<ControlReply> {
  const gate = new EffectGate({ nowMs: () => performance.now() });
  const state = await State.open({ file: join(stateDir, 'state.sqlite'), gate, randomBytes });
  try {
    return await carryOut(command, {
      approve: (digest) => approveIn(state, digest, (keys) => state.approve(keys)),
      overlay: (key, name, token) => state.overlay(key, name, token),
    });
  } finally {
    await state.close();
  }
}
