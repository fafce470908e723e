// The log of a running operator on standard output: JSON lines, or lines for people.
import { pino, stdTimeFunctions, type Logger } from 'pino';
import type { EffectInfo } from '../../core/effect.ts';
import { isRecord } from '../../core/json.ts';
import type { EngineOptions } from '../../runtime/engine.ts';
import type { LogOptions } from '../log-options.ts';
import { plain, type Terminal } from './terminal.ts';

/** The log of an operator. Lines that standard output refuses are lost, and counted. */
export function logOn(terminal: Terminal, options: LogOptions): Logger {
  const log = newLog(options, (text) => terminal.write(text));
  terminal.mayLoseLines((lines) => log.warn({ lines }, 'lines were lost here: the log could not be written'));
  return log;
}

export function newLog({ logLevel: level, logFormat }: LogOptions, write: (lines: string) => void): Logger {
  const options = {
    base: null,
    level,
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
  };
  return pino(options, { write: (line) => write(logFormat === 'text' ? `${textOf(line)}\n` : line) });
}

const subjects = ['key', 'origin', 'about'] as const;
const texts = ['step', 'reason', 'message', 'problem', 'error', 'because'] as const;

/** `time LEVEL subject: what: details name=value …` */
function textOf(line: string): string {
  const record: unknown = JSON.parse(line);
  const { time, level, msg, line: at, err, ...rest } = isRecord(record) ? record : {};
  const fields = new Map(Object.entries(rest));
  const take = (names: readonly string[]): readonly string[] =>
    names.flatMap((name) => {
      const value = fields.get(name);
      fields.delete(name);
      return typeof value === 'string' && value !== '' ? [value] : [];
    });
  const [subject] = take(subjects);
  const place = subject !== undefined && typeof at === 'number' ? `${subject}:${at}` : subject;
  const said = [...(place === undefined ? [] : [place]), String(msg), ...take(texts)].join(': ');
  const others = [...fields].map(([name, value]) => `${name}=${shown(value)}`);
  const text = [String(time), String(level).toUpperCase().padEnd(5), plain(said), ...others].join(' ');
  const { stack } = isRecord(err) ? err : {};
  return typeof stack === 'string' ? `${text}\n${stack}` : text;
}

const shown = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value) ? value : plain(JSON.stringify(value));

/** Logs an engine's steps and bugs. A step that fails again in the same way is logged at debug level. */
export function engineLines(log: Logger): Pick<EngineOptions, 'onStep' | 'onBug'> {
  const failures = new Map<string, string>();
  return {
    onBug: (key, err) => log.error({ key, err }, 'bug'),
    onStep(key, { verb, summary, destroys }, outcome) {
      if (outcome === undefined) return;
      const about = { key, verb, step: summary, outcome: outcome.is, ...(destroys && { destroys }) };
      if (outcome.is !== 'done') {
        const text = `${verb} ${summary} ${outcome.is} ${outcome.error.message}`;
        const isNews = failures.get(key) !== text;
        failures.set(key, text);
        log[isNews ? 'warn' : 'debug']({ ...about, failed: true, error: outcome.error.message }, 'step');
        return;
      }
      failures.delete(key);
      log.info(about, 'step');
      for (const warning of outcome.warnings ?? [])
        log.warn({ key, verb, step: summary, warning }, 'the service warns');
    },
  };
}

/** Logs each effect that changes something outside, but not the writes of Holdfast's own records. */
export const effectLines =
  (log: Logger) =>
  (info: EffectInfo, durationMs: number, failed: boolean): void => {
    if (info.mutates === false || isRemembered(info)) return;
    log.debug({ ...info, durationMs: Math.round(durationMs), failed }, 'effect');
  };

/** Whether the effect writes Holdfast's own records. In a cluster: all calls except on Secrets and workloads. */
const isRemembered = ({ port, op }: EffectInfo): boolean =>
  port === 'state' || (port === 'kubernetes' && !/^(secrets|deployments|statefulsets|daemonsets)\./.test(op));
