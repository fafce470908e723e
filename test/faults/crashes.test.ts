// Crashes of all kinds but volumes; and that no kind was forgotten.
import { describe, expect, test } from 'vitest';
import { registry } from '../../src/kinds/registry.ts';
import { testCrashes } from './crash-tests.ts';
import { parts } from './journeys/journey.ts';
import { lives } from './journeys/all.ts';

describe('what is covered', () => {
  test.for(registry.map(({ kind }) => kind.name))(
    '%s has a journey for every part of a life, or says why it has none',
    (kind) => {
      const life = lives.find((one) => one.kind === kind);
      const played = new Set(life?.journeys.map(({ part }) => part));
      for (const part of parts)
        expect(played.has(part) !== ((life?.without[part] ?? '') !== ''), `${kind}: ${part}`).toBe(true);
    },
  );
});

testCrashes((kind) => kind !== 'CSIVolume');
