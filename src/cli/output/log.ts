// What a running operator logs: JSON lines on standard output.
import { pino, type Logger } from 'pino';
import type { EffectInfo } from '../../core/effect.ts';
import type { EngineOptions } from '../../runtime/engine.ts';

export const newLog = (): Logger => pino({ base: null });

/** What an engine tells, as lines of the log. */
export const engineLines = (log: Logger): Pick<EngineOptions, 'onVisit' | 'onStep' | 'onBug'> => ({
  onBug: (key, err) => log.error({ key, err }, 'bug'),
  onStep(key, { verb, summary }, outcome) {
    if (outcome === undefined) return;
    const done = { key, verb, step: summary, outcome: outcome.is };
    if (outcome.is !== 'done') return log.info({ ...done, error: outcome.error.message }, 'step');
    log.info(done, 'step');
    for (const warning of outcome.warnings ?? [])
      log.warn({ key, verb, step: summary, warning }, 'the service warns');
  },
  onVisit({ key, ending, status }) {
    if (ending.is === 'conflict') return;
    const bug =
      ending.is === 'failed' && ending.error instanceof Error ? { error: ending.error.message } : {};
    const ready = status.conditions.find((c) => c.type === 'Ready');
    log.debug({ key, ending: ending.is, ready: ready?.status, reason: ready?.reason, ...bug }, 'reconciled');
  },
});

/** Effects outside, as lines of the log; what is only remembered is not among them. */
export const effectLines =
  (log: Logger) =>
  (info: EffectInfo, durationMs: number, failed: boolean): void => {
    if (info.mutates === false || isRemembered(info)) return;
    log.info({ ...info, durationMs: Math.round(durationMs), failed }, 'effect');
  };

/** In a cluster, all but published Secrets and restarts of workloads. */
const isRemembered = ({ port, op }: EffectInfo): boolean =>
  port === 'state' || (port === 'kubernetes' && !/^(secrets|deployments|statefulsets|daemonsets)\./.test(op));
