// CSIVolume: the volumes of a Terraform state, for `holdfast import`.
import { isRecord } from '../../core/json.ts';
import { bytes } from '../../schema/parts.ts';
import {
  at,
  block,
  blocks,
  FromSecret,
  isUnset,
  type ResourceType,
  type Said,
} from '../../schema/terraform.ts';
import { fields } from './schema.ts';

const capability = (one: unknown) => ({
  accessMode: at(one, 'access_mode'),
  attachmentMode: at(one, 'attachment_mode'),
});

/**
 * Newer providers tell the ID of the disk: it is then registered, and how it was made no longer matters. Older ones do not,
 * so it is declared as Terraform declared it.
 */
const made =
  (written: (value: unknown) => unknown, unless?: string) =>
  (value: unknown, attributes: Readonly<Record<string, unknown>>): unknown =>
    isUnset(attributes['external_id']) && (unless === undefined || isUnset(attributes[unless]))
      ? written(value)
      : undefined;

/** Terraform takes sizes such as `10 GiB`, `1.5TB` and `10gb`. @returns bytes, or the value as it is */
function size(value: unknown): unknown {
  if (typeof value === 'number') return shortest(value);
  const found = typeof value === 'string' ? /^([\d,]*\.?\d+) *([kmgtp]?)(i?)b?$/i.exec(value.trim()) : null;
  if (!found) return value;
  const [, digits = '', prefix = '', binary = ''] = found;
  const power = ['', 'k', 'm', 'g', 't', 'p'].indexOf(prefix.toLowerCase());
  const unit = (binary === '' ? 1000 : 1024) ** power;
  const whole = Math.trunc(Number(digits.replaceAll(',', '')) * unit);
  return shortest(whole);
}

const suffixes = ['k', 'M', 'G', 'T', 'P', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];

/** As people write it: `10Gi` for 10737418240. */
function shortest(whole: number): string | number {
  const texts = suffixes.flatMap((suffix) => {
    const unit = bytes(`1${suffix}`);
    return whole >= unit && whole % unit === 0 ? [`${whole / unit}${suffix}`] : [];
  });
  return texts.toSorted((a, b) => a.length - b.length)[0] ?? whole;
}

/** Flags can hold passwords. These have no value, or one that is a number or a version. */
const plainFlag = /^[a-z_]+$|^[a-z_]*(vers|uid|gid|size|mode|timeo|retrans|commit)=[0-9.]+$/;

function mountOptions(value: unknown, _: unknown, isSensitive: boolean): Said {
  const flags = block(value, 'mount_flags');
  const isPlain =
    Array.isArray(flags) && flags.every((flag) => typeof flag === 'string' && plainFlag.test(flag));
  const isSaid = isUnset(flags) || (isPlain && !isSensitive);
  return {
    fields: {
      '/mountOptions/fsType': block(value, 'fs_type'),
      '/mountOptions/mountFlags': isSaid ? flags : undefined,
    },
    lost: [
      ...(isSaid ? [] : ['mount_flags']),
      ...(isUnset(block(value, 'mount_flags_wo_version')) ? [] : ['mount_flags_wo']),
    ],
  };
}

const segments = (value: unknown, which: string) =>
  blocks(block(block(value, which), 'topology'), (one) => at(one, 'segments'));

function topology(value: unknown, _: unknown, isSensitive: boolean): Said {
  if (isSensitive) return { fields: {}, lost: ['required', 'preferred'] };
  return {
    fields: {
      '/topology/required': segments(value, 'required'),
      '/topology/preferred': segments(value, 'preferred'),
    },
  };
}

function secrets(value: unknown): unknown {
  if (!isRecord(value)) return undefined;
  return Object.fromEntries(Object.keys(value).map((key) => [key, new FromSecret('csi', key)]));
}

export const resources: ResourceType = {
  names: ['nomad_csi_volume', 'nomad_csi_volume_registration', 'nomad_volume', 'nomad_external_volume'],
  provider: 'nomad',
  table: fields,
  name: ['volume_id', '', 'externalName'],
  needs: ['external_id', 'capacity_min', 'capacity'],
  attributes: {
    plugin_id: '/pluginID',
    external_id: '/register/externalID',
    capability: ['/capabilities', (value) => blocks(value, capability)],
    // The older types have one capability, as attributes of the volume.
    access_mode: [
      '/capabilities',
      (_, attributes) => (isUnset(attributes['capability']) ? [capability(attributes)] : undefined),
    ],
    capacity_min: ['/create/capacity/min', made(size)],
    capacity: ['/create/capacity/min', made(size, 'capacity_min')],
    capacity_max: ['/create/capacity/max', made(size)],
    parameters: ['/create/parameters', made((value) => value)],
    snapshot_id: ['/create/snapshotID', made((value) => value)],
    mount_options: mountOptions,
    topology_request: topology,
    secrets: (value) => ({ fields: { '/secrets': secrets(value) } }),
  },
  always: { deletionPolicy: 'Retain' },
  unread: [
    'attachment_mode',
    'id',
    'name',
    'type',
    'schedulable',
    'topologies',
    'capacity_min_bytes',
    'capacity_max_bytes',
    'controller_required',
    'controllers_expected',
    'controllers_healthy',
    'nodes_expected',
    'nodes_healthy',
    'plugin_provider',
    'plugin_provider_version',
    'timeouts',
    // What Terraform does when its own resource goes; a manifest keeps the volume.
    'deregister_on_destroy',
  ],
};
