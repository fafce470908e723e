// The file system under an operator's published outputs, which refuses to be written to when it is told to.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { current } from './time.ts';

/** What needs room, and what needs to be allowed only. */
const needsRoom = ['writeFileSync', 'mkdirSync', 'symlinkSync'] as const;
const writes = [...needsRoom, 'renameSync', 'rmSync', 'unlinkSync'] as const;

const exists = ([path]: readonly unknown[]): boolean => typeof path === 'string' && fs.existsSync(path);

/** From now on files fail in the course of a process whose machine is in trouble. */
export function installFiles(): void {
  for (const name of writes) {
    const real: (...args: never[]) => unknown = fs[name];
    const guarded = (...args: never[]): unknown => {
      const trouble = current()?.files.trouble;
      const fails = trouble === 'EROFS' || (trouble === 'ENOSPC' && needsRoom.some((one) => one === name));
      // What has nothing to write is not refused.
      const isNothing = (name === 'mkdirSync' && exists(args)) || (name === 'rmSync' && !exists(args));
      if (fails && !isNothing)
        throw Object.assign(new Error(trouble), { code: trouble, errno: trouble === 'EROFS' ? -30 : -28 });
      return real(...args);
    };
    Object.assign(fs, { [name]: guarded });
  }
  syncBuiltinESMExports();
}
