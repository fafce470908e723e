// Standard output on a disk that fills up: an operator goes on, and its log says where lines are missing.
import { closeSync, openSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import { logOn } from '../../src/cli/output/log.ts';
import { Terminal } from '../../src/cli/output/terminal.ts';
import { standard } from '../support/inside.ts';
import { canMount, smallDisk } from '../support/small-disk.ts';

/** As Node has a standard stream that leads to this file. */
function streamTo(file: string): NodeJS.WriteStream {
  const fd = openSync(file, 'a');
  onTestFinished(() => closeSync(fd));
  return standard(Object.assign(new PassThrough(), { fd }));
}

const textOf = (file: string): string => readFileSync(file, 'utf8');

function onSmallDisk() {
  const disk = smallDisk();
  const [out, err] = ['out', 'err'].map((name) => join(disk.directory, name));
  if (out === undefined || err === undefined) throw new Error('never');
  const terminal = new Terminal(streamTo(out), streamTo(err));
  return { disk, terminal, out, told: () => textOf(out), noted: () => textOf(err) };
}

const nothing = { logFormat: 'json', logLevel: 'info' } as const;

describe.runIf(canMount)('a log on a disk that fills up', () => {
  test('says how many lines are missing, where they are missing, as soon as it can', () => {
    const { disk, terminal, told, noted } = onSmallDisk();
    const log = logOn(terminal, nothing);
    log.info('before');
    disk.full(true);
    const long = 'x'.repeat(5_000); // more than is left of the page that the file has
    for (const n of [1, 2, 3]) log.info({ n }, long);
    disk.full(false);
    log.info('after');
    log.info('later');
    const [before, cut, ...others] = told().trimEnd().split('\n');
    expect(JSON.parse(before ?? '')).toMatchObject({ msg: 'before' });
    expect(cut).toMatch(/^\{.*x$/); // what there was room for stands on a line of its own
    expect(others.map((line): unknown => JSON.parse(line))).toMatchObject([
      { level: 'warn', lines: 3, msg: 'lines were lost here: the log could not be written' },
      { msg: 'after' },
      { msg: 'later' },
    ]);
    expect(noted()).toBe(''); // it was on the same disk
  });

  test('counts on while the disk is full, and tells each time that it was', () => {
    const { disk, terminal, out, told } = onSmallDisk();
    const log = logOn(terminal, nothing);
    for (const lines of [2, 4]) {
      disk.full(true);
      for (let n = 0; n < lines; n++) log.info('x'.repeat(5_000));
      disk.full(false);
      log.info('after');
      expect(told()).toContain(`"lines":${lines},`);
      truncateSync(out);
    }
  });

  test('counts the lines of a table, as `dev` prints it', () => {
    const { disk, terminal, told } = onSmallDisk();
    terminal.mayLoseLines((lines) => terminal.line(`${lines} lost`));
    disk.full(true);
    terminal.line(['a', 'b', 'c'].join('\n'));
    disk.full(false);
    terminal.line('after');
    expect(told()).toBe('3 lost\nafter\n');
  });

  test('is not written on where the result of a command was cut off: a hole in it would not show', () => {
    const { disk, terminal, told } = onSmallDisk();
    terminal.line('before');
    disk.full(true);
    terminal.line('x'.repeat(5_000));
    expect(terminal.refused.aborted).toBe(true);
    disk.full(false);
    terminal.line('after');
    expect(told()).toMatch(/^before\nx*$/);
  });

  test('notes are tried again after one was refused', () => {
    const { disk, terminal, noted } = onSmallDisk();
    disk.full(true);
    terminal.note('lost');
    disk.full(false);
    terminal.note('found');
    expect(noted()).toBe('found\n');
  });
});

test('a log that can’t be written is told of on standard error once, with what to do', () => {
  const told: string[] = [];
  const err = new PassThrough({ encoding: 'utf8' }).on('data', (text: string) => told.push(text));
  const terminal = new Terminal(streamTo('/dev/full'), standard(err));
  const log = logOn(terminal, nothing);
  for (let n = 0; n < 10; n++) log.info('x');
  expect(told).toEqual([
    "holdfast: standard output can't be written: ENOSPC: no space left on device, write: free space on its disk; its lines are lost until then\n",
  ]);
  expect(terminal.refused.aborted).toBe(false);
});
