"""A client of the scheduler's API, and what a volume looks like there."""
import hashlib
import json

import aiohttp

UNITS = {'Ki': 2**10, 'Mi': 2**20, 'Gi': 2**30, 'Ti': 2**40, 'Pi': 2**50}


class Client:
    """Shares its connections among all who use it."""

    def __init__(self, base, token, connections):
        self.base = base
        self.session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=connections),
            headers={'X-Cluster-Token': token, 'Accept-Encoding': 'identity'},
            timeout=aiohttp.ClientTimeout(total=None, sock_read=30),
        )

    async def close(self):
        await self.session.close()

    async def probe(self):
        """Asks what a connection's health is made of."""
        for path in ('status/leader', 'volumes?type=csi&namespace=default&per_page=1', 'agent/self'):
            async with self.session.get(f'{self.base}/v1/{path}') as response:
                response.raise_for_status()
                await response.read()

    async def volume(self, name):
        """None where there is none."""
        async with self.session.get(f'{self.base}/v1/volume/csi/{name}?namespace=default') as response:
            text = await response.read()
            if response.status == 404:
                return None
            response.raise_for_status()
            return json.loads(text)

    async def create(self, volume):
        url = f"{self.base}/v1/volume/csi/{volume['ID']}/create?namespace=default"
        async with self.session.put(url, json={'Volumes': [volume]}) as response:
            await response.read()
            response.raise_for_status()


def quantity(text):
    text = str(text)
    return int(text[:-2]) * UNITS[text[-2:]] if text[-2:] in UNITS else int(text)


def applied_of(spec):
    """What the volume shall be, in the scheduler's terms."""
    create, mount = spec['create'], spec.get('mountOptions', {})
    return {
        '/pluginID': spec['pluginID'],
        '/capabilities': [dict(one) for one in spec['capabilities']],
        '/create/capacity/min': quantity(create['capacity']['min']),
        '/create/capacity/max': quantity(create['capacity'].get('max', 0)),
        '/create/parameters': dict(create.get('parameters', {})),
        '/mountOptions/fsType': mount.get('fsType'),
        '/mountOptions/mountFlags': list(mount.get('mountFlags', [])),
    }


def name_of(name, uid, applied):
    """The name that the plugin gives the disk: of this object, and no other."""
    forces = json.dumps([uid, applied['/pluginID'], applied['/create/parameters']], sort_keys=True)
    return f'{name}-{hashlib.sha256(forces.encode()).hexdigest()[:20]}'


def request_of(name, uid, applied):
    return {
        'ID': name,
        'Name': name_of(name, uid, applied),
        'Namespace': 'default',
        'PluginID': applied['/pluginID'],
        'RequestedCapabilities': [
            {'AccessMode': one['accessMode'], 'AttachmentMode': one['attachmentMode']} for one in applied['/capabilities']
        ],
        'MountOptions': {'FsType': applied['/mountOptions/fsType'], 'MountFlags': applied['/mountOptions/mountFlags']},
        'Secrets': {},
        'RequestedCapacityMin': applied['/create/capacity/min'],
        'RequestedCapacityMax': applied['/create/capacity/max'],
        'Parameters': applied['/create/parameters'],
    }


def capabilities_of(live):
    return [
        {'accessMode': one['AccessMode'], 'attachmentMode': one['AttachmentMode']} for one in live['RequestedCapabilities']
    ]


def differences(applied, live):
    """The fields that are not as declared. Mount flags are never answered."""
    have = {
        '/pluginID': live['PluginID'],
        '/capabilities': capabilities_of(live),
        '/create/capacity/min': live['RequestedCapacityMin'],
        '/create/capacity/max': live['RequestedCapacityMax'],
        '/create/parameters': live['Parameters'],
        '/mountOptions/fsType': live['MountOptions']['FsType'],
    }
    return [field for field, value in have.items() if applied[field] != value]
