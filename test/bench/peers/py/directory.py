"""What Holdfast does with the CSIVolumes of a directory, in kopf's way: the benchmarks' peer in Python.

Kopf's own watcher and workers (a queue and a task for each object) are fed with the objects of the directory, in the place of
a cluster's events; its handlers would write to an API server. SQLite keeps what has to survive a crash.

Run: python directory.py DIRECTORY --state FILE [--connections N]
"""
import argparse
import asyncio
import hashlib
import json
import os
import sys
import uuid

import yaml
from kopf._cogs.clients import watching
from kopf._cogs.configs.configuration import OperatorSettings
from kopf._cogs.structs.references import Resource
from kopf._core.reactor import queueing

import scheduler
import statuses
import usage
from store import Store

ACCESS = {'single-node-reader-only', 'single-node-writer', 'multi-node-reader-only', 'multi-node-single-writer',
          'multi-node-multi-writer'}
ATTACHMENT = {'file-system', 'block-device'}
KIND = Resource(group='holdfast.dev', version='v1alpha1', plural='csivolumes', kind='CSIVolume', namespaced=True,
                verbs=frozenset(), preferred=True)


def read(root):
    """Documents by kind, in the order of their paths."""
    found = {'Installation': [], 'SchedulerConnection': [], 'Secret': [], 'CSIVolume': []}
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            if name.endswith('.yaml'):
                with open(os.path.join(folder, name), encoding='utf8') as file:
                    for document in yaml.load_all(file, Loader=yaml.CSafeLoader):
                        found[document['kind']].append(document)
    return found


def check(spec):
    """What the schema of the CRD checks in a cluster."""
    if unknown := set(spec) - {'connectionRef', 'pluginID', 'create', 'capabilities', 'mountOptions'}:
        raise ValueError(f'unknown fields {unknown}')
    if not isinstance(spec['pluginID'], str) or not 1 <= len(spec['pluginID']) <= 128:
        raise ValueError('pluginID: expected 1 to 128 characters')
    if not 1 <= len(spec['capabilities']) <= 16:
        raise ValueError('capabilities: expected 1 to 16')
    for one in spec['capabilities']:
        if one['accessMode'] not in ACCESS or one['attachmentMode'] not in ATTACHMENT:
            raise ValueError(f'capabilities: {one}')
    capacity = spec['create']['capacity']
    least = scheduler.quantity(capacity['min'])
    if least <= 0 or scheduler.quantity(capacity.get('max', least)) < least:
        raise ValueError(f'create.capacity: {capacity}')


class Volume:
    """A declared volume, and what is remembered of it."""

    def __init__(self, installation, document, kept):
        self.document, self.meta, self.spec = document, document['metadata'], document['spec']
        check(self.spec)
        self.key = f"{self.meta['namespace']}/{self.meta['name']}"
        self.hash = hashlib.sha256(json.dumps(self.spec, sort_keys=True).encode()).hexdigest()
        generation, digest, self.intent, self.status = kept.get(self.key, (0, '', '', {}))
        self.has_changed = digest != self.hash
        self.meta['generation'] = generation + 1 if self.has_changed else generation
        self.meta['uid'] = str(uuid.uuid5(uuid.NAMESPACE_OID, f'{installation}/{self.key}'))


async def reconcile(volume, client, store):
    meta, spec, status = volume.meta, volume.spec, volume.status
    applied = scheduler.applied_of(spec)
    name = scheduler.name_of(meta['name'], meta['uid'], applied)
    live = await client.volume(meta['name'])
    history = list(status.get('history', []))
    if live is None:
        intent = json.dumps({'op': 'create', 'uid': meta['uid'], 'name': name, 'applied': applied})
        if volume.intent != intent:
            await store.intend(volume.key, intent)
        await client.create(scheduler.request_of(meta['name'], meta['uid'], applied))
        what = f"create {meta['name']} with {spec['pluginID']}"
        history.append({'at': statuses.now(), 'verb': 'create', 'what': what, 'fields': list(applied)})
        live = await client.volume(meta['name'])
    if live['Name'] != name:
        raise RuntimeError(f"{meta['name']} exists and is not ours")
    if fields := scheduler.differences(applied, live):  # no benchmark has this peer update a volume
        raise RuntimeError(f'{fields} differ')
    volume.status = statuses.observed(meta, status, live, applied, history, client.base)
    if volume.status != status:
        await store.remember(volume.key, volume.status)


async def by_kopf(volumes, process):
    """Ends once all of them are processed. Raises what the processing of one raised."""
    left = len(volumes)
    done = asyncio.get_running_loop().create_future()
    by_uid = {volume.meta['uid']: volume for volume in volumes}

    async def events(**_):
        for volume in volumes:
            yield {'type': 'ADDED', 'object': volume.document}
        yield watching.Bookmark.LISTED
        await asyncio.Event().wait()

    async def processor(*, raw_event, **_):
        nonlocal left
        try:
            await process(by_uid[raw_event['object']['metadata']['uid']])
            left -= 1
            if left == 0:
                done.set_result(None)
        except Exception as error:
            if not done.done():
                done.set_exception(error)

    watching.infinite_watch = events
    watcher = asyncio.create_task(
        queueing.watcher(namespace=None, settings=OperatorSettings(), resource=KIND, processor=processor))
    await asyncio.wait({watcher, done}, return_when=asyncio.FIRST_COMPLETED)
    (done if done.done() else watcher).result()
    watcher.cancel()
    await asyncio.gather(watcher, return_exceptions=True)


async def run(root, state, connections):
    store = Store(state)
    kept = store.load()
    found = read(root)
    installation = found['Installation'][0]['metadata']['name']
    volumes = [Volume(installation, document, kept) for document in found['CSIVolume']]
    await asyncio.gather(*(
        store.declare(one.key, one.meta['uid'], one.meta['generation'], one.hash, one.spec) for one in volumes if one.has_changed))
    spec, secret = found['SchedulerConnection'][0]['spec'], found['Secret'][0]
    client = scheduler.Client(spec['addresses'][0], secret['stringData'][spec['auth']['tokenSecretRef']['key']], connections)
    try:
        await client.probe()
        await by_kopf(volumes, lambda volume: reconcile(volume, client, store))
    finally:
        await client.close()
        await store.close()
    json.dump({'objects': [row(volume) for volume in volumes]}, sys.stdout, indent=2)


def row(volume):
    ready = next(c for c in volume.status['conditions'] if c['type'] == 'Ready')
    return {'kind': 'CSIVolume', 'namespace': volume.meta['namespace'], 'name': volume.meta['name'], 'ready': ready['status'],
            'reason': ready['reason'], 'done': [entry['what'] for entry in volume.status['history']]}


if __name__ == '__main__':
    parser = argparse.ArgumentParser()
    parser.add_argument('directory')
    parser.add_argument('--state', required=True)
    parser.add_argument('--connections', type=int, default=56)
    options = parser.parse_args()
    asyncio.run(run(options.directory, options.state, options.connections))
    usage.report()
