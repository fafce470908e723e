// The version of a volume: equal in a list and in a read until something changes that a declared volume observes. PURE.

/** As the scheduler lists and reads it. The health of the plugin moves no index, and belongs to the version. */
interface Volume {
  readonly ModifyIndex: number;
  readonly Schedulable?: boolean;
  readonly ControllersHealthy?: number;
  readonly ControllersExpected?: number;
  readonly NodesHealthy?: number;
  readonly NodesExpected?: number;
}

/** Begins with the state index. Holds no space at its end. */
export const volumeVersion = (v: Volume): string =>
  `${v.ModifyIndex} ${v.Schedulable ?? ''} ${v.ControllersHealthy ?? ''}/${v.ControllersExpected ?? ''} ${v.NodesHealthy ?? ''}/${v.NodesExpected ?? ''}`;
