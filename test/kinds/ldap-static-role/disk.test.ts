// LDAPStaticRole with real files under it: a full disk once let a rotation go ahead that could not be published. The
// published password was dead, and Ready said True.
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EffectGate } from '../../../src/api/effect.ts';
import { versionsBy } from '../../../src/sources/directory/identity.ts';
import { Outputs } from '../../../src/sources/directory/outputs.ts';
import { canMount, smallDisk } from '../../support/small-disk.ts';
import { tempFolder } from '../../sources/directory/state/support.ts';
import { said } from './asking.ts';
import { canary } from './services.ts';
import { World } from './world.ts';

/** Where things are published, and what is wrong there. */
interface Site {
  readonly directory: string;
  readonly trouble: (is: boolean) => void;
}

function full(): Site {
  const { directory, full: trouble } = smallDisk();
  return { directory, trouble };
}

function readOnly(): Site {
  const { directory, readOnly: trouble } = smallDisk();
  return { directory, trouble };
}

/** Somebody put a folder of his own where ours goes, and ours aside. */
function taken(): Site {
  const directory = tempFolder();
  const [place, aside] = [join(directory, 'shop', 'app-login'), join(directory, 'aside')];
  return {
    directory,
    trouble(is) {
      if (is) {
        mkdirSync(place, { recursive: true });
        renameSync(place, aside);
        mkdirSync(place);
        writeFileSync(join(place, 'password'), 'a stranger’s');
      } else {
        expect(readFileSync(join(place, 'password'), 'utf8')).toBe('a stranger’s');
        rmSync(place, { recursive: true });
        renameSync(aside, place);
        if (!outputAt(directory)) rmSync(place, { recursive: true });
      }
    },
  };
}

/** A folder stands among the published files, which no link can take the place of. */
function cluttered(): Site {
  const directory = tempFolder();
  const clutter = join(directory, 'shop', 'app-login', 'notes');
  return {
    directory,
    trouble: (is) => (is ? mkdirSync(clutter, { recursive: true }) : rmSync(clutter, { recursive: true })),
  };
}

function outputAt(directory: string): string | undefined {
  try {
    return readFileSync(join(directory, 'shop', 'app-login', 'password'), 'utf8');
  } catch {
    return undefined;
  }
}

function worldAt({ directory }: Site): World {
  const gate = new EffectGate({ nowMs: () => 0 });
  const outputs = new Outputs({ directory, gate, versionOf: versionsBy(Buffer.alloc(32, 1)) });
  return new World({ spec: {}, outputs });
}

const current = ({ directory }: World): string => `${canary}-${directory.role?.version}`;

describe.for([
  { what: 'on a full disk', make: full, reason: 'OutputUnusable', skip: !canMount },
  { what: 'on a read-only disk', make: readOnly, reason: 'OutputUnusable', skip: !canMount },
  { what: 'where somebody else’s folder stands', make: taken, reason: 'OutputConflict', skip: false },
  { what: 'where a folder is in the way', make: cluttered, reason: 'OutputUnusable', skip: false },
])('$what', ({ make, reason, skip }) => {
  test.skipIf(skip)('no password is rotated, and the published one goes on working', async () => {
    const site = make();
    const world = worldAt(site);
    await world.settle();
    const before = world.directory.instant;
    site.trouble(true);
    world.request('rotate', 't1');
    for (let n = 0; n < 3; n++) await world.visit();
    expect([world.directory.instant, said(world, 'Ready')]).toEqual([before, `False ${reason}`]);
    site.trouble(false);
    expect(outputAt(site.directory)).toBe(current(world));
    await world.settle();
    expect(world.directory.rotations).toHaveLength(1);
    expect([outputAt(site.directory), said(world, 'Ready')]).toEqual([current(world), 'True InSync']);
  });

  test.skipIf(skip)(
    'begun between rotation and publication: Ready is False until it is over, nothing rotates twice',
    async () => {
      const site = make();
      const world = worldAt(site);
      await world.settle();
      world.request('rotate', 't1');
      world.directory.changed = () => site.trouble(true);
      await world.visit();
      world.directory.changed = undefined;
      expect(said(world, 'Ready')).toBe(`False ${reason}`);
      await world.visit();
      expect(said(world, 'Ready')).toBe(`False ${reason}`);
      site.trouble(false);
      await world.settle();
      expect(world.directory.rotations).toHaveLength(1);
      expect([outputAt(site.directory), said(world, 'Ready')]).toEqual([current(world), 'True InSync']);
    },
  );

  test.skipIf(skip || make === cluttered)(
    'no role is made that sets a password which nobody could read',
    async () => {
      const site = make();
      const world = worldAt(site);
      site.trouble(true);
      await world.visit();
      await world.visit();
      expect([world.directory.role, said(world, 'Ready')]).toEqual([undefined, `False ${reason}`]);
      site.trouble(false);
      await world.settle();
      expect([outputAt(site.directory), said(world, 'Ready')]).toEqual([current(world), 'True InSync']);
    },
  );
});
