// Files as a tar archive (POSIX ustar) that depends on their names, contents and nothing else.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const blockBytes = 512;

/** What a directory holds, below `prefix`: sorted, without times and owners. @throws Error for a name of over 100 bytes */
export function tar(directory: string, prefix: string): Buffer {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).toSorted();
  const entries = ['', ...paths].map((path) => entry(join(directory, path), join(prefix, path)));
  return Buffer.concat([...entries.flat(), Buffer.alloc(2 * blockBytes)]);
}

function entry(path: string, name: string): readonly Buffer[] {
  const stat = statSync(path);
  if (stat.isDirectory()) return [header(`${name.replace(/\/$/, '')}/`, '5', 0o755, 0)];
  const content = readFileSync(path);
  const mode = stat.mode & 0o100 ? 0o755 : 0o644; // whatever the umask was
  const padding = Buffer.alloc((blockBytes - (content.length % blockBytes)) % blockBytes);
  return [header(name, '0', mode, content.length), content, padding];
}

function header(name: string, type: '0' | '5', mode: number, size: number): Buffer {
  if (Buffer.byteLength(name) > 100) throw new Error(`${name}: expected a name of up to 100 bytes`);
  const block = Buffer.alloc(blockBytes);
  const octal = (value: number, at: number, digits: number) =>
    block.write(value.toString(8).padStart(digits, '0'), at);
  block.write(name, 0);
  octal(mode, 100, 7);
  octal(0, 108, 7); // user
  octal(0, 116, 7); // group
  octal(size, 124, 11);
  octal(0, 136, 11); // time
  block.write(' '.repeat(8), 148); // the checksum counts itself as blanks
  block.write(type, 156);
  block.write('ustar\u000000', 257); // with its version
  octal(
    block.reduce((sum, byte) => sum + byte, 0),
    148,
    6,
  );
  block.writeUInt8(0, 154);
  return block;
}
