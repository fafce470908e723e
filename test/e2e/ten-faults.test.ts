// Ten everyday faults while `run` runs. Of each, the log alone and the page alone name the object, the cause and the remedy;
// once it is mended, both say so.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from 'playwright-core';
import { volume } from '../support/manifests.ts';
import { executablePath, launch } from '../web/browser.ts';
import { FaultyDay, type Named } from './faulty-day.ts';

interface Fault extends Named {
  readonly why: string;
  readonly inject: (day: FaultyDay) => unknown;
  readonly mend: (day: FaultyDay) => unknown;
  /** The message of the line that says so. */
  readonly mended: RegExp;
}

const role = 'LDAPStaticRole/shop/shop';
const scheduler = 'SchedulerConnection/main';
const secrets = 'SecretsConnection/secrets';
const moved = 'uid=moved,ou=services,dc=example,dc=org';
const of = (name: string): string => `CSIVolume/shop/${name}`;
const many = ['logs', 'media', 'spool', 'cache'];

const faults: readonly Fault[] = [
  {
    why: 'a token that the scheduler does not know any more',
    inject: (day) => day.token('canary-revoked-token-41'),
    object: scheduler,
    cause: /PermissionDenied[^]*Permission denied/,
    remedy: /grant it the permission/,
    mend: (day) => day.token(),
    mended: /connection is back/,
  },
  {
    why: 'a right that a policy does not give any more',
    async inject(day) {
      await day.grant({ 'ldap/static-role/shop': [] });
      await day.command('reconcile', role);
    },
    object: role,
    cause: /PermissionDenied[^]*ldap\.role\.read: permission denied/,
    remedy: /grant it the permission/,
    async mend(day) {
      await day.grant();
      await day.command('reconcile', role);
    },
    mended: /ready/,
  },
  {
    why: 'a secrets service that is sealed',
    async inject(day) {
      await day.secrets.call('POST', '/setup/seal', {});
      await day.command('reconcile', secrets);
    },
    object: secrets,
    cause: /Sealed[^]*the service is sealed/,
    remedy: /Unseal it/,
    mend: (day) => day.secrets.call('POST', '/setup/unseal', {}),
    mended: /connection is back/,
  },
  {
    why: 'a scheduler that hangs',
    async inject(day) {
      day.scheduler.process.kill('SIGSTOP');
      await day.command('reconcile', scheduler);
    },
    object: scheduler,
    cause: /Timeout[^]*no answer in time/,
    remedy: /load of the service and the network/,
    mend: (day) => day.scheduler.process.kill('SIGCONT'),
    mended: /connection is back/,
  },
  {
    why: 'a plugin that is gone',
    async inject(day) {
      await day.scheduler.service.call('DELETE', '/setup/plugins/nfs');
      day.tree.put('late.yaml', volume('late', { pluginID: 'nfs', register: { externalID: 'nfs-late' } }));
    },
    object: of('late'),
    cause: /PluginNotFound[^]*nfs/,
    remedy: /Run the job of the plugin/,
    mend: (day) =>
      day.scheduler.service.call('POST', '/setup/plugins', { id: 'nfs', provider: 'nfs.csi.example' }),
    mended: /ready/,
  },
  {
    why: 'a Secret whose file is gone',
    inject: (day) => day.tree.remove('ebs.yaml'),
    object: of('orders'),
    cause: /DependencyNotReady[^]*Secret shop\/ebs/,
    remedy: /Create what the message names/,
    mend: (day) => day.key(),
    mended: /ready/,
  },
  {
    why: 'a volume that somebody deleted with its disk',
    inject: (day) => day.scheduler.service.call('DELETE', '/v1/volume/csi/media/delete?namespace=default'),
    object: of('media'),
    cause: /ExternalVolumeNotFound[^]*could not be found/,
    remedy: /delete the object and declare another/,
    async mend(day) {
      day.tree.remove('media.yaml');
      await day.operator.left(of('media'));
      day.tree.put('media.yaml', volume('media'));
    },
    mended: /ready/,
  },
  {
    why: 'a role of another entry in the place of ours: the entry never changes',
    async inject(day) {
      await day.secrets.call('POST', '/setup/entries', {
        dn: moved,
        password: 'canary-entry-8',
        attributes: {},
      });
      await day.remakeRole(moved);
      await day.command('reconcile', role);
    },
    object: role,
    cause: /AdoptionRefused[^]*\/dn can't be changed/,
    remedy: /another external name/,
    async mend(day) {
      await day.remakeRole();
      await day.command('reconcile', role);
    },
    mended: /ready/,
  },
  {
    why: 'a file that is no YAML',
    inject: (day) => day.tree.put('broken.yaml', 'kind: ['),
    object: 'broken.yaml',
    cause: /invalid YAML/,
    remedy: /Correct the file/,
    part: '#files',
    mend: (day) => day.tree.remove('broken.yaml'),
    mended: /problem solved/,
  },
  {
    why: 'a state directory whose disk is full',
    inject(day) {
      day.disk?.full(true);
      day.tree.put('cache.yaml', volume('cache', { mountOptions: { fsType: 'xfs' } }));
    },
    object: '.holdfast',
    cause: /StateUnavailable|can't be written/,
    remedy: /Check the free space/,
    part: '#summary',
    mend(day) {
      day.disk?.full(false);
      day.tree.put('cache.yaml', volume('cache'));
    },
    mended: /the state can be written again/,
  },
  {
    why: 'a name that another object has outside',
    async inject(day) {
      await day.scheduler.service.call('PUT', '/v1/volume/csi/taken/create', {
        Volumes: [
          {
            ID: 'taken',
            Name: 'taken',
            PluginID: 'hostpath',
            RequestedCapabilities: [{ AccessMode: 'single-node-writer', AttachmentMode: 'file-system' }],
          },
        ],
      });
      day.tree.put('taken.yaml', volume('taken'));
    },
    object: of('taken'),
    cause: /AdoptionRefused[^]*it exists and is not ours/,
    remedy: /another external name/,
    mend: (day) => day.tree.put('taken.yaml', volume('taken', { adoptionPolicy: 'Adopt' })),
    mended: /ready/,
  },
  {
    why: 'a directory that does not take the bind password',
    async inject(day) {
      day.bindPassword('canary-wrong-bind-0c3f');
      await day.command('rotate', role);
    },
    object: role,
    cause: /DirectoryError[^]*Invalid Credentials/,
    remedy: /bind credentials/,
    mend: (day) => day.bindPassword(),
    mended: /ready/,
  },
  {
    why: 'more objects removed at once than the limit lets go',
    inject: (day) => many.forEach((name) => day.tree.remove(`${name}.yaml`)),
    object: of('logs'),
    cause: /DeletionLimitExceeded[^]*approve/,
    remedy: /holdfast approve/,
    mend: (day) => many.forEach((name) => day.tree.put(`${name}.yaml`, volume(name))),
    mended: /ready|withdrawn/,
  },
];

describe.skipIf(executablePath === undefined)('in a browser (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch();
  });
  afterAll(() => browser.close());

  test('each fault is named by its object, cause and remedy, and told as mended', async () => {
    const day = await FaultyDay.begin(browser);
    for (const fault of faults) {
      if (fault.part === '#summary' && !day.disk) continue; // who may not mount has no full disk
      const { inject, mend, mended, ...named } = fault;
      const before = day.mark;
      await inject(day);
      await day.logNames(before, named);
      await day.pageNames(named);
      const spoilt = day.mark;
      await mend(day);
      await day.logSays(spoilt, named.object, mended);
      await day.pageIsWell(named);
    }
    expect(await day.end()).toBe(0);
  }, 900_000);
});
