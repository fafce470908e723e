// Counts what became of transitions, and says what is wrong with some.
import type { Outcome } from './lanes.ts';
import { difference, isGood, type Verdict } from './verdict.ts';

interface Transition {
  readonly kind: string;
  readonly field: string;
  readonly what: string;
}

export class Tally {
  readonly faults: string[] = [];
  readonly #verdicts: { readonly kind: string; readonly verdict: Verdict }[] = [];

  note({ kind, field, what }: Transition, verdict: Verdict, got: Outcome, want: Outcome): void {
    this.#verdicts.push({ kind, verdict });
    if (isGood.has(verdict)) return;
    const about = `${kind} ${field} ${what}: ${verdict}: ${got.why ?? 'nothing is said'}`;
    this.faults.push([about, ...difference(got.live, want.live)].join('\n'));
  }

  /** One line a kind. */
  text(): string {
    const all: readonly Verdict[] = ['followed', 'refused', 'told', 'later', 'ignored', 'stuck'];
    return [...Map.groupBy(this.#verdicts, ({ kind }) => kind)]
      .map(([kind, of]) => {
        const counts = all.map((one) => `${one} ${of.filter(({ verdict }) => verdict === one).length}`);
        return `${kind}: ${of.length} transitions, ${counts.join(', ')}`;
      })
      .join('\n');
  }
}
