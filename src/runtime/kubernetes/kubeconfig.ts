// Reads the kubeconfig as kubectl does. client-node merges the files of KUBECONFIG in its own way: the current context of the
// last one counts there, so that a command would act on another cluster than kubectl, and a file that is missing is an error.
// Nor does it know `tokenFile`: who has nothing else would be anonymous.
import { readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import type { KubeConfig } from '@kubernetes/client-node';
import { isRecord } from '../../core/json.ts';

export interface Kubeconfig {
  readonly config: KubeConfig;
  /** Name of a user → path of the file with its token. */
  readonly tokenFiles: ReadonlyMap<string, string>;
  /** Says the same, and keeps nothing of a login: client-node keeps a token for ever that does not say when it expires. */
  readonly anew: () => KubeConfig;
}

/**
 * @param file absent: those of KUBECONFIG, or `~/.kube/config`
 * @param listed KUBECONFIG
 * @throws Error for a file that can't be read
 */
export async function readKubeconfig(
  file: string | undefined,
  listed: string | undefined,
): Promise<Kubeconfig> {
  const { KubeConfig, loadYaml } = await import('@kubernetes/client-node'); // slow to load
  const config = new KubeConfig();
  const tokenFiles = new Map<string, string>();
  for (const path of file === undefined ? filesIn(listed) : [file]) {
    const one = new KubeConfig();
    one.loadFromFile(path);
    const files = tokenFilesIn(path, loadYaml(readFileSync(path, 'utf8')));
    for (const { name } of one.users) {
      const tokenFile = files.get(name);
      if (tokenFile !== undefined && !config.getUser(name)) tokenFiles.set(name, tokenFile);
    }
    addTo(config, one);
  }
  const anew = () => {
    const one = new KubeConfig();
    addTo(one, config);
    return one;
  };
  return { config, tokenFiles, anew };
}

/** Those that hold something. If none does, the first: the error is about it. None where only the usual one is missing. */
function filesIn(listed = ''): readonly string[] {
  const paths = listed.split(delimiter).filter(Boolean);
  if (paths.length === 0)
    return [join(homedir(), '.kube/config')].filter((path) => sizeOf(path) !== undefined);
  const filled = paths.filter((path) => sizeOf(path));
  return filled.length > 0 ? filled : paths.slice(0, 1);
}

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size;

/** What is there already counts, and so does its current context. */
function addTo(config: KubeConfig, { currentContext, contexts, clusters, users }: KubeConfig): void {
  if (!config.getCurrentContext()) config.setCurrentContext(currentContext);
  for (const one of contexts) if (!config.getContextObject(one.name)) config.addContext(one);
  for (const one of clusters) if (!config.getCluster(one.name)) config.addCluster(one);
  for (const one of users) if (!config.getUser(one.name)) config.addUser(one);
}

/** @param found what the file holds */
function tokenFilesIn(path: string, found: unknown): ReadonlyMap<string, string> {
  const users = isRecord(found) ? found['users'] : undefined;
  const files = new Map<string, string>();
  for (const one of Array.isArray(users) ? users.filter(isRecord) : []) {
    const { name, user } = one;
    const tokenFile = isRecord(user) ? user['tokenFile'] : undefined;
    if (typeof name === 'string' && typeof tokenFile === 'string' && tokenFile !== '')
      files.set(name, resolve(dirname(path), tokenFile));
  }
  return files;
}
