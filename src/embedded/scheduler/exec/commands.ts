// The commands that tasks have. They run in this process and have no access to the machine.
import type { Command, World } from './process.ts';
import { shell } from './shell.ts';

const failed = async (world: World, text: string, code = 1): Promise<number> => {
  await world.err(`${text}\n`);
  return code;
};

const cat: Command = async (world, args) => {
  const [file] = args.filter((one) => one !== '-');
  if (file !== undefined) return failed(world, `cat: ${file}: No such file or directory`);
  for (let data = await world.read(); data !== undefined; data = await world.read()) await world.out(data);
  return 0;
};

const echo: Command = async (world, args) => {
  const bare = args[0] === '-n';
  await world.out(args.slice(bare ? 1 : 0).join(' ') + (bare ? '' : '\n'));
  return 0;
};

const env: Command = async (world, args) => {
  if (args.length > 0) return failed(world, 'env: it takes no arguments here', 125);
  for (const [name, value] of Object.entries(world.env)) await world.out(`${name}=${value}\n`);
  return 0;
};

/** Takes the ID of a volume, because there is no device. The exit codes are those of fsck. */
const fsck: Command = async (world, [volume = '']) => {
  const found = world.disk(volume);
  if (found === undefined) return failed(world, `fsck: ${volume}: no such volume`, 8);
  await world.out(`${volume}: ${found}\n`);
  return found === 'clean' ? 0 : 4;
};

const sleep: Command = async (world, [time = '']) => {
  if (!/^\d{1,9}(\.\d{1,3})?$/.test(time)) return failed(world, `sleep: invalid time interval '${time}'`);
  await world.sleep(Number(time) * 1000);
  return 0;
};

const stty: Command = async (world, [what]) => {
  if (what !== 'size') return failed(world, 'stty: it tells the size only');
  const { height, width } = world.size();
  await world.out(`${height} ${width}\n`);
  return 0;
};

const sh: Command = async (world, [flag, script]) => {
  if (flag !== '-c' || script === undefined) return failed(world, 'sh: it takes -c and a script only', 2);
  return shell(world, script, commandNamed);
};

const commands = new Map<string, Command>(
  Object.entries({ cat, echo, env, false: async () => 1, fsck, sh, sleep, stty, true: async () => 0 }),
);

/** Finds a command by its name, or by its path in `/bin` or `/usr/bin`. */
export const commandNamed = (name: string): Command | undefined =>
  commands.get(name.replace(/^\/(usr\/)?bin\//, ''));
