// The files that KUBECONFIG lists, which have to mean to Holdfast what they mean to kubectl: else it acts on another cluster.
import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { messageOf } from '../../../src/core/errors.ts';
import { reveal } from '../../../src/core/secret.ts';
import { clusterConfig } from '../../../src/runtime/kubernetes/config.ts';
import { folder } from '../../support/cli.ts';

/** All that a file says of one cluster, by which it can be told from the other one. */
const configOf = (host: string, token: string, names = host, context: string | undefined = names) => ({
  ...(context !== undefined && { 'current-context': context }),
  contexts: [{ name: names, context: { cluster: names, user: names, namespace: host } }],
  clusters: [{ name: names, cluster: { server: `https://${host}` } }],
  users: [{ name: names, user: { token } }],
});

/** @param files absent ones by `undefined` */
async function chosen(files: readonly (object | '' | undefined)[], context?: string) {
  const at = await folder();
  const paths = files.map((content, i) => {
    const path = join(at, String(i));
    if (content !== undefined) writeFileSync(path, content === '' ? '' : JSON.stringify(content));
    return path;
  });
  const env = { KUBECONFIG: paths.join(delimiter) };
  const config = await clusterConfig({ env, ...(context !== undefined && { context }) });
  const { authorization } = await config.headers();
  const { server, namespace } = config;
  return { server, namespace, token: authorization && reveal(authorization) };
}

const first = { server: 'https://first/', namespace: 'first', token: 'Bearer one' };
const second = { server: 'https://second/', namespace: 'second', token: 'Bearer two' };
const [one, two] = [configOf('first', 'one'), configOf('second', 'two')];

test.for([
  { why: 'the current context of the first file counts, not that of the last', files: [one, two], is: first },
  {
    why: 'a first file without one leaves it to the next',
    files: [{ contexts: one.contexts }, two],
    is: second,
  },
  { why: 'a context may be in any file', files: [one, two], context: 'second', is: second },
  {
    why: 'what two files call alike is that of the first',
    files: [configOf('first', 'one', 'same'), configOf('second', 'two', 'same')],
    is: first,
  },
  { why: 'one file may be listed twice', files: [one, one], is: first },
  { why: 'a file that is not there is passed over', files: [undefined, two, undefined], is: second },
  { why: 'so is an empty one', files: ['' as const, two], is: second },
])('of several kubeconfigs, $why', async ({ files, context, is }) => {
  expect(await chosen(files, context)).toEqual(is);
});

test('where none of the files is there, the first is named', async () => {
  const error: unknown = await chosen([undefined, undefined]).catch((thrown: unknown) => thrown);
  expect(messageOf(error)).toMatch(/^kubeconfig .*: ENOENT: .*'.*\/0'/);
});
