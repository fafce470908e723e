// The floor of the restart benchmark: it reads the same files and parses them with the faster parser, in one thread, and
// does nothing else. Argument: the tree.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadAll } from 'js-yaml';

const [directory = ''] = process.argv.slice(2);
for (const file of readdirSync(directory, { recursive: true, encoding: 'utf8' }))
  if (file.endsWith('.yaml')) loadAll(readFileSync(join(directory, file), 'utf8'));
