// Carries out `approve` and requests for one object: it sends them to the running process, or writes them into the state
// if no process runs.
import { randomBytes } from 'node:crypto';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import pRetry from 'p-retry';
import { EffectGate } from '../../api/effect.ts';
import { UsageError, messageOf } from '../../core/errors.ts';
import { parseKey } from '../../core/resource.ts';
import type { RequestDeclaration } from '../../core/source/request.ts';
import {
  callControl,
  serveControl,
  type Control,
  type ControlReply,
  type ControlServer,
} from '../../sources/directory/control.ts';
import { StateInUse } from '../../sources/directory/state/lock.ts';
import { entryOf } from '../../sources/directory/state/row.ts';
import { State } from '../../sources/directory/state/state.ts';
import { approveIn, type Approved } from './approvals.ts';
import { systemClock } from '../clock.ts';
import type { Suspension } from '../../core/suspension.ts';
import { answerTo, refusalOf, remaining, resumedAlone, waiting, type Asked } from './answers.ts';
import { suspensionIn } from './listing.ts';
import type { Operator } from '../directory-operator.ts';
import { keep, onceRequests, requestsOf } from '../kinds/lookup.ts';
import { checkState, stateFile } from './state-file.ts';
import { counted } from '../../core/text/count.ts';

const toDelete = 'remove its manifest';
const socketIn = (stateDir: string): string => join(stateDir, 'control.sock');

/** Objects that are named, of those approved. */
const shownMax = 10;

/** The operator, state or cluster on which requests are carried out. */
export interface Target {
  approve(digest: string): Promise<readonly Approved[]>;
  /** @returns false if this is not the digest of a distrusted state */
  trust(digest: string): Promise<boolean>;
  /** @param asker the person, and the time */
  overlay(key: string, name: string, token: string | undefined, asker: string): Promise<void>;
  /** `undefined`: there is no such object. */
  read(key: string): Asked | undefined | Promise<Asked | undefined>;
  /** Reads what leads from an object to its connection. `undefined`: it is not there, or can't be read. */
  readLink(key: string): Asked | undefined | Promise<Asked | undefined>;
  /** How a person deletes an object there. */
  readonly toDelete: string;
}

/** @throws UsageError if the command can't be carried out */
export async function carryOut(command: Control, target: Target, by: string): Promise<ControlReply> {
  const { do: what, digest, key, name, token } = command;
  if (what === 'approve' && digest !== undefined) {
    if (await target.trust(digest))
      return {
        ok: true,
        message:
          'approved: this state is trusted from now on; earlier requests count as handled, and what was half destroyed is kept',
      };
    return { ok: true, message: approvedOf(await target.approve(digest)) };
  }
  if (what === 'request' && key !== undefined && name !== undefined) {
    const declared = requestsOf(parseKey(key)?.kind ?? '').find((one) => one.name === name);
    const refusal = declared && (await refusalBy(target, declared, key, token));
    if (refusal !== undefined) return { ok: false, message: refusal };
    await target.overlay(key, name, token, askerOf(by));
    const message = answerTo(declared, { key, name, token });
    const after = await target.read(key);
    if (!after) return { ok: true, message };
    if (token !== undefined) {
      const suspension = declared?.waits && (await suspensionBeyond(after, target));
      return { ok: true, message: suspension ? waiting(message, after, suspension) : message };
    }
    const remains = remaining({ key, name }, after);
    if (remains !== undefined) return { ok: false, message: remains };
    const suspension = name === 'suspend' ? await suspensionBeyond(after, target) : undefined;
    return { ok: true, message: suspension?.connection ? resumedAlone(after, suspension) : message };
  }
  // The message does not repeat the command: it goes into the log, and the command may hold anything.
  return { ok: false, message: 'unknown request: another version of Holdfast may know it' };
}

/** As `suspensionIn`, over a target that reads one object at a time. */
async function suspensionBeyond(object: Asked, target: Target): Promise<Suspension | undefined> {
  const links = new Map<string, { readonly object: Asked } | undefined>();
  for (;;) {
    let unread: string | undefined;
    const suspension = suspensionIn(object, (key) => {
      if (!links.has(key)) unread ??= key;
      return links.get(key);
    });
    if (unread === undefined) return suspension;
    const link = await target.readLink(unread);
    links.set(unread, link && { object: link });
  }
}

function approvedOf(approved: readonly Approved[]): string {
  const of = (is: boolean) => approved.flatMap(({ key, expires }) => (expires === is ? [key] : []));
  const [going, expiring] = [of(false), of(true)];
  const parts = [
    going.length > 0 ? `${told(going)} may be deleted or replaced: ${named(going)}` : [],
    expiring.length > 0
      ? `what ${told(expiring)} ${expiring.length === 1 ? 'lets' : 'let'} expire may be deleted: ${named(expiring)}`
      : [],
  ];
  return `approved: ${parts.flat().join('; ')}`;
}

/** Names every namespace: whoever looked at one may not know that the digest covers others. */
function told(keys: readonly string[]): string {
  const namespaces = new Set(keys.flatMap((key) => parseKey(key)?.namespace || []));
  const within =
    namespaces.size > 1 ? ` in ${namespaces.size} namespaces (${[...namespaces].toSorted().join(', ')})` : '';
  return `${counted(keys.length, 'object')}${within}`;
}

const named = (keys: readonly string[]): string =>
  `${keys.slice(0, shownMax).join(', ')}${keys.length > shownMax ? ', …' : ''}`;

async function refusalBy(
  target: Target,
  declared: RequestDeclaration,
  key: string,
  token: string | undefined,
): Promise<string | undefined> {
  const object = token === undefined ? undefined : await target.read(key);
  if (token === undefined || !object) return undefined;
  return refusalOf(declared, { key, token, object, toDelete: target.toDelete });
}

/** Precise to the minute, which is enough for people. */
const askerOf = (by: string): string =>
  by === '' ? '' : `${by}, ${new Date(systemClock.wallMs()).toISOString().slice(0, 16)}Z`;

/** A command that was carried out or refused, for the log. */
export interface Commanded {
  readonly command: Control;
  readonly reply: ControlReply;
  /** The name that the client gave. It is not checked: only this user and the superuser can use the socket. */
  readonly by: string;
}

/** Carries out requests on the running operator until it is closed. */
export const serveRequests = (
  stateDir: string,
  operator: Operator,
  onCommand: (commanded: Commanded) => void = () => {},
): Promise<ControlServer> =>
  serveControl(socketIn(stateDir), async ({ by = 'unknown', ...command }) => {
    const confirmed = (reply: ControlReply): ControlReply => {
      onCommand({ command, reply, by });
      return reply;
    };
    try {
      const { approve, source, status } = operator;
      if (command.do === 'next-visit' && command['key'] !== undefined) {
        const atMs = status?.view.object(command['key'])?.nextVisitMs;
        return { ok: true, message: atMs === undefined ? 'none' : String(atMs) };
      }
      return confirmed(
        await carryOut(
          command,
          {
            approve,
            trust: (digest) => source.trust(digest, keep),
            overlay: (...asked) => source.overlay(...asked),
            read: (key) => source.read(key)?.object,
            readLink: (key) => source.read(key)?.object,
            toDelete,
          },
          by,
        ),
      );
    } catch (error) {
      if (error instanceof UsageError) return confirmed({ ok: false, message: messageOf(error) });
      throw error;
    }
  });

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown'; // for example in a container whose user has no name
  }
}

/** Five seconds, with what each try waits for the lock: a process that is starting holds the state before it accepts requests. */
const starting = { retries: 10, minTimeout: 250, maxTimeout: 250 } as const;

/** @returns the message for the user. @throws UsageError if the command can't be carried out */
export async function request(stateDir: string, command: Control): Promise<string> {
  const asked = { ...command, by: userName() };
  const reply = await pRetry(
    async () => (await callControl(socketIn(stateDir), asked)) ?? (await onTheFile(stateDir, command)),
    { ...starting, shouldRetry: ({ error }) => error instanceof StateInUse },
  );
  if (!reply.ok) throw new UsageError(reply.message);
  return reply.message;
}

/** Milliseconds since 1970. none: an event must cause it. off: no process reconciles. unknown: it can't be asked here. */
export type NextVisit = number | 'none' | 'off' | 'unknown';

/** When the running process reconciles an object next without an event. */
export async function nextVisitOf(stateDir: string, key: string): Promise<NextVisit> {
  const reply = await callControl(socketIn(stateDir), { do: 'next-visit', key });
  if (!reply) return 'off';
  return reply.message === 'none' ? 'none' : Number(reply.message);
}

async function onTheFile(stateDir: string, command: Control): Promise<ControlReply> {
  checkState(stateDir);
  const gate = new EffectGate(systemClock);
  const state = await State.open({ file: stateFile(stateDir), gate, randomBytes, onceRequests });
  try {
    const target: Target = {
      approve: (digest) => approveIn(state, digest, (meant) => state.approve(meant)),
      trust: (digest) => state.trust(digest, keep),
      overlay: (...asked) => state.overlay(...asked),
      read: (key) => state.rows.get(key)?.object,
      readLink(key) {
        const row = state.rows.get(key);
        return row && entryOf(row, { onceRequests, distrusted: state.distrusted !== undefined }).object;
      },
      toDelete,
    };
    const reply = await carryOut(command, target, userName());
    return reply.ok
      ? { ...reply, message: `${reply.message} (no operator runs on this state: the next one acts on it)` }
      : reply;
  } finally {
    await state.close();
  }
}
