// Runs commands in tasks over a WebSocket (services.md#exec). Most checks follow the upgrade, so the text of a refusal
// is the reason of a close frame.
import { Refusal, type Endpoint } from '../../http/server.ts';
import { flag, wholeUuid } from '../../http/query.ts';
import { quoted } from '../../http/error-texts.ts';
import { Gone, reasonBytesMax, type Channel, type Upgrade, type UpgradeCall } from '../../http/upgrade.ts';
import { accessOf } from '../acl/access.ts';
import { tokenIn } from '../acl/authorize.ts';
import { lookup } from '../allocations/reads.ts';
import { checkRegion } from '../cluster/reads.ts';
import { get } from '../http/endpoints.ts';
import type { TaskSpec } from '../store/job.ts';
import { hasEnded, pairKey } from '../store/model.ts';
import type { State } from '../state.ts';
import { zeroTime } from '../allocations/tasks.ts';
import { commandNamed } from './commands.ts';
import { handshakeToken, inputIn } from './frames.ts';
import { Input, Interrupted, sleep, type Size, type World } from './process.ts';

const path = '/v1/client/allocation/{id}/exec';
const chunkBytesMax = 1024;
const handshakeMs = 10_000;
const exitInterrupted = 130;
const exitHungUp = 129;
/** The characters that a terminal sends for `^C` and `^D`. */
const [interrupt, endOfInput] = ['\u0003', '\u0004'];

export const execUpgrade = (state: State): Upgrade => ({
  method: 'GET',
  path,
  takes: (query) => !state.behaviour.looksBeforeUpgrading || !(asked(query) instanceof Refusal),
  open: (call) => attend(state, call),
});

/** For requests that don't upgrade, or whose `command` or `tty` is refused before the upgrade. */
export const execPlain = (state: State): Endpoint =>
  get(path, 'none', ({ query }) => {
    const { looksBeforeUpgrading, refusesPlainExec: plain } = state.behaviour;
    const what = looksBeforeUpgrading ? asked(query) : undefined;
    throw what instanceof Refusal ? what : new Refusal(plain.status, plain.text);
  });

interface Asked {
  readonly words: readonly string[];
  readonly tty: boolean;
}

function asked(query: URLSearchParams): Asked | Refusal {
  try {
    return {
      words: commandIn(query),
      tty: flag(query, 'tty', false, (text) => notBoolean(500, 'tty', text)),
    };
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

async function attend(state: State, call: UpgradeCall): Promise<void> {
  const { channel, query } = call;
  try {
    checkRegion(state, query);
    const what = asked(query);
    if (what instanceof Refusal) throw what;
    const { words, tty } = what;
    const token = await tokenOf(state, call);
    const task = taskFor(state, call, words, token);
    const [name = '', ...args] = words;
    const command = commandNamed(name);
    if (!command) {
      const why = name.includes('/')
        ? `fork/exec ${name}: no such file or directory`
        : `exec: ${quoted(name)}: executable file not found in $PATH`;
      throw new Refusal(500, `rpc error: code = Unknown desc = failed to start command: ${why}`);
    }
    state.execute(call.params['id'] ?? '', words);
    const { Namespace = '' } = state.allocations.get(call.params['id'] ?? '') ?? {};
    const session = new Session(state, channel, task, Namespace, tty);
    const code = await session.run((world) => command(world, args));
    const result = code === 0 && !state.behaviour.tellsExitCodeZero ? {} : { exit_code: code };
    await channel.send({ exited: true, result });
    channel.end();
  } catch (error) {
    if (error instanceof Gone) return;
    if (!(error instanceof Refusal)) throw error;
    const { message, status } = error;
    if (state.behaviour.losesLongReasons && Buffer.byteLength(message) > reasonBytesMax) channel.end();
    else channel.close(status === 500 ? 1011 : 1008, message);
  }
}

const notBoolean = (status: number, name: string, text: string): Refusal =>
  new Refusal(
    status,
    `${name} value is not a boolean: strconv.ParseBool: parsing ${quoted(text)}: invalid syntax`,
  );

function commandIn(query: URLSearchParams): readonly string[] {
  const text = query.get('command') ?? '';
  const words = parsed(text);
  if (Array.isArray(words) && words.every((one): one is string => typeof one === 'string')) return words;
  if (words === null) return [];
  const why =
    words !== undefined
      ? 'json: cannot unmarshal into Go value of type []string'
      : text === ''
        ? 'unexpected end of JSON input'
        : `invalid character '${text.slice(0, 1)}' looking for beginning of value`;
  throw new Refusal(500, `failed to marshal command into json: ${why}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The token of the first frame if the query announces one, otherwise of the header. If both exist, they must agree. */
async function tokenOf(state: State, { query, headers, channel }: UpgradeCall): Promise<string> {
  const ofHeader = tokenIn(state, headers);
  if (!flag(query, 'ws_handshake', false, (text) => notBoolean(400, 'ws_handshake', text))) return ofHeader;
  const cancel = state.clock.after(handshakeMs, () => channel.close(1008, 'no handshake in time'));
  const token = handshakeToken(await channel.next().finally(cancel));
  if (ofHeader === '' || token === ofHeader) return token;
  throw new Refusal(400, 'handshake auth token mismatched auth header token');
}

/** Finds the task, with checks in Nomad's order. @throws Refusal */
function taskFor(
  state: State,
  { params, query }: UpgradeCall,
  words: readonly string[],
  token: string,
): TaskSpec {
  const id = wholeUuid(params['id'] ?? '', lookup, state.behaviour.malformed);
  const allocation = state.allocations.get(id);
  if (!allocation) throw new Refusal(404, `Unknown allocation ${quoted(id)}`);
  const { ClientStatus, Namespace, NodeID, Tasks, TaskStates } = allocation;
  const access = accessOf(state, token);
  if (!access) throw new Refusal(400, 'rpc error: Permission denied'); // unknown or expired token
  const permit = (acl: string) => {
    if (!access.may(acl, Namespace)) throw new Refusal(500, 'Permission denied');
  };
  permit('namespace:alloc-exec');
  if (hasEnded(allocation)) {
    throw new Refusal(400, `exec not possible, client status of allocation ${id} is ${ClientStatus}`);
  }
  if (state.nodes.get(NodeID)?.Status === 'down') throw new Refusal(404, 'No path to node');
  const name = query.get('task') ?? '';
  if (name === '') throw new Refusal(400, 'must provide task name');
  if (words.length === 0) throw new Refusal(400, 'command is not present');
  const task = Tasks.find(({ Name }) => Name === name);
  if (!task) throw new Refusal(500, 'task not found');
  if (task.Driver === 'raw_exec') permit('namespace:alloc-node-exec'); // this driver does not isolate from the node
  const now = TaskStates[name];
  if (now?.StartedAt === zeroTime) throw new Refusal(404, `task ${quoted(name)} not started yet.`);
  if (now?.State !== 'running') throw new Refusal(404, `task ${quoted(name)} is not running.`);
  return task;
}

type Stream = 'stdout' | 'stderr';

class Session {
  readonly #state: State;
  readonly #channel: Channel;
  readonly #task: TaskSpec;
  readonly #namespace: string;
  readonly #tty: boolean;
  readonly #ending = new AbortController();
  readonly #input = new Input(this.#ending.signal);
  #size: Size = { height: 0, width: 0 };

  constructor(state: State, channel: Channel, task: TaskSpec, namespace: string, tty: boolean) {
    this.#state = state;
    this.#channel = channel;
    this.#task = task;
    this.#namespace = namespace;
    this.#tty = tty;
  }

  /** @returns the exit code, after all output was sent. @throws Gone; Refusal for an invalid frame */
  async run(command: (world: World) => Promise<number>): Promise<number> {
    const { gone } = this.#channel;
    const end = () => this.#ending.abort(gone.reason);
    gone.addEventListener('abort', end, { once: true });
    this.#take().catch((error: unknown) => this.#ending.abort(error));
    try {
      const code = await command(this.#world());
      if (!this.#tty && this.#state.behaviour.waitsForInputEnd) await this.#input.read();
      return code;
    } catch (error) {
      if (error instanceof Interrupted) return error.exitCode;
      throw error;
    } finally {
      gone.removeEventListener('abort', end);
      this.#input.end();
      if (!this.#ending.signal.aborted || this.#ending.signal.reason instanceof Interrupted) {
        for (const stream of this.#streams()) await this.#channel.send({ [stream]: { close: true } });
      }
    }
  }

  /** A terminal has one stream. */
  #streams = (): readonly Stream[] => (this.#tty ? ['stdout'] : ['stdout', 'stderr']);

  #world(): World {
    const { clock } = this.#state;
    const { signal } = this.#ending;
    return {
      env: this.#task.Env,
      read: () => this.#input.read(),
      out: (data) => this.#send('stdout', Buffer.from(data)),
      err: (data) => this.#send(this.#tty ? 'stdout' : 'stderr', Buffer.from(data)),
      sleep: (ms) => sleep(clock, ms, signal),
      disk: (id) => this.#disk(id),
      size: () => this.#size,
    };
  }

  #disk(id: string): ReturnType<World['disk']> {
    const { volumes, provider } = this.#state;
    const volume = volumes.get(pairKey(this.#namespace, id));
    const disk = volume && provider.disk(volume.PluginID, volume.ExternalID);
    return disk && (disk.IsCorrupt ? 'corrupt' : 'clean');
  }

  async #send(stream: Stream, data: Buffer): Promise<void> {
    const bytes = this.#tty ? Buffer.from(data.toString('latin1').replaceAll('\n', '\r\n'), 'latin1') : data;
    for (let at = 0; at < bytes.length; at += chunkBytesMax) {
      this.#ending.signal.throwIfAborted();
      const chunk = bytes.subarray(at, at + chunkBytesMax).toString('base64');
      await this.#channel.send({ [stream]: { data: chunk } });
    }
  }

  /** Handles input until the connection closes or the command has to end. */
  async #take(): Promise<void> {
    while (!this.#ending.signal.aborted) {
      const { data, close, size, isHeartbeat } = inputIn(await this.#channel.next());
      if (isHeartbeat && this.#state.behaviour.answersHeartbeats) await this.#channel.send({});
      if (size) this.#size = size;
      if (data.length > 0) await (this.#tty ? this.#typed(data) : this.#input.push(data));
      if (close && this.#tty) this.#ending.abort(new Interrupted(exitHungUp)); // the terminal hangs up
      else if (close) this.#input.end();
    }
  }

  /** Handles input of a terminal: echoes it; `^C` interrupts, `^D` ends the input. */
  async #typed(data: Buffer): Promise<void> {
    const text = data.toString('latin1').replaceAll('\r', '\n');
    const at = Math.min(...[interrupt, endOfInput].map((one) => (text + one).indexOf(one)));
    const before = text.slice(0, at);
    const typed = Buffer.from(before, 'latin1');
    const shown = text[at] === interrupt ? '^C' : '';
    await this.#send('stdout', Buffer.concat([typed, Buffer.from(shown)]));
    await this.#input.push(typed);
    if (at === text.length) return;
    if (text[at] === interrupt) this.#ending.abort(new Interrupted(exitInterrupted));
    else this.#input.end();
  }
}
