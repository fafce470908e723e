// scheduler-api.md, "Volumes (CSI)": what reads.
import { codeIn, endpoint, parameters, said, testsIn, type Section } from '../../item.ts';

const headers = codeIn('api/dialects.ts');
const volumes = codeIn('embedded/scheduler/volumes/reads.ts');
const lists = codeIn('embedded/scheduler/provider/lists.ts');
const endpoints = codeIn('embedded/scheduler/http/endpoints.ts');

const reads = testsIn('contract/read-cases.ts');
const claims = testsIn('contract/claim-cases.ts');
const external = testsIn('contract/external-cases.ts');
const conventions = testsIn('contract/convention-cases.ts');
const acl = testsIn('contract/acl-cases.ts');

const denied = (row: string) =>
  acl('$route: who lacks just what it needs is denied, and nothing happens', row);
const blocks = (path: string) =>
  conventions('%s tells the index, also of what is not there, and waits for the next', path);
const backlist = 'what was created reads back, without its secrets and as large as the provider made it';
const pages = 'in namespace %s pages cover the list once, in order';

const oneVolume = 'the namespace of a read is taken literally: * finds nothing';

export const listVolumes: Section = {
  title: 'List Volumes',
  items: [
    ...endpoint('volume.list', 'GET /v1/volumes', {
      blocking: blocks('/v1/volumes?type=csi'),
      acl: 'namespace:csi-list-volume',
      aclTest: denied('GET /v1/volumes'),
      test: reads(pages, '*'),
    }),
    said('`type`: only `csi`; without one an empty list', {
      client: { op: 'volume.list' },
      embedded: volumes('list'),
      test: reads('a list without a type is empty, one of another type does not exist'),
    }),
    ...parameters('volume.list', volumes('selection'), {
      node_id: ['prefix of a node’s ID', claims('a list by node holds what allocations there ask for')],
      plugin_id: [
        'prefix of a plugin’s ID',
        reads('plugin_id is exact or a prefix, by dialect; an unknown plugin has no volumes'),
      ],
      next_token: ['from the header of the page before', reads(pages, '*'), volumes('rows')],
      per_page: ['by default all', reads(pages, '*'), codeIn('embedded/http/query.ts')('perPage')],
      filter: ['expression', reads('filters select by stored fields, before pages are cut')],
      namespace: ['default `default`, `*` for all', reads(pages, 'default'), endpoints('namespaceOf')],
    }),
    said('header `X-Cluster-NextToken`', {
      client: headers('nextToken'),
      embedded: codeIn('embedded/scheduler/http/paging.ts')('page'),
      test: reads(pages, '*'),
    }),
  ],
};

export const readVolume: Section = {
  title: 'Read Volume',
  items: [
    ...endpoint('volume.read', 'GET /v1/volume/csi/<volume_id>', {
      blocking: blocks('/v1/volume/csi/absent'),
      acl: 'namespace:csi-read-volume',
      aclTest: denied('GET /v1/volume/csi/{id}'),
      test: reads(backlist),
    }),
    ...parameters('volume.read', volumes('readOne'), {
      id: ['the full ID', reads(oneVolume)],
      namespace: ['default `default`', reads(oneVolume), endpoints('namespaceOf')],
    }),
  ],
};

const paged = 'plugin_id is exact or a prefix, by dialect; pages go through all that it names';

export const listExternal: Section = {
  title: 'List External Volumes',
  items: [
    ...endpoint('volume.external', 'GET /v1/volumes/external', {
      blocking: external(
        'what is wrong with a disk is told by plugins that can, and wakes a list that waits',
      ),
      acl: 'namespace:csi-write-volume',
      aclTest: denied('GET /v1/volumes/external'),
      test: external('a disk is listed by its external ID, whether it is registered or not'),
    }),
    said('needs the capability `LIST_VOLUMES`', {
      client: codeIn('api/scheduler/refusals.ts')('refusal'),
      embedded: lists('page'),
      test: external('a plugin that can not list says so'),
    }),
    ...parameters('volume.external', lists('page'), {
      plugin_id: ['prefix of a plugin’s ID', external(paged)],
      next_token: ['from the page before', external(paged)],
      per_page: ['required', external('a size of the page is needed by the documents, and not really')],
    }),
    said('reply: `NextToken`', {
      client: codeIn('api/scheduler/decode.ts')('decode'),
      embedded: lists('listed'),
      test: external(paged),
    }),
    said('reply: `Volumes` list', {
      client: { op: 'volume.external' },
      embedded: codeIn('embedded/scheduler/volumes/external.ts')('shown'),
      test: external('a disk is listed by its external ID, whether it is registered or not'),
    }),
  ],
};
