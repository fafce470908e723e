import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { DirectoryError, type Access, type EntryRef } from '../../../src/embedded/secrets/ldap/directory.ts';
import { EmbeddedDirectory } from '../../../src/embedded/secrets/ldap/embedded-directory.ts';
import { Rotations } from '../../../src/embedded/secrets/ldap/rotation.ts';
import { below } from '../../../src/embedded/secrets/store/model.ts';
import { embeddedBindDN } from '../../../src/embedded/secrets/fixtures/seed.ts';
import { State } from '../../../src/embedded/secrets/state.ts';
import { HttpClient, until } from '../../contract/client.ts';
import { ManualClock } from '../manual-clock.ts';
import { temporaryFile } from '../scheduler/files.ts';
import { configBody, credential, entryDN, roleBody, running, type Running } from './running.ts';

/** Everything that a client could tell two services apart by, but for what is drawn anew. */
async function world(here: Running): Promise<readonly unknown[]> {
  const paths = [
    'ldap/config',
    'ldap/static-role?list=true',
    'ldap/static-role/shop',
    'ldap/static-cred/shop',
  ];
  const more = ['sys/mounts', 'sys/policies/password/p', 'auth/token/lookup-self'];
  const answers = [...paths, ...more].map(async (path) => {
    const answer = await here.client.get(`/v1/${path}`);
    return [path, answer.status, { ...answer.json(), request_id: '' }];
  });
  const directory = (await here.client.get('/setup/directory')).json();
  return [...(await Promise.all(answers)), directory];
}

/** Does what it is asked, and the answer is lost: as with a connection that breaks, or a process that is killed. */
class LosesReplies extends EmbeddedDirectory {
  override async changePassword(access: Access, entry: EntryRef, password: string): Promise<void> {
    await super.changePassword(access, entry, password);
    throw new DirectoryError('unreachable', 'lost');
  }
}

/** What is in the file, worked on without a server. */
function opened(file: string, losing: boolean) {
  const state = new State({ dialect: 'vault', file, clock: new ManualClock(), randomBytes });
  const directory = new (losing ? LosesReplies : EmbeddedDirectory)(state.store, state.entries);
  const rotations = new Rotations(state, directory, directory, (bug) => {
    throw bug;
  });
  const role = () => {
    const row = state.roles.get(below('ldap', 'shop'));
    if (!row) throw new Error('no role');
    return row;
  };
  return { state, directory, rotations, role };
}

async function prepared(): Promise<string> {
  const file = temporaryFile();
  const here = await running({ file });
  await here.client.post('/v1/ldap/config', configBody());
  await here.client.post('/v1/ldap/static-role/shop', roleBody('shop'));
  await here.stop();
  return file;
}

describe('the state on disk', () => {
  test('a new process answers like the old one, whatever dialect it speaks', async () => {
    const file = temporaryFile();
    const first = await running({ file });
    await first.client.post('/v1/ldap/config', configBody({ password_policy: 'p', request_timeout: 7 }));
    const policy = 'length = 9 rule "charset" { charset = "xyz" }';
    await first.client.put('/v1/sys/policies/password/p', { policy });
    await first.client.post('/v1/sys/mounts/team/ldap', { type: 'ldap' });
    await first.client.post('/v1/ldap/static-role/shop', roleBody('shop'));
    const { token } = (await first.client.post('/setup/tokens', { policies: ['p'] })).json();
    const before = await world(first);
    await first.stop();
    const second = await running({ file }, first.clock);
    const after = await world(second);
    expect(after.slice(0, -2)).toEqual(before.slice(0, -2));
    expect(after.at(-1)).toEqual(before.at(-1));
    expect((await second.as(token, 'GET', '/v1/auth/token/lookup-self')).status).toBe(200);
    await second.stop();
    const third = await running({ file, dialect: 'secrets', token: 'canary-next-root' });
    const old = await third.client.get('/v1/sys/mounts');
    expect(old.status).toBe(403); // the root's token is the one that this process was given
    const role = await third.as('canary-next-root', 'GET', '/v1/ldap/static-role/shop');
    expect(role.json().data).toHaveProperty('last_service_rotation');
    await third.stop();
  });

  test('a rotation whose answer was lost is made up for with the same password', async () => {
    const file = await prepared();
    const lost = opened(file, true);
    const old = lost.role().password;
    await expect(lost.rotations.rotate(lost.role())).rejects.toThrow('lost');
    expect(lost.role()).toMatchObject({ password: old });
    expect(lost.directory.bind(entryDN('shop'), old)).toBe(false);
    const { pending } = lost.role();
    lost.state.store.close();
    const next = opened(file, false);
    expect((await next.rotations.rotate(next.role())).password).toBe(pending);
    expect(next.directory.bind(entryDN('shop'), next.role().password)).toBe(true);
    expect(next.role()).not.toHaveProperty('pending');
    next.state.store.close();
  });

  test('after a rotate-root whose answer was lost, the next rotation finds out which bind password holds', async () => {
    const file = await prepared();
    const lost = opened(file, true);
    await expect(lost.rotations.rotateRoot('ldap')).rejects.toThrow('lost');
    lost.state.store.close();
    const next = opened(file, false);
    await next.rotations.rotate(next.role());
    const bindPassword = String(next.state.configs.get('ldap')?.values['bindpass']);
    expect(next.directory.bind(embeddedBindDN, bindPassword)).toBe(true);
    await next.rotations.rotateRoot('ldap');
    expect(next.directory.bind(embeddedBindDN, bindPassword)).toBe(false);
    next.state.store.close();
  });

  test('killed in the middle of rotations, it knows the password after its next start', async () => {
    const file = await prepared();
    const child = spawn(process.execPath, [fileURLToPath(new URL('killed.ts', import.meta.url)), file]);
    const [url] = await once(child.stdout, 'data');
    const client = new HttpClient(String(url).trim());
    let answered = 0;
    const rotating = Array.from({ length: 300 }, async () => {
      const answer = await client.post('/v1/ldap/rotate-role/shop', {}).catch(() => undefined);
      if (answer?.status === 204) answered += 1;
      if (answered === 50) child.kill('SIGKILL');
    });
    await Promise.all(rotating);
    await client.close();
    expect(answered).toBeLessThan(300);
    const back = await running({ file });
    back.clock.advance(5_000);
    await until('the password is known', async () =>
      back.bind(entryDN('shop'), (await credential(back)).password),
    );
    await back.stop();
  });
});

describe('secrets', () => {
  test('are in no log, no counter, no listing and no error', async () => {
    const bugs: unknown[] = [];
    const here = await running({ onBug: (bug) => bugs.push(bug) });
    const post = (path: string, body: object) => here.client.post(path, body);
    await post('/setup/entries', {
      dn: 'uid=x,dc=example,dc=org',
      password: 'canary-entry',
      attributes: { uid: 'x' },
    });
    await post('/setup/authRoles', { mount: 'jwt', name: 'r', accepts: 'canary-jwt', policies: [] });
    const config = configBody({ client_tls_cert: 'canary-cert', client_tls_key: 'canary-key' });
    const texts = [
      await post('/v1/ldap/config', config),
      await post('/v1/ldap/config', configBody({ bindpass: 'canary-bind' })),
      await post('/v1/ldap/static-role/x', { username: 'x', rotation_period: 60 }),
      await post('/v1/ldap/rotate-root', {}),
      await post('/v1/auth/jwt/login', { role: 'r', jwt: 'canary-jwt-wrong' }),
      await here.client.send('POST', '/v1/ldap/config', { body: '{"bindpass": "canary-broken' }),
      await here.client.get('/v1/ldap/config'),
      await here.client.get('/setup/requests'),
      await here.client.get('/setup/counters'),
      await here.client.get('/setup/directory'),
    ].map((answer) => answer.text);
    const shown = [...texts, JSON.stringify(here.server.counters())].join('\n');
    expect(shown).toContain('static-role');
    expect(shown).not.toContain('canary');
    expect(bugs).toEqual([]);
    await here.stop();
  });
});
