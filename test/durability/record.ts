// What a process did to a folder, in order, as disk.c recorded it; and what of it would be there had the power failed at
// any moment: what nobody waited for may be lost.
import { hash } from 'node:crypto';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Something that a name in a folder leads to. Two names may lead to one. */
type Node = File | Folder | Link;

interface File {
  readonly is: 'file';
  /** Changed in place; longer than the file, so that it can grow. */
  bytes: Buffer;
  size: number;
  /** As it was when somebody last waited for it; `undefined`: nobody did. */
  safe: Buffer | undefined;
}

interface Folder {
  readonly is: 'folder';
  readonly names: Map<string, Node>;
  safe: ReadonlyMap<string, Node>;
}

interface Link {
  readonly is: 'link';
  readonly target: string;
}

/** What is lost of that for which nobody waited. */
export const losses = ['names and bytes', 'bytes', 'bytes, but not of state.generation'] as const;
export type Loss = (typeof losses)[number];

/** A folder as it would be found. */
export interface Found {
  readonly loss: Loss;
  /** How often it was waited for something before. */
  readonly moment: number;
  /** What had been acknowledged by then, in order. */
  readonly acknowledged: readonly string[];
  /** Two that hold the same have equal texts. */
  readonly text: string;
  /** Puts it there. */
  readonly write: (folder: string) => void;
}

/** Where the process notes what it was told is done. */
export const acknowledgements = 'acknowledged';

interface Event {
  readonly kind: string;
  readonly values: readonly string[];
  readonly bytes: Buffer;
}

const newline = 0x0a;
const nothing = Buffer.alloc(0);

function* eventsIn(record: Buffer): Generator<Event> {
  for (let at = 0; at < record.length;) {
    const end = record.indexOf(newline, at);
    const [kind = '', ...values] = record.toString('utf8', at, end).split('\t');
    const size = kind === 'W' ? Number(values[2]) : 0;
    at = end + 1 + size;
    yield { kind, values, bytes: size === 0 ? nothing : record.subarray(end + 1, at) };
  }
}

class Disk {
  readonly #root: string;
  readonly #top = folder();
  /** Inode → what it is now: an inode is used again. */
  readonly #nodes = new Map<string, Node>();
  acknowledged: readonly string[] = [];

  constructor(root: string, inode: string) {
    this.#root = root;
    this.#nodes.set(inode, this.#top);
  }

  play({ kind, values, bytes }: Event): void {
    const [first = '', second = '', third = ''] = values;
    switch (kind) {
      case 'C':
        return this.#enter(second, first, { is: 'file', bytes: nothing, size: 0, safe: undefined });
      case 'M':
        return this.#enter(second, first, folder());
      case 'L':
        return this.#enter(second, first, { is: 'link', target: third });
      case 'T':
        return resize(this.#file(first), Number(second));
      case 'W':
        return this.#write(this.#file(first), Number(second), bytes);
      case 'S':
        return this.#wait(first);
      case 'R': {
        const node = this.#at(first);
        this.#parent(first).names.delete(nameOf(first));
        this.#parent(second).names.set(nameOf(second), node);
        return undefined;
      }
      case 'U':
        this.#parent(first).names.delete(nameOf(first));
        return undefined;
      default:
        throw new Error(`an event of kind ${kind}`);
    }
  }

  #enter(path: string, inode: string, node: Node): void {
    this.#nodes.set(inode, node);
    this.#parent(path).names.set(nameOf(path), node);
  }

  #file(inode: string): File {
    const node = this.#nodes.get(inode);
    if (node?.is !== 'file') throw new Error(`inode ${inode} is no file`);
    return node;
  }

  #write(file: File, at: number, bytes: Buffer): void {
    if (at + bytes.length > file.size) resize(file, at + bytes.length);
    bytes.copy(file.bytes, at);
    if (file === this.#top.names.get(acknowledgements)) {
      this.acknowledged = present(file).toString().split('\n').slice(0, -1);
    }
  }

  #wait(inode: string): void {
    const node = this.#nodes.get(inode);
    if (node?.is === 'file') node.safe = present(node);
    if (node?.is === 'folder') node.safe = new Map(node.names);
  }

  #at(path: string): Node {
    let node: Node = this.#top;
    for (const name of relative(this.#root, path).split('/').filter(Boolean)) {
      const next: Node | undefined = node.is === 'folder' ? node.names.get(name) : undefined;
      if (!next) throw new Error(`${path} is not there`);
      node = next;
    }
    return node;
  }

  #parent(path: string): Folder {
    const node = this.#at(join(path, '..'));
    if (node.is !== 'folder') throw new Error(`${path} is not in a folder`);
    return node;
  }

  found(loss: Loss, moment: number): Found {
    const files: (readonly [string, Node, Buffer])[] = [];
    const visit = (path: string, node: Node): void => {
      files.push([path, node, node.is === 'file' ? bytesAfter(loss, path, node) : nothing]);
      if (node.is !== 'folder') return;
      for (const [name, next] of loss === 'names and bytes' ? node.safe : node.names)
        visit(join(path, name), next);
    };
    visit('', this.#top);
    const lasting = files.filter(
      ([path]) => path !== '' && path !== acknowledgements && !path.endsWith('-shm'),
    );
    return {
      loss,
      moment,
      acknowledged: this.acknowledged,
      text: lasting
        .map(([path, node, bytes]) => `${path} ${node.is === 'link' ? node.target : digestOf(bytes)}`)
        .join('\n'),
      write(at) {
        for (const [path, node, bytes] of lasting) {
          if (node.is === 'folder') mkdirSync(join(at, path));
          else if (node.is === 'link') symlinkSync(node.target, join(at, path));
          else writeFileSync(join(at, path), bytes);
        }
      },
    };
  }
}

const folder = (): Folder => ({ is: 'folder', names: new Map(), safe: new Map() });
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const bytesAfter = (loss: Loss, path: string, file: File): Buffer =>
  loss === 'bytes, but not of state.generation' && path.endsWith('state.generation')
    ? present(file)
    : (file.safe ?? nothing);

/** A copy of what is there. */
const present = ({ bytes, size }: File): Buffer => Buffer.from(bytes.subarray(0, size));

function resize(file: File, size: number): void {
  if (size > file.bytes.length) {
    const larger = Buffer.alloc(2 * size);
    file.bytes.copy(larger);
    file.bytes = larger;
  }
  file.bytes.fill(0, Math.min(size, file.size), Math.max(size, file.size));
  file.size = size;
}

const digests = new WeakMap<Buffer, string>();
/** Of contents that are not changed any more. */
function digestOf(bytes: Buffer): string {
  const digest = digests.get(bytes) ?? hash('md5', bytes);
  digests.set(bytes, digest);
  return digest;
}

/**
 * Every folder that a power cut could have left.
 * @param root the recorded folder; empty when the record began
 * @param inode of that folder
 */
export function* foundAfterPowerCuts(file: string, root: string, inode: string): Generator<Found> {
  const disk = new Disk(root, inode);
  /** Of each loss what was found last: it is given with all that was acknowledged while it was so. */
  const last = new Map<Loss, Found>();
  let moment = 0;
  for (const event of eventsIn(readFileSync(file))) {
    disk.play(event);
    if (event.kind === 'S') moment += 1;
    for (const loss of losses) {
      const found = disk.found(loss, moment);
      const before = last.get(loss);
      if (before && before.text !== found.text) yield before;
      last.set(loss, found);
    }
  }
  yield* last.values();
}
