// Which objects have not been looked at since they were declared: while there are any, one of them may be about to say that
// it has what is about to be destroyed, or that it goes, too.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Unvisited } from '../../../src/controller/index/unvisited.ts';

describe('nothing goes while another is to be looked at', () => {
  test('declared, and not looked at', () => {
    const unvisited = new Unvisited();
    unvisited.add('a');
    expect(unvisited.settled('b', 'c')).toBe(false);
    expect(unvisited.settled('a', 'c')).toBe(true); // who asks is looked at by asking
  });

  test('being looked at: what it says is not known yet', () => {
    const unvisited = new Unvisited();
    unvisited.add('a');
    unvisited.begin('a');
    expect(unvisited.settled('b', 'c')).toBe(false);
    expect(unvisited.end('a')).toBe(true);
    expect(unvisited.settled('b', 'c')).toBe(true);
  });

  test('declared otherwise while it is looked at: it is to be looked at again', () => {
    const unvisited = new Unvisited();
    unvisited.add('a');
    unvisited.begin('a');
    unvisited.add('a');
    expect(unvisited.end('a')).toBe(false);
    expect(unvisited.settled('b', 'c')).toBe(false);
    expect(unvisited.settled('a', 'c')).toBe(true);
  });

  test('a conflict taught nothing about it', () => {
    const unvisited = new Unvisited();
    unvisited.add('a');
    unvisited.begin('a');
    unvisited.leave('a', { scope: undefined });
    expect(unvisited.end('a')).toBe(false);
    expect(unvisited.settled('b', 'c')).toBe(false);
  });

  test('its connection can’t be used: only what goes from there waits, not all the others for days', () => {
    const unvisited = new Unvisited();
    unvisited.add('a');
    unvisited.begin('a');
    unvisited.leave('a', { scope: 'c' });
    expect(unvisited.end('a')).toBe(true);
    expect([unvisited.settled('b', 'c'), unvisited.settled('b', 'd')]).toEqual([false, true]);
  });

  test('looking again at what was looked at holds nobody up', () => {
    const unvisited = new Unvisited();
    unvisited.begin('a');
    unvisited.leave('a', { scope: undefined });
    expect(unvisited.settled('b', 'c')).toBe(true);
    expect(unvisited.end('a')).toBe(false); // nobody has waited for it
  });

  test.for(['declared only', 'being looked at'] as const)(
    'gone: nobody waits for it any more (%s)',
    (when) => {
      const unvisited = new Unvisited();
      unvisited.add('a');
      if (when === 'being looked at') unvisited.begin('a');
      expect(unvisited.forget('a')).toBe(true); // else those who wait for the last one wait for a timer
      expect(unvisited.settled('b', 'c')).toBe(true);
    },
  );

  test('gone as one of several: the others are waited for', () => {
    const unvisited = new Unvisited();
    for (const key of ['a', 'b']) unvisited.add(key);
    expect(unvisited.forget('a')).toBe(false);
    expect(unvisited.settled('x', 'c')).toBe(false);
  });
});

test('who asks is not counted for what it waits for elsewhere: with another to come, nothing goes', () => {
  const unvisited = new Unvisited();
  unvisited.add('a');
  unvisited.begin('a');
  unvisited.leave('a', { scope: 'd' });
  unvisited.end('a');
  unvisited.begin('a'); // declared through another connection meanwhile
  unvisited.add('a');
  unvisited.add('b');
  expect(unvisited.settled('a', 'c')).toBe(false);
});

describe('what takes over waits for the visit of the one before, which may be about to send a call', () => {
  test.for(['declared otherwise', 'woken'] as const)('a visit to one that was %s is under way', (why) => {
    const unvisited = new Unvisited();
    if (why === 'declared otherwise') unvisited.add('former');
    unvisited.begin('former');
    expect(unvisited.settled('heir', 'c', 'former')).toBe(false);
    unvisited.end('former');
    expect([...unvisited.takeAwaiting('former')]).toStrictEqual(['heir']); // else the heir waits for a timer
    expect(unvisited.settled('heir', 'c', 'former')).toBe(true);
  });

  test('it is gone by the end of its visit', () => {
    const unvisited = new Unvisited();
    unvisited.begin('former');
    expect(unvisited.settled('heir', 'c', 'former')).toBe(false);
    expect(unvisited.forget('former')).toBe(false);
    expect(unvisited.settled('heir', 'c', 'former')).toBe(false); // what it sent may still be under way
    unvisited.end('former');
    expect([...unvisited.takeAwaiting('former')]).toStrictEqual(['heir']);
  });

  test('its end wakes nobody else: the two once woke each other for ever, without anything else getting its turn', () => {
    const unvisited = new Unvisited();
    unvisited.begin('former');
    unvisited.settled('heir', 'c', 'former');
    expect(unvisited.end('former')).toBe(false);
    expect([...unvisited.takeAwaiting('former')]).toStrictEqual(['heir']);
  });

  test('the visit after that is nothing that it waited for', () => {
    const unvisited = new Unvisited();
    unvisited.begin('former');
    unvisited.settled('heir', 'c', 'former');
    unvisited.end('former');
    unvisited.takeAwaiting('former');
    unvisited.begin('former');
    unvisited.end('former');
    expect([...unvisited.takeAwaiting('former')]).toStrictEqual([]);
  });

  test('visits to others are nothing to it', () => {
    const unvisited = new Unvisited();
    unvisited.begin('other');
    expect(unvisited.settled('heir', 'c', 'former')).toBe(true);
  });
});

/** What a plain list would say. */
class Model {
  waiting: readonly {
    readonly key: string;
    readonly at: 'rest' | 'visit';
    readonly scope: string | undefined;
  }[] = [];

  readonly has = (key: string, at: 'rest' | 'visit') =>
    this.waiting.find((one) => one.key === key && one.at === at);
  drop(key: string, at: 'rest' | 'visit'): void {
    this.waiting = this.waiting.filter((one) => one.key !== key || one.at !== at);
  }
  put(key: string, at: 'rest' | 'visit', scope: string | undefined): void {
    this.drop(key, at);
    this.waiting = [...this.waiting, { key, at, scope }];
  }
  settled(key: string, connection: string): boolean {
    return this.waiting.every(
      (one) => one.key === key || (one.scope !== undefined && one.scope !== connection),
    );
  }
}

const key = fc.constantFrom('a', 'b', 'c');
const scope = fc.constantFrom(undefined, 'k', 'l');
const step = fc.oneof(
  fc.record({ act: fc.constantFrom('add', 'begin', 'end', 'forget'), key, scope: fc.constant(undefined) }),
  fc.record({ act: fc.constant('leave'), key, scope }),
);

test('whatever happens in whatever order, it says what a plain list of the unvisited says', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const unvisited = new Unvisited();
      const model = new Model();
      for (const { act, key: of, scope: left } of steps) {
        const resting = model.has(of, 'rest');
        const visiting = model.has(of, 'visit');
        if (act === 'add') {
          unvisited.add(of);
          model.put(of, 'rest', undefined);
        } else if (act === 'begin') {
          unvisited.begin(of);
          if (resting) model.drop(of, 'rest');
          if (resting) model.put(of, 'visit', resting.scope);
        } else if (act === 'leave') {
          unvisited.leave(of, { scope: left });
          if (visiting && !resting) model.put(of, 'rest', left);
        } else if (act === 'end') {
          model.drop(of, 'visit');
          const last = visiting !== undefined && !model.waiting.some((one) => one.scope === visiting.scope);
          expect(unvisited.end(of)).toBe(last);
        } else {
          const scopes = [resting, visiting].flatMap((one) => (one ? [one.scope] : []));
          for (const at of ['rest', 'visit'] as const) model.drop(of, at);
          const last = scopes.some((one) => !model.waiting.some((other) => other.scope === one));
          expect(unvisited.forget(of)).toBe(last);
        }
        for (const who of ['a', 'b', 'x'])
          for (const connection of ['k', 'l'])
            expect(unvisited.settled(who, connection)).toBe(model.settled(who, connection));
      }
    }),
  );
});

test('what waits for its connection is not in its own way', () => {
  const unvisited = new Unvisited();
  unvisited.add('a');
  unvisited.begin('a');
  unvisited.leave('a', { scope: 'c' });
  unvisited.end('a');
  expect(unvisited.settled('a', 'c')).toBe(true);
  expect(unvisited.settled('b', 'c')).toBe(false);
});
