// The packages of the API server judge the definitions and the corpus, without a cluster.
import { execFileSync } from 'node:child_process';
import { beforeAll, describe, expect, test } from 'vitest';
import { registry } from '../../../src/kinds/registry.ts';
import { crd } from '../../../src/schema/crd/crd.ts';
import { corpus, expected } from '../../schema/corpus/corpus.ts';
import { hasGo } from '../go.ts';

const buildMs = 600_000;

describe.skipIf(!hasGo)('the referee (skipped without Go)', () => {
  let verdicts: readonly string[] = [];
  beforeAll(() => {
    const crds = registry.map(({ declaration }) => crd(declaration));
    const cases = corpus.map(({ document, old }) => ({ document, old }));
    const options = { cwd: import.meta.dirname, encoding: 'utf8', maxBuffer: 2 ** 26 } as const;
    const said = execFileSync('go', ['run', '.'], { ...options, input: JSON.stringify({ crds, cases }) });
    verdicts = JSON.parse(said);
  }, buildMs);

  test('takes every definition, and has a verdict on every case', () => {
    expect(verdicts).toHaveLength(corpus.length);
  });

  for (const [i, row] of corpus.entries()) {
    const says = expected(row, 'referee') ? 'valid' : 'invalid';
    test(`${row.title}: ${says}`, () => {
      expect(verdicts[i] === '' ? 'valid' : 'invalid', verdicts[i]).toBe(says);
    });
  }
});
