// Secrets reach the services and nothing else: whatever is run and whatever fails, no output, log, state file or reply
// of the control socket holds one, in any of the usual forms.
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { found as foundOf } from '../support/canaries.ts';
import { folder, Holdfast, holdfast, type Ended } from '../support/cli.ts';
import { secret, Tree, volume } from '../support/manifests.ts';
import { serve, serviceToken } from '../support/service.ts';
import { portOf } from '../support/port.ts';

const canaries = {
  token: 'kM3vQ8rT-token-5b0e1f77c2',
  denied: 'pW6xZ1nB-denied-a97c4410e8',
  plain: 'gH2j "quoted" & spaced 1c2d9',
  encoded: 'dS7fL4cV-encoded-90d2ee31b5',
  file: 'yU5tR9eX-file-77f0b2c5a6d1',
};

const found = (haystack: string): readonly string[] => foundOf(haystack, canaries);

const outputs = (...ended: readonly Ended[]): string => ended.map((e) => e.stdout + e.stderr).join('');

function stateFiles(stateDir: string): string {
  const files = readdirSync(stateDir).filter((name) => name.startsWith('state.sqlite'));
  expect(files).toContain('state.sqlite');
  return files.map((name) => readFileSync(join(stateDir, name), 'latin1')).join('');
}

/** A tree of three volumes, each with secrets from another home. */
async function place(connection: { readonly url: string; readonly token: string }) {
  const cwd = await folder();
  const tree = new Tree(join(cwd, 'tree')).connect({ url: connection.url, dialect: 'nomad' });
  tree.put('token.yaml', secret('system', 'scheduler', { token: connection.token }));
  tree.put(
    'connection.yaml',
    readFileSync(join(tree.path, 'connection.yaml'), 'utf8').split('---\n')[0] ?? '',
  );
  tree.put('plain.yaml', secret('shop', 'plain', { key: canaries.plain }));
  const data = { key: Buffer.from(canaries.encoded).toString('base64') };
  tree.put('encoded.yaml', { ...secret('shop', 'encoded', {}), stringData: {}, data });
  mkdirSync(join(cwd, 'secrets/shop/file'), { recursive: true });
  writeFileSync(join(cwd, 'secrets/shop/file/key'), canaries.file);
  for (const name of ['plain', 'encoded', 'file']) {
    tree.put(`v-${name}.yaml`, volume(name, { secrets: { key: { name, key: 'key' } } }));
  }
  const command = (args: string) => holdfast([...args.split(' '), '--secrets-dir', 'secrets'], { cwd });
  const bare = (args: string) => holdfast(args.split(' '), { cwd });
  return { cwd, tree, command, bare, stateDir: join(cwd, '.holdfast') };
}

test('the search itself finds every form', () => {
  for (const [name, value] of Object.entries(canaries)) {
    const base64 = ['', 'a', 'ab'].map((before) =>
      Buffer.from(`${before}${value} and more`).toString('base64'),
    );
    for (const form of [...base64, JSON.stringify({ value }), encodeURIComponent(value)]) {
      expect(found(`… ${form} …`), form).toEqual([name]);
    }
  }
});

test('every command in every format, with all going well', async () => {
  const service = await serve('nomad', canaries.token);
  const { tree, command, bare, stateDir } = await place({ url: service.url, token: canaries.token });
  const before = [
    await bare('validate tree'),
    await bare('validate tree -o json'),
    await command('plan tree'),
    await command('plan tree -o json'),
    await command('plan tree -o markdown'),
  ];
  const applied = await command('apply tree -o json');
  expect(applied.code, outputs(applied)).toBe(0);
  tree.put('plain.yaml', secret('shop', 'plain', { key: `${canaries.plain} changed` }));
  const after = [
    await command('plan tree'),
    await command('plan tree -o json'),
    await command('apply tree'),
    await bare('get'),
    await bare('get -o json'),
    await bare('describe CSIVolume/shop/plain'),
  ];
  expect(outputs(...after)).toContain('update plain: /secrets');
  expect(found(outputs(...before, applied, ...after))).toEqual([]);
  expect(found(stateFiles(stateDir))).toEqual([]);
});

test('a directory on the embedded services', async () => {
  const { tree, command, stateDir } = await place({ url: 'embedded', token: serviceToken });
  const dev = await command('dev tree --once --dialect nomad');
  const again = await command('dev tree --once --dialect nomad -o json');
  tree.put('broken.yaml', `kind: Secret\nstringData: {key: ${canaries.encoded}\n`);
  const broken = await command('dev tree --once --dialect nomad');
  expect([dev.code, again.code, broken.code]).toEqual([0, 0, 1]);
  expect(broken.stderr).toMatch(/^broken\.yaml:\d+:\d+: invalid YAML/);
  expect(found(outputs(dev, again, broken))).toEqual([]);
  expect(found(stateFiles(stateDir))).toEqual([]);
});

const says = (response: ServerResponse, code: number, said: string): ServerResponse =>
  response.writeHead(code, { 'x-nomad-index': '7' }).end(said);

/** A scheduler that takes no volume, and says so by repeating all that it was sent, token included. */
async function echoing(status: number): Promise<string> {
  const paddings = [265, 275, 280]; // what is shown ends in the middle of a secret, once it is cut
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const { method, url = '', headers } = request;
      if (url.startsWith('/v1/status/leader')) return says(response, 200, '"127.0.0.1:4647"');
      if (url.startsWith('/v1/agent/self')) return says(response, 200, '{}');
      if (url.includes('index=')) return undefined; // blocks
      if (url.startsWith('/v1/volumes')) return says(response, 200, '[]');
      if (method === 'GET') return says(response, 404, 'volume not found');
      const sent: { Volumes: [{ Secrets: unknown }] } = JSON.parse(body);
      const token = String(headers['x-nomad-token']);
      const dots = '.'.repeat(paddings.shift() ?? 0);
      return says(
        response,
        status,
        `can't do ${dots}${token} ${JSON.stringify(sent.Volumes[0].Secrets)} ${body}`,
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => server.closeAllConnections());
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${portOf(server)}`;
}

test.for([400, 500])('a service that answers with %i and repeats what it was sent', async (status) => {
  const url = await echoing(status);
  const { command, bare, stateDir } = await place({ url, token: canaries.token });
  const applied = await command('apply tree --timeout 2');
  expect(applied.code).toBe(3);
  expect(applied.stdout).toContain("can't do");
  const json = await command('apply tree --timeout 1 -o json');
  const told = outputs(
    applied,
    json,
    await bare('get'),
    await bare('get -o json'),
    await command('plan tree'),
  );
  expect(found(told)).toEqual([]);
  expect(found(stateFiles(stateDir))).toEqual([]);
});

test('a running operator: its log, a denied token, commands, and nonsense on its socket', async () => {
  const service = await serve('nomad', canaries.token);
  const { cwd, tree, bare, stateDir } = await place({ url: service.url, token: canaries.denied });
  const run = new Holdfast(['run', '--source', 'tree', '--secrets-dir', 'secrets'], { cwd });
  await run.says(/"msg":"running"/);
  tree.put('broken.yaml', `kind: Secret\nstringData: {key: ${canaries.encoded}\n`);
  await run.says(/"problem":"invalid YAML/);
  tree.put('token.yaml', secret('system', 'scheduler', { token: canaries.token }));
  await run.says(/create plain/);
  tree.put('plain.yaml', secret('shop', 'plain', { key: `${canaries.plain} changed` }));
  await run.says(/update plain: \/secrets/);
  const socket = createConnection(join(stateDir, 'control.sock'));
  socket.end(`{"do": "${canaries.file}", "key": "CSIVolume/shop/file"}\n`);
  const reply = await text(socket);
  const commands = [
    await bare('reconcile CSIVolume/shop/plain'),
    await bare('approve nothing'),
    await bare('get -o json'),
  ];
  expect(found(stateFiles(stateDir))).toEqual([]);
  expect(found(outputs(await run.stop(), ...commands))).toEqual([]);
  expect(JSON.parse(reply)).toMatchObject({ ok: false });
});
