// What is told of a kubeconfig that can't be used. It holds tokens, so no line of it is shown.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { messageOf, UsageError } from '../../../src/core/errors.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { folder } from '../../support/cli.ts';

async function refusal(text: string): Promise<string> {
  const kubeconfig = join(await folder(), 'config');
  writeFileSync(kubeconfig, text);
  const error: unknown = await clusterConfig({ kubeconfig, env: {} }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error instanceof Error && error.cause)).not.toContain('canary'); // for whoever logs it with its causes
  return messageOf(error).replace(kubeconfig, 'FILE');
}

const configOf = (server: string, cluster = 'prod'): string =>
  JSON.stringify({
    'current-context': 'a',
    contexts: [{ name: 'a', context: { cluster, user: 'u' } }],
    clusters: [{ name: 'prod', cluster: { server } }],
    users: [{ name: 'u', user: { token: 'canary' } }],
  });
const expected = 'cluster prod: expected a server such as https://host:6443';

test.for([
  {
    why: 'no YAML, beside a token that stood in the message',
    text: 'users:\n- user:\n    token: canary\n   bad: x\n',
    says: 'kubeconfig FILE: 4:4: invalid YAML',
  },
  {
    why: 'no YAML, for a token that would be an alias, and was named',
    text: 'users:\n- user: {token: *canary}\n',
    says: 'kubeconfig FILE: 2:18: invalid YAML',
  },
  { why: 'no URL, which was a bug', text: configOf('not a url'), says: expected },
  { why: 'no scheme, which was a bug', text: configOf('host:6443'), says: expected },
  {
    why: 'no TLS, where it blamed the user',
    text: configOf('http://127.0.0.1:1'),
    says: expected,
  },
  {
    why: 'a context without its cluster, where it asked for the context',
    text: configOf('https://host', 'other'),
    says: 'no cluster: the kubeconfig has no cluster other, which its context a names',
  },
])('of a kubeconfig is told: $why', async ({ text, says }) => {
  expect(await refusal(text)).toBe(says);
});
