// One commit moved a configuration to another server and gave the password of that one. Between the two, which took as long as the state's
// disk, the new password was there for the old address, and was sent with it.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { keyText } from '../../../src/core/resource.ts';
import { Bench, secret } from './source-support.ts';
import { declared, volume } from './state/data.ts';

const key = volume('data');
const data = keyText(key);
const passwordOf = (bench: Bench) => bench.source.secret('shop', 'ldap', 'password');

async function running(): Promise<Bench> {
  const bench = await Bench.set(declared(key));
  bench.tree.secrets = [secret('ldap', { password: 'old' }), secret('other', { password: 'stays' })];
  await bench.start();
  bench.told();
  return bench;
}

const moved = {
  objects: [declared(key, { spec: { size: 2 } })],
  secrets: [secret('ldap', { password: 'new' }), secret('other', { password: 'stays' })],
};

test('while what a commit changes is entered, the Secrets that it changes are pending, and nobody is told of either', async () => {
  const bench = await running();
  const look = async (): Promise<string> => {
    const { spec } = bench.row(key).object;
    const [mine, other] = [await passwordOf(bench), await bench.source.secret('shop', 'other', 'password')];
    return `${JSON.stringify(spec)}: ${mine.is}, other ${other.is}, told ${bench.told().join()}`;
  };
  const seen = new Set<string>();
  const reported = new Set<unknown>();
  void bench.report().then((report) => reported.add(report));
  const change = bench.change(moved);
  for (await setImmediate(); reported.size === 0; await setImmediate()) seen.add(await look());
  await change;
  seen.add(await look());
  expect([...seen].slice(0, 2)).toEqual([
    '{"size":1}: pending, other there, told ',
    `{"size":2}: there, other there, told ${data} edited,Secret/shop/ldap secret`,
  ]);
});

test('a disk that refuses the change keeps no Secret back: a connection may need its new token, and nothing is sent that is not recorded', async () => {
  const bench = await running();
  const before = await passwordOf(bench);
  await bench.state.close();
  await bench.change(moved);
  const after = await passwordOf(bench);
  expect([before.is, after.is]).toEqual(['there', 'there']);
  expect(after).not.toEqual(before);
  expect(bench.told()).toContain('Secret/shop/ldap secret');
  expect(bench.row(key).object.spec).toEqual({ size: 1 });
});
