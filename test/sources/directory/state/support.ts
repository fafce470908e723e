// Folders that go away, states, and the processes that the tests of the directory source's memory kill.
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import type { EffectGate } from '../../../../src/api/effect.ts';
import type { EffectInfo } from '../../../../src/core/effect.ts';
import { keyText, type Key } from '../../../../src/core/resource.ts';
import { declare, type Row } from '../../../../src/sources/directory/state/row.ts';
import { State, type StateOptions } from '../../../../src/sources/directory/state/state.ts';
import { onDisk, type Storage } from '../../../../src/sources/directory/state/storage.ts';
import { ThreadLost } from '../../../../src/sources/directory/threads/thread.ts';
import { declared, deletionRequests, onceRequests, volume } from './data.ts';

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

type GateLimits = Parameters<EffectGate['run']>[1];

/** A gate that lets everything pass and notes it. `fault` is called before and after each effect and may throw. */
export class TestGate {
  readonly effects: EffectInfo[] = [];
  fault: (phase: 'before' | 'after') => void = () => {};

  async run<T>(
    info: EffectInfo,
    limits: GateLimits,
    act: (signal: AbortSignal, sending: () => void) => Promise<T>,
  ): Promise<T> {
    this.fault('before');
    const result = await act(limits.signal, () => {});
    this.effects.push(info);
    this.fault('after');
    return result;
  }
}

export async function openState(file: string, more: Partial<StateOptions> = {}): Promise<State> {
  const common = { file, gate: new TestGate(), randomBytes, onceRequests, deletionRequests };
  const state = await State.open({ ...common, ...more });
  onTestFinished(() => state.close());
  return state;
}

/** A disk whose writer gives up the transactions that it is told to lose: nobody can tell whether they stand. */
export function losing(file: string): { readonly storage: Storage; readonly loseNext: () => void } {
  const disk = onDisk(file);
  let lose = false;
  return {
    storage: {
      ...disk,
      writer(deadlineMs) {
        const thread = disk.writer(deadlineMs);
        return {
          async ask(question) {
            if (!lose) return await thread.ask(question);
            lose = false;
            throw new ThreadLost(`no answer within ${deadlineMs / 1_000} s`);
          },
          end: () => thread.end(),
          get running() {
            return thread.running;
          },
        };
      },
    },
    loseNext: () => void (lose = true),
  };
}

/** Puts an object into the state as if its manifest had been found. */
export async function put(state: State, key: Key): Promise<Row> {
  const { after } = await state.write(keyText(key), (slot) => ({
    ...slot,
    row: declare(slot.row, declared(key), () => `uid-${key.name}`),
  }));
  if (after.row === undefined) throw new Error('it was not put');
  return after.row;
}

/** Puts objects into the state in a process that ends as it should. */
export async function worked(file: string, ...names: readonly string[]): Promise<void> {
  const state = await openState(file);
  await state.belongTo('test');
  for (const name of names) await put(state, volume(name));
  await state.close();
}

/** Starts test/sources/directory/state/child.ts. @returns it, and the lines that it wrote so far. */
export function startChild(
  mode: 'lock' | 'control' | 'read' | 'write',
  file: string,
): { readonly child: ChildProcess; readonly lines: string[] } {
  const script = join(import.meta.dirname, 'child.ts');
  const child = spawn(process.execPath, [script, mode, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
  return { child, lines };
}

/** Kills it without warning. Resolves when it is gone and everything that it wrote has been read. */
export async function kill(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
