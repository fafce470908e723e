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
  {
    why: 'a context without its user, where the certificate of the server was blamed',
    text: JSON.stringify({ ...JSON.parse(configOf('https://host')), users: [] }),
    says: 'no user: the kubeconfig has no user u, which its context a names',
  },
  {
    why: 'a context that names no user',
    text: configOf('https://host').replace(',"user":"u"', ''),
    says: 'no user: the context a of the kubeconfig names none',
  },
])('of a kubeconfig is told: $why', async ({ text, says }) => {
  expect(await refusal(text)).toBe(says);
});

const loginOf = (user: object): string =>
  JSON.stringify({ ...JSON.parse(configOf('https://host')), users: [{ name: 'u', user }] });
const program = (script: string) => ({
  exec: {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: process.execPath,
    args: ['-e', script],
    interactiveMode: 'Never',
  },
});

test.for([
  {
    why: 'prints its token bare, which was shown',
    user: program('console.log("canary")'),
    says: 'kubeconfig, user u: its login program prints no credential',
  },
  {
    why: 'prints JSON that is no credential, which was a bug',
    user: program('console.log("[]")'),
    says: 'kubeconfig, user u: its login program prints no credential',
  },
  {
    why: 'fails without a word, where nothing was told',
    user: program('process.exit(3)'),
    says: 'kubeconfig, user u: its login program fails and does not say why',
  },
  {
    why: 'fails and says why',
    user: program('console.error("log in first");process.exit(3)'),
    says: 'kubeconfig, user u: log in first',
  },
  {
    why: 'is not there',
    user: { exec: { ...program('').exec, command: '/nowhere/login' } },
    says: 'kubeconfig, user u: spawn /nowhere/login ENOENT',
  },
])('of a login is told when its program $why', async ({ user, says }) => {
  expect(await refusal(loginOf(user))).toBe(says);
});
