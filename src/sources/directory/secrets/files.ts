// Reads Secrets from files `<directory>/<namespace>/<name>/<key>`, each with one value, as Kubernetes mounts them.
// Bounded like the tree; no message holds a value.
import { isUtf8 } from 'node:buffer';
import { join } from 'node:path';
import { SpecError } from '../../../core/errors.ts';
import { keyText } from '../../../core/resource.ts';
import { readBounded } from '../tree/file.ts';
import type { Problem } from '../../../core/text/problem.ts';
import { isEntry, named, type DeclaredSecret } from './document.ts';
import { walk, type FoundFile } from '../tree/walk.ts';

export interface SecretsDir {
  /** By `Secret/<namespace>/<name>`. */
  readonly secrets: ReadonlyMap<string, DeclaredSecret>;
  /** Secrets of hidden files alone, which need not be keys: a `.gitkeep` keeps a directory. */
  readonly hidden: ReadonlySet<string>;
  readonly problems: readonly Problem[];
}

const partsOf = (origin: string): readonly string[] => origin.split('/');

/** A key may begin with a dot, but not with two, as what Kubernetes puts into a mounted Secret besides its keys. */
const isHiddenKey = (origin: string): boolean => {
  const [, , entry = '', ...rest] = partsOf(origin);
  return rest.length === 0 && entry.startsWith('.') && isEntry(entry);
};

const limits = { entries: 10_000, bytesPerFile: 2 ** 20 };

/** Reports unreadable files as problems. Origins start with the directory as it was given. */
export function readSecretsDir(directory: string): SecretsDir {
  const secrets = new Map<string, DeclaredSecret & { readonly entries: Map<string, string> }>();
  const shown = new Set<string>();
  const problems: Problem[] = [];
  const report = (origin: string, message: string): void => {
    problems.push({ origin: join(directory, origin), message });
  };
  const { entries: entriesMax } = limits;
  for (const file of walk(directory, { accepts: () => true, shows: isHiddenKey, entriesMax, report })) {
    const value = valueOf(file);
    if ('trouble' in value) {
      // What editors and desktops put beside the keys is hidden, too, and no text.
      if (!isHiddenKey(file.origin)) report(file.origin, value.trouble);
      continue;
    }
    const { namespace, name, entry, text } = value;
    const key = keyText({ kind: 'Secret', namespace, name });
    const origin = join(directory, namespace, name);
    const secret = secrets.get(key) ?? { namespace, name, entries: new Map<string, string>(), origin };
    secret.entries.set(entry, text);
    secrets.set(key, secret);
    if (!isHiddenKey(file.origin)) shown.add(key);
  }
  const hidden = [...secrets.keys()].filter((key) => !shown.has(key));
  return { secrets, hidden: new Set(hidden), problems };
}

interface Value {
  readonly namespace: string;
  readonly name: string;
  readonly entry: string;
  readonly text: string;
}

function valueOf({ origin, path }: FoundFile): Value | { readonly trouble: string } {
  const [space = '', name = '', entry = '', ...rest] = partsOf(origin);
  if (entry === '' || rest.length > 0) return { trouble: 'is not <namespace>/<name>/<key>' };
  try {
    const names = {
      namespace: named('label', space, 'namespace'),
      name: named('subdomain', name, 'name'),
      entry: named('entry', entry, 'key'),
    };
    const file = readBounded(path, limits.bytesPerFile);
    if ('trouble' in file) return file;
    return isUtf8(file.bytes) ? { ...names, text: file.bytes.toString() } : { trouble: 'is not UTF-8 text' };
  } catch (error) {
    if (error instanceof SpecError) return { trouble: error.message };
    throw error;
  }
}
