// What is mutated, and which tests have to notice. The one place to change when files come, go or move.

export interface Group {
  /** Files under src/, without the ending. */
  readonly files: readonly string[];
  /**
   * Patterns of test files under test/, without the ending. Few and quick, because every mutant waits for them: no thread, no
   * process, no server, no clock of the wall.
   */
  readonly tests: readonly string[];
}

const below = (folder: string, names: string): readonly string[] =>
  names.split(' ').map((name) => `${folder}/${name}`);

/** The destructive core: what decides that something is destroyed, whose it is, and when. */
export const groups: readonly Group[] = [
  {
    files: [
      ...below(
        'core/planning',
        'absent diff kept made-here removal planner remedy unknown next-status plan policy awaited rollout',
      ),
      ...below('core/status', 'condition outcome'),
    ],
    tests: [
      'core/*',
      'core/{kind,planning,status,text,time}/*',
      'kinds/csi-volume/{half-updated,removal-kept,waiting-edit}',
    ],
  },
  { files: below('core/planning', 'saved-plan'), tests: ['core/planning/saved-plan'] },
  {
    files: below('core/planning', 'deletion-limits'),
    tests: ['core/planning/{deletion-limits,deletion-limits-expiry}'],
  },
  { files: below('core/status', 'view'), tests: ['web/view'] },
  {
    files: below('controller/connections', 'connections'),
    tests: ['controller/connections/connections', 'controller/reconcile/closing'],
  },
  {
    files: below('controller/reconcile', 'endings'),
    tests: ['controller/awaiting', 'controller/reconcile/{endings,endings-left,resume}'],
  },
  { files: below('controller/reconcile', 'resume'), tests: ['controller/reconcile/resume'] },
  {
    files: [
      ...below(
        'controller/reconcile',
        'claims decision holders kinship preconditions moves reconciler resolve',
      ),
      ...below('controller/index', 'external-owners'),
    ],
    tests: ['controller/*', 'controller/{index,reconcile}/*'],
  },
  {
    files: [
      ...below('controller/reconcile', 'declarers deletions destruction intent'),
      ...below('controller/index', 'unvisited'),
    ],
    tests: ['controller/*', 'controller/{index,reconcile}/*'],
  },
  { files: below('kinds/csi-volume', 'claims'), tests: ['kinds/csi-volume/{claim-shapes,claims,plan}'] },
  {
    files: below('kinds/csi-volume', 'body disk plan removal'),
    tests: [
      'kinds/csi-volume/{abnormal,absent-awaited,body,claim-shapes,claims,coming-back,disk,displaced,foreign-awaited,half-known,half-replaced-without-source,half-updated,lost-create,lost-retirement-awaited,observing,plan,plan-replacing,plan-requests,recorded,removal,removal-kept,replaced-from-snapshot,shape,snapshot-source,unseen-journey,waiting-edit}',
    ],
  },
  { files: below('kinds/csi-volume', 'shape'), tests: ['kinds/csi-volume/shape'] },
  {
    files: below('kinds/csi-volume', 'kind'),
    tests: [
      'kinds/csi-volume/{abnormal,absent-awaited,body,claim-shapes,claims,coming-back,disk,displaced,foreign-awaited,half-known,half-replaced-without-source,half-updated,lost-create,lost-retirement-awaited,observing,plan,plan-replacing,plan-requests,recorded,removal,removal-kept,replaced-from-snapshot,shape,snapshot-source,unseen-journey,waiting-edit}',
      'schema/scheduler/csi-plugins',
      'kinds/uses',
    ],
  },
  { files: below('schema/scheduler', 'csi-plugins'), tests: ['schema/scheduler/csi-plugins'] },
  {
    files: below('schema/scheduler', 'csi-secrets'),
    tests: ['kinds/csi-snapshot/{plan,plan-words,schema}', 'kinds/csi-volume/body'],
  },
  {
    files: below('kinds/csi-snapshot', 'body own plan'),
    tests: [
      'kinds/csi-snapshot/{disturbance,identity,observing,own,plan,plan-words,quiesce,quiesce-ends,told}',
    ],
  },
  { files: below('kinds/csi-snapshot', 'descent'), tests: ['kinds/csi-snapshot/descent'] },
  { files: below('kinds/csi-snapshot', 'listing'), tests: ['kinds/csi-snapshot/listing'] },
  {
    files: below('kinds/csi-snapshot', 'kind report'),
    tests: [
      'kinds/csi-snapshot/{closing,hooks-told,identity,observing,plan,plan-words,told}',
      'schema/scheduler/csi-plugins',
      'kinds/uses',
    ],
  },
  {
    files: below('kinds/ldap-config', 'act destination plan root'),
    tests: [
      'kinds/ldap-config/{accounts,another-server,body,credential-type,long-identity,lost-password,outputs,password-with-dn,plan,plan-words,root,rotate-another,swapped-certificate,user-attribute}',
    ],
  },
  {
    files: below('kinds/csi-snapshot-schedule', 'retention'),
    tests: ['kinds/csi-snapshot-schedule/*'],
  },
  {
    files: below('kinds/ldap-config', 'body'),
    tests: [
      'kinds/ldap-config/{accounts,another-server,body,credential-type,long-identity,lost-password,outputs,password-with-dn,plan,plan-words,root,rotate-another,swapped-certificate,user-attribute}',
    ],
  },
  {
    files: below(
      'kinds/ldap-static-role',
      'consumers hindrances overdue plan publication rejection rotation notification',
    ),
    tests: [
      'kinds/ldap-static-role/{account-shared,apart-lost,apart-restarting,apart-started,bind-lockout,clock-set-back,consumers,earlier,earlier-catching-up,earlier-known,earlier-proof,earlier-restored-late,earlier-telling,earlier-twice,earlier-unreachable,entry,ignored,lateness,lock-out,made-elsewhere,notification,notification-words,output,overdue,plan,plan-words,publication,refused-telling,rejected-telling,rotated-elsewhere,rotation,seen,sent,telling-goes-on,turns,workloads}',
    ],
  },
  { files: below('schema', 'rows'), tests: ['schema/rows'] },
  { files: below('schema/scheduler', 'allocations'), tests: ['schema/scheduler/allocations'] },
  { files: below('schema/scheduler', 'allocation-actions'), tests: ['schema/scheduler/allocation-actions'] },
  {
    files: below('kinds/csi-snapshot', 'consistency disturbance quiesce'),
    tests: ['kinds/csi-snapshot/{disturbance,hooks-told,quiesce,quiesce-ends,quiesce-tasks,thaw-refused}'],
  },
  {
    files: below('kinds/oidc-config', 'body plan'),
    tests: ['kinds/oidc-config/{body,plan,rules,secret-with-issuer}'],
  },
  { files: below('kinds/oidc-role', 'body plan'), tests: ['kinds/oidc-role/{body,plan,rules}'] },
  {
    files: below('kinds/kms-provider', 'body credentials plan'),
    tests: ['kinds/kms-provider/{body,credentials,plan,sent}'],
  },
  {
    files: below('kinds/allocation-action', 'calls own plan progress'),
    tests: ['kinds/allocation-action/{calls,calls-on,own,plan,plan-words}'],
  },
  {
    files: below('sources/directory/state', 'deletion-log distrust row'),
    tests: [
      'sources/directory/state/{deletion-log,distrust,row,row-declared-again,row-generated,row-restored}',
    ],
  },
  {
    files: [
      ...below('sources/directory/tree', 'emptied'),
      ...below('sources/directory/state', 'generation restored'),
    ],
    tests: ['sources/directory/state/{distrust-noted,generation}', 'sources/directory/tree/emptied'],
  },
  {
    files: below('sources/directory', 'outputs place'),
    tests: ['sources/directory/{outputs,outputs-remains,outputs-sweep,outputs-trial}'],
  },
  {
    files: below('sources/directory', 'removal-debounce'),
    tests: ['sources/directory/{removal-debounce,source-leaving,source-quiet,source-removal}'],
  },
  {
    files: below('sources/kubernetes', 'deletion-debounce recent-deletions wire'),
    tests: [
      'sources/kubernetes/{deletion-debounce,put-back,recent-deletions,starved,status-body,wire,wire-doubt,wire-kept}',
    ],
  },
];

export const sourceOf = (file: string): string => `src/${file}.ts`;
