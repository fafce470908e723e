// Asks the API server whether it knows a token (TokenReview) and lets its bearer read a path (SubjectAccessReview).
// Verdicts are cached for a minute; the cache and the number of concurrent questions are bounded.
import { createHash } from 'node:crypto';
import type { KubernetesClient } from '../../api/kubernetes/client.ts';
import { accessReviews, tokenReviews } from '../../api/kubernetes/resources.ts';
import { ApiError } from '../../core/errors.ts';
import { isRecord } from '../../core/json.ts';
import { Secret, type Json } from '../../core/secret.ts';
import type { Authorize, Verdict } from '../../web/authorize.ts';

const heldMs = 60_000;
/** Per verdict: clients without a valid token can fill up the denied verdicts only. */
const heldMax = 1_000;
/** Concurrent questions, to spare the API server. */
const askingMax = 16;
const requestMs = 10_000;

/**
 * @param nowMs monotonic
 * @param trouble called once when the API server can't be asked (with the reason), and once when it can again
 * (`undefined`)
 */
export function clusterAccess(
  client: Pick<KubernetesClient, 'review'>,
  nowMs: () => number,
  trouble: (message: string | undefined) => void,
): Authorize {
  const held = { allowed: new Map<string, number>(), denied: new Map<string, number>() };
  const asking = new Map<string, Promise<Verdict>>();
  let failing = false;

  const ask = async (id: string, token: string, path: string): Promise<Verdict> => {
    try {
      const verdict = (await mayGet(client, token, path)) ? 'allowed' : 'denied';
      const verdicts = held[verdict];
      verdicts.delete(id); // inserted again below, as the newest
      verdicts.set(id, nowMs() + heldMs);
      const [oldest] = verdicts.keys();
      if (verdicts.size > heldMax && oldest !== undefined) verdicts.delete(oldest);
      if (failing) trouble(undefined);
      failing = false;
      return verdict;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (!failing) trouble(error.message);
      failing = true;
      return 'unknown';
    } finally {
      asking.delete(id);
    }
  };

  return async (token, path) => {
    const id = createHash('sha256').update(`${token}\0${path}`).digest('base64');
    for (const verdict of ['allowed', 'denied'] as const)
      if (nowMs() < (held[verdict].get(id) ?? -Infinity)) return verdict;
    const asked = asking.get(id);
    if (asked) return asked;
    if (asking.size >= askingMax) return 'unknown';
    const answer = ask(id, token, path);
    asking.set(id, answer);
    return answer;
  };
}

/** @throws ApiError */
async function mayGet(
  client: Pick<KubernetesClient, 'review'>,
  token: string,
  path: string,
): Promise<boolean> {
  const signal = AbortSignal.timeout(requestMs);
  const { authenticated, user } = await client.review(
    tokenReviews,
    { token: Secret.of('bearer token', '', token) },
    signal,
  );
  if (authenticated !== true || !isRecord(user)) return false;
  const { username, uid, groups, extra } = asJson(user);
  const subject = { user: username, uid, groups, extra };
  const status = await client.review(
    accessReviews,
    { ...subject, nonResourceAttributes: { path, verb: 'get' } },
    signal,
  );
  return status['allowed'] === true;
}

// oxlint-disable-next-line no-unsafe-type-assertion -- parsed from JSON
const asJson = (user: Readonly<Record<string, unknown>>) => user as Readonly<Record<string, Json>>;
