// Every condition type and every reason that Holdfast writes, with its cause and remedy. The compiler rejects any other.
// docs/reference/reasons.md and the status page are generated from these tables.

export const conditionTypes = {
  Ready: 'The object can be used.',
  Synced: 'The external object is as declared.',
  Reconciling: 'Holdfast works on the object, or waits for something and then continues by itself.',
  Stalled: 'The object needs a person. Holdfast makes no progress until something is changed.',
  Schedulable: 'The scheduler can place allocations that use the volume.',
  Abnormal: 'The storage provider reports a problem with the volume.',
  EventStream: 'Holdfast reads the event stream of the scheduler, and sees changes at once.',
  PermissionsSufficient: 'The token of the connection may do all that what is declared comes to.',
  RotationVerified: 'The last password rotation is complete: the new password works and is published.',
  ConsumersNotified: 'Every consumer was told of the last password rotation.',
  CredentialsWritten:
    'Holdfast wrote the declared credentials. The service shows none, and does not tell whether it uses them.',
  DiscoverySucceeded:
    'The issuer, asked by Holdfast itself, says of itself what logins need. Only where `probeHosts` of the connection allows its host, or where the service says that its configuration is invalid.',
  FieldsKept: 'Fields stay as they were, although they are declared otherwise or no longer.',
  LoginAtRisk: 'The declaration breaks a rule of its identity provider, so some logins fail or lack groups.',
  LoginVerified: 'The service began a login, and the identity provider took it: `spec.loginCheck`.',
  SnapshotReady: 'The snapshot is complete, and volumes can be made from it.',
  Consistent: 'Those who write to the volume were frozen while the snapshot was taken.',
  RestoreVerified: 'The last restore drill succeeded: a volume was made from a snapshot, and verified.',
  WorkloadFrozen: 'What was frozen for the snapshot may still be.',
  Failed: 'The action has ended without success, and is never repeated.',
  RootPasswordOwned: 'The secrets service rotated the bind password. Nobody else knows it.',
} as const;

export type ConditionType = keyof typeof conditionTypes;

interface Explanation {
  /** The conditions that may have this reason. Empty: none; it appears in `holdfast get`, the status page or the log. */
  readonly conditions: readonly ConditionType[];
  readonly cause: string;
  readonly remedy: string;
}

const nowhere = [] as const;
const waiting = ['Ready', 'Synced', 'Reconciling'] as const;
const stalled = ['Ready', 'Synced', 'Stalled'] as const;
/** Stalled if a person must act, Reconciling if it may pass. */
const either = ['Ready', 'Synced', 'Reconciling', 'Stalled'] as const;

/** What Holdfast asks an issuer itself. */
const asked = ['DiscoverySucceeded', 'LoginVerified'] as const;

/** The whole remedy of what asks nothing of a person. */
export const nothing = 'You need to do nothing.';
const retried = 'Holdfast tries again by itself.';

export const reasons = {
  AccessDenied: {
    conditions: stalled,
    cause: 'The connection, or the object that is referred to, does not allow this object to use it.',
    remedy:
      'Add the namespace, the kind and the external name to `spec.access` of the connection. Use `holdfast orphan` to let go of an object that is to be deleted, and keep what is outside.',
  },
  AccountConflict: {
    conditions: stalled,
    cause:
      'Another `LDAPStaticRole` is for the same entry of the same directory. Each would set a password that the other does not know.',
    remedy:
      'Delete one of the two, or give one of them another `dn`. One role may be published for several readers.',
  },
  AccountShared: {
    conditions: stalled,
    cause:
      'An `LDAPConfig` binds with the account whose password `rotate-root` of another one, a new role, or a `rotate` of one would set. It could not know that password.',
    remedy:
      'Give each configuration an account of its own, then the rotation is made. Or take the request, or the role, back.',
  },
  ActionExpired: {
    conditions: ['Ready', 'Synced', 'Stalled', 'Failed'],
    cause: 'The action had not begun by its `notAfter`. Nothing was done.',
    remedy: 'If it is still wanted, declare another one with a later time.',
  },
  ActionFailed: {
    conditions: ['Ready', 'Synced', 'Stalled', 'Failed'],
    cause: 'The action has ended. Of some allocations it failed, was not begun, or nobody knows.',
    remedy: 'See `status.own.results`. If more is to be done, declare another one.',
  },
  ActionInProgress: {
    conditions: waiting,
    cause: 'The action is being carried out, one wave after the other.',
    remedy: nothing,
  },
  ActionNotRepeated: {
    conditions: stalled,
    cause:
      'The object is a copy of an action that had begun, or was restored from a backup. What was done is not known.',
    remedy:
      'Declare another one; or remove the annotation `holdfast.dev/intent` and the finalizer, to have this one carried out.',
  },
  AdoptionRefused: {
    conditions: stalled,
    cause:
      'The external object exists already, and `adoptionPolicy` does not allow Holdfast to take it over.',
    remedy:
      'Set `adoptionPolicy` to `AdoptIfIdentical` or `Adopt`, or declare another external name. `holdfast adopt` takes over what is identical. Of what has the place of your own disk, the message says more.',
  },
  AlgorithmNotOffered: {
    conditions: ['Ready', 'DiscoverySucceeded'],
    cause: 'The issuer signs with none of the algorithms that logins take, so no login works.',
    remedy: 'Add an algorithm of the issuer to `spec.jwtSupportedAlgs`, or have the client sign with RS256.',
  },
  AllocationEnded: {
    conditions: waiting,
    cause: 'The allocation no longer runs.',
    remedy: 'Check why it ended. Holdfast continues with the allocations that run.',
  },
  AllocationNotFound: {
    conditions: waiting,
    cause: 'The scheduler does not know the allocation.',
    remedy: 'Check that the job runs, and that the token can read its namespace.',
  },
  AlreadyRegistered: {
    conditions: waiting,
    cause: 'A volume of this ID is registered already.',
    remedy: `${retried} If it lasts, remove the other registration or choose another \`externalName\`.`,
  },
  AnotherBindDN: {
    conditions: stalled,
    cause:
      'A `rotate-root` request is for the password of `bindDN`, and the service binds with another DN, which drift leaves as found.',
    remedy: 'Have `bindDN` corrected (`drift.mode`, `drift.ignore`), or declare the DN that is there.',
  },
  AnotherServer: {
    conditions: stalled,
    cause:
      'A bind password would be sent, or that of a role be set, and the service binds at another server than its `LDAPConfig` declares, or over a less protected connection; drift leaves that as found.',
    remedy:
      'Have the field that the message names corrected (`drift.mode`, `drift.ignore`), or declare what is there.',
  },
  AppliedUnverified: {
    conditions: ['Ready', 'Synced'],
    cause: 'Holdfast wrote what is declared, and the service does not show what it has.',
    remedy: nothing,
  },
  AwaitingRotation: {
    conditions: waiting,
    cause: 'The service never rotated the password of the role, so there is no password to publish.',
    remedy: 'Run `holdfast rotate`, or wait for the first rotation.',
  },
  AwaitingVisibility: {
    conditions: waiting,
    cause: 'The service confirmed a change, and its replies do not show the change yet.',
    remedy: `${nothing} Holdfast looks again every second, for at most 30 seconds.`,
  },
  BackendChanged: {
    conditions: stalled,
    cause:
      'The connection or the mount now points at another backend than the one where the external object is recorded.',
    remedy:
      'Restore the connection. If it is the same backend at a new address, set `backendID` of the connection to the value that the message names.',
  },
  BindPasswordMissing: {
    conditions: stalled,
    cause: 'A `reseed-root` request needs a declared bind password, and there is none.',
    remedy: 'Set `bindPasswordSecretRef`.',
  },
  BindPending: {
    conditions: ['RotationVerified'],
    cause: 'No bind with the new password has succeeded yet.',
    remedy: 'Wait. If it lasts, check that the directory can be reached and that `dn` is right.',
  },
  BindRejected: {
    conditions: waiting,
    cause: 'The directory rejects the new password of the role.',
    remedy:
      'Check `dn`, and the replication of the directory. Holdfast tries again after 5 seconds, 30 seconds, then every five minutes, so that no account is locked. `holdfast reconcile` tries at once.',
  },
  BindSucceeded: {
    conditions: ['RotationVerified'],
    cause: 'A bind with the new password succeeded.',
    remedy: nothing,
  },
  ChildConflict: {
    conditions: waiting,
    cause: 'An object that this one declares exists already, and somebody else made it.',
    remedy: 'Rename that object, or delete it.',
  },
  ClaimNotAnnounced: {
    conditions: ['LoginVerified'],
    cause:
      'A login begins. The issuer does not announce a claim that the role needs, and only a login tells whether it comes.',
    remedy:
      'Have the claim added at the identity provider, ask for the scope that brings it, or log in once and see. Some issuers announce few of their claims.',
  },
  ClientSecretRefused: {
    conditions: ['LoginVerified'],
    cause: 'The identity provider does not take the secret of the client, so no login ends.',
    remedy: 'Put the present secret of the client into the Secret; the OIDCConfig needs it, too.',
  },
  ClockSkewed: {
    conditions: ['LoginVerified'],
    cause:
      'A login begins. The clocks of the issuer and of Holdfast differ by more than a minute; if it is the clock of the secrets service, too, tokens are refused.',
    remedy: 'Set the clocks.',
  },
  ClusterUnavailable: {
    conditions: waiting,
    cause: 'The API server of the cluster can not be used, or does not know who Holdfast is.',
    remedy:
      'Check the API server, and the service account or kubeconfig of Holdfast. Holdfast tries again by itself.',
  },
  CommandNotFound: {
    conditions: stalled,
    cause: 'The task has no such command.',
    remedy: 'Correct the command, or add it to the image of the task.',
  },
  ConfidentialityRequired: {
    conditions: stalled,
    cause: 'The directory accepts binds over TLS only.',
    remedy: 'Use an `ldaps:` URL, or set `startTLS`.',
  },
  ConfigNotFound: {
    conditions: waiting,
    cause: 'The mount of the secrets service has no configuration.',
    remedy: 'Declare the `LDAPConfig` of the mount, or wait until it is ready.',
  },
  ConnectionNotReady: {
    conditions: waiting,
    cause:
      'The connection of the object is not ready, and Holdfast sent nothing; or it was edited or closed while a call was under way.',
    remedy: 'Read the conditions of the connection. The object continues once the connection is ready.',
  },
  CredentialNotReady: {
    conditions: waiting,
    cause: 'The credential that the service returns is not yet that of the last rotation.',
    remedy: `${nothing} Holdfast reads it again.`,
  },
  CredentialsNotDeclared: {
    conditions: ['CredentialsWritten'],
    cause:
      'No credentials are declared. The service takes them from its environment, or has an identity of its own at the key store.',
    remedy: 'Nothing, if the message names variables that the service has. Otherwise declare `credentials`.',
  },
  CredentialsUnknown: {
    conditions: ['CredentialsWritten'],
    cause:
      'Holdfast did not write the declared credentials, or did not hear whether they arrived, and the service shows none: the object was adopted, is only observed, or waits for something.',
    remedy:
      'If the service has other credentials, change one in its Secret: Holdfast then writes all of them.',
  },
  DeclarationUnreadable: {
    conditions: waiting,
    cause:
      'Holdfast can not tell what is declared: a file of the tree can not be read, or it changed meanwhile.',
    remedy: 'Correct the file that the message names. Holdfast reads the tree again by itself.',
  },
  Deleting: {
    conditions: nowhere,
    cause: 'The object is no longer declared, and its deletion is not finished.',
    remedy: nothing,
  },
  DeletionBlocked: {
    conditions: either,
    cause: 'The object is to be deleted, and something prevents that: the message says what.',
    remedy:
      'Remove what the message names: stop the allocations, delete the objects that refer to it, or resume it. Use `holdfast orphan` to let go of the object and keep what is outside.',
  },
  DeletionHeldBack: {
    conditions: ['Synced'],
    cause: 'The manifest of the object is gone. While other files can not be used, nothing is deleted.',
    remedy: 'Correct the files, of which the message names the first. `holdfast validate` lists all.',
  },
  DeletionLimitExceeded: {
    conditions: waiting,
    cause: 'More objects of the connection are to be deleted or replaced than its limits allow.',
    remedy: 'Check that all of them are meant, then run `holdfast approve` with the digest in the message.',
  },
  DeletionPending: {
    conditions: waiting,
    cause:
      'Holdfast does not know yet how many other objects are to be deleted, so it can not compare them with the limits.',
    remedy: `${nothing} If it lasts, correct the manifests and the objects that have errors.`,
  },
  DeletionUnconfirmed: {
    conditions: waiting,
    cause:
      'The object is to be deleted, and its last manifest could not be used. That one may have asked to keep it.',
    remedy: 'Put a valid manifest back, or run `holdfast approve` with the digest in the message.',
  },
  DependencyNotReady: {
    conditions: waiting,
    cause: 'An object, or a key of a Secret, that the spec refers to is missing or is not ready.',
    remedy: 'Create what the message names, or read its conditions.',
  },
  DetachUnsupported: {
    conditions: waiting,
    cause:
      'The scheduler detaches no volumes on request. It releases the claims of ended allocations by itself.',
    remedy: 'Wait, or stop the allocations that claim the volume.',
  },
  DialectMismatch: {
    conditions: waiting,
    cause: 'The embedded service speaks another dialect than the connection declares.',
    remedy: 'Change `dialect` of the connection, or start `holdfast dev` with another `--dialect`.',
  },
  DirectoryError: {
    conditions: waiting,
    cause: 'The LDAP directory, or the connection of the secrets service to it, failed.',
    remedy:
      'Check the URLs, certificates, bind credentials and `tlsMaxVersion` (tls12 unless set) of the `LDAPConfig`, and the directory itself.',
  },
  DirectoryUnreachable: {
    conditions: waiting,
    cause: 'Holdfast can not reach the LDAP directory to verify a password.',
    remedy: 'Check the network, the URLs and the certificates. Holdfast tries again by itself.',
  },
  DiscoveryUnavailable: {
    conditions: waiting,
    cause: 'The secrets service can not read the discovery document or the keys of the identity provider.',
    remedy: 'Check the discovery URL, and that the service can reach the identity provider.',
  },
  Drifted: {
    conditions: ['Synced'],
    cause: 'The external object differs from the spec, and `drift.mode` says that it is left as found.',
    remedy: 'Change the spec, change the external object, or set `drift.mode` to `Correct`.',
  },
  DrillFailed: {
    conditions: ['Ready', 'RestoreVerified'],
    cause:
      'The last restore drill failed: a snapshot could not be restored, the command did not accept what was restored, or that was not known in time. The message says which.',
    remedy:
      'Restore that snapshot by hand, and see whether its data are good. The next drill tries the newest snapshot by then.',
  },
  DrillPending: {
    conditions: ['Ready', 'RestoreVerified'],
    cause:
      'No restore drill has ended yet, or the next one is due and waits until nothing is left of the last one.',
    remedy:
      'Wait for the first: it begins once a snapshot is ready. For the next one, see the conditions of the CSIVolume that is named: mostly something claims it.',
  },
  EarlierRotation: {
    conditions: [...waiting, 'RotationVerified'],
    cause:
      'The service shows an earlier rotation than the one whose password is published: it was restored from a backup, or one of its servers lags behind. The published password is kept.',
    remedy:
      'Run `holdfast rotate`, which sets a new password. Holdfast publishes the earlier one if a bind with it succeeds (`verify.bind`); without a bind, the next rotation after it.',
  },
  EmbeddedNotRunning: {
    conditions: waiting,
    cause: 'The connection uses the embedded services, and none that speaks its dialect is running.',
    remedy: 'Start `holdfast dev`, with `--dialect nomad` for a connection of `dialect: nomad` or `vault`.',
  },
  EmbeddedNotTrusted: {
    conditions: waiting,
    cause: 'Holdfast does not trust the files that say where the embedded services are.',
    remedy: 'Correct the owner and the mode of the files that the message names.',
  },
  EmptyPassword: {
    conditions: stalled,
    cause: 'The password to verify is empty. A directory takes such a bind as anonymous.',
    remedy: 'Check the password policy of the `LDAPConfig`, then rotate the role.',
  },
  EndpointsMissing: {
    conditions: ['Ready', 'DiscoverySucceeded'],
    cause: 'The issuer does not name an endpoint that every login needs.',
    remedy: 'Check that `spec.discoveryURL` is that of an OpenID provider, or have the issuer corrected.',
  },
  EntryNotFound: {
    conditions: waiting,
    cause:
      'The directory has no entry, or more than one, for the role, or the service does not know the `userAttr` of its `LDAPConfig`.',
    remedy: 'Correct `dn`, `username` or `userAttr`, or create the entry. Holdfast tries again by itself.',
  },
  EventsDisabled: {
    conditions: nowhere,
    cause: 'The scheduler has no event stream. Holdfast sees changes by blocking queries.',
    remedy: 'Enable the event broker of the scheduler, if changes are to be seen sooner.',
  },
  ExternalNameChanged: {
    conditions: stalled,
    cause: 'The external object is recorded under another name than the one that is declared now.',
    remedy: 'Restore the name. For an external object of a new name, declare a new object.',
  },
  ExternalNameConflict: {
    conditions: stalled,
    cause: 'Another object manages the same external object.',
    remedy: 'Delete one of the two, or give one of them another `externalName`.',
  },
  ExternalNotFound: {
    conditions: either,
    cause:
      'The external object does not exist, and Holdfast makes none: the object is only observed (`managementPolicy: ObserveOnly`), or its spec names one that exists already.',
    remedy: 'Create the external object, correct its name, or set `managementPolicy` to `Full`.',
  },
  ExternalObjectLost: {
    conditions: stalled,
    cause:
      'The external object held data, or a password that nobody else knows, and has disappeared. Holdfast does not create an empty one in its place.',
    remedy:
      'Do what the message names, or restore the external object. To begin with a new one, delete the object and declare another.',
  },
  ExternalVolumeNotFound: {
    conditions: stalled,
    cause: 'The storage provider does not know the disk that is to be registered.',
    remedy:
      'Correct the external ID in `spec.register`. A disk that Holdfast made is lost: restore it, or, to begin with an empty one, delete the object and declare another.',
  },
  HostNotAllowed: {
    conditions: ['RotationVerified', 'LoginVerified'],
    cause:
      'The connection does not allow Holdfast to contact the host of the directory, or of the identity provider.',
    remedy: 'Add the host to `probeHosts` of the connection, or remove `verify.bind` or `loginCheck`.',
  },
  ImmutableFieldChanged: {
    conditions: stalled,
    cause: 'The external object can not be changed in the field that the message names.',
    remedy:
      'Restore the field. Where the field can be changed by a replacement, set `replacePolicy` to `WhenUnused`.',
  },
  InProgress: {
    conditions: ['Reconciling'],
    cause: 'A call to a service takes longer than usual.',
    remedy: nothing,
  },
  InSync: {
    conditions: ['Ready', 'Synced'],
    cause: 'The external object is as declared.',
    remedy: nothing,
  },
  InternalError: {
    conditions: stalled,
    cause: 'Holdfast has a bug.',
    remedy: 'Report the stack trace in the log. Holdfast tries again every five minutes.',
  },
  InvalidResponse: {
    conditions: waiting,
    cause: 'The response of the service is not what its API describes.',
    remedy:
      'Check that the address is that of the service, that no proxy changes responses, and that `dialect` is right.',
  },
  InvalidSecret: {
    conditions: stalled,
    cause: 'A value of a Secret can not be sent to the service.',
    remedy: 'Remove the characters that the message names from the value.',
  },
  InvalidSpec: {
    conditions: stalled,
    cause: 'The spec has an error.',
    remedy: 'Correct the field that the message names. `holdfast validate` checks manifests offline.',
  },
  InvalidToken: {
    conditions: stalled,
    cause:
      'The service does not know the token, the token may not look itself up, or it has characters that can not be sent.',
    remedy:
      'Put a valid token into the Secret of the connection. In the secrets service, it needs the policy `default`.',
  },
  IssuerAnswers: {
    conditions: ['DiscoverySucceeded'],
    cause: 'The issuer says of itself what logins need.',
    remedy: nothing,
  },
  IssuerAnswerTooLarge: {
    conditions: asked,
    cause: 'The issuer answers with more than a mebibyte. Holdfast does not read on.',
    remedy: 'Check that `spec.discoveryURL` is that of an issuer.',
  },
  IssuerMismatch: {
    conditions: ['Ready', 'DiscoverySucceeded'],
    cause: 'The issuer calls itself by another name than `spec.discoveryURL`, so no login works.',
    remedy: 'Write `spec.discoveryURL` exactly as the issuer spells it, or have the issuer corrected.',
  },
  IssuerNotTrusted: {
    conditions: asked,
    cause:
      'TLS with the issuer fails: its certificate is expired, for another host, or of an authority that is not trusted.',
    remedy:
      'Set `spec.discoveryCA`, or renew the certificate. Authorities of the machine of the secrets service are not known to Holdfast.',
  },
  IssuerRedirects: {
    conditions: asked,
    cause: 'The issuer answers with a redirect. Holdfast follows none: what it leads to is another issuer.',
    remedy: 'Write the URL that the redirect leads to, if the issuer calls itself so.',
  },
  IssuerRefused: {
    conditions: asked,
    cause: 'The issuer refuses to answer, or has no document there.',
    remedy: 'Check the path of `spec.discoveryURL`.',
  },
  IssuerSlow: {
    conditions: asked,
    cause: 'The issuer did not answer within ten seconds. What is known of it stays.',
    remedy: retried,
  },
  IssuerUnavailable: {
    conditions: asked,
    cause:
      'The issuer can not be reached, by Holdfast or by the service, or says that it is not well. What is known of it stays.',
    remedy: retried,
  },
  IssuerUnreadable: {
    conditions: asked,
    cause: 'The issuer answers with something that is no JSON object.',
    remedy: 'Check that `spec.discoveryURL` is that of an issuer, and that no proxy answers for it.',
  },
  KeysInUse: {
    conditions: waiting,
    cause: 'The KMS provider still has keys.',
    remedy: 'Remove the keys that use the provider. Holdfast tries again by itself.',
  },
  ListUnstable: {
    conditions: waiting,
    cause:
      'What the plugin lists in pages changed again and again while it was read, so nothing can be said of what it lacks.',
    remedy: retried,
  },
  LoginAccepted: {
    conditions: ['LoginVerified'],
    cause: 'The service begins a login, and the identity provider takes it.',
    remedy: nothing,
  },
  LoginFailed: {
    conditions: stalled,
    cause: 'The secrets service rejects the login of the connection.',
    remedy:
      'Correct the credentials or the role in `spec.auth` of the connection. An AppRole is tried twice, then every 16 minutes, or the service would lock it: `holdfast reconcile` tries at once.',
  },
  LoginNotBegun: {
    conditions: ['LoginVerified'],
    cause:
      'The secrets service gives no address at which a login begins: it does not take the redirect URI, or can not ask the issuer.',
    remedy: 'Check `allowedRedirectURIs`, and the log of the secrets service.',
  },
  LoginNotVerifiable: {
    conditions: ['LoginVerified'],
    cause:
      'The issuer is an embedded one; or it begins the login, and does not let the client ask for a token of its own; or the secret to ask with is not there.',
    remedy:
      'Make the Secret of `loginCheck.clientSecretSecretRef`, allow the client the grant `client_credentials`, or remove that field. At an embedded issuer nobody logs in.',
  },
  LoginRefused: {
    conditions: ['LoginVerified'],
    cause:
      'The identity provider does not take the login that the service begins: the message has its own code, or its status.',
    remedy:
      'Register the redirect URI and allow the scopes of the role at the identity provider; check the client ID.',
  },
  MountNotFound: {
    conditions: waiting,
    cause: 'The secrets service has nothing mounted at the path.',
    remedy:
      'Enable the engine with the command in the message, or correct `mount`. Use `holdfast orphan` to let go of an object that is to be deleted and went with its mount.',
  },
  MountTypeMismatch: {
    conditions: stalled,
    cause: 'An engine of another type is mounted at the path.',
    remedy:
      'Correct `mount`, or mount there what the message names. `holdfast reconcile` tries again at once.',
  },
  MoveInProgress: {
    conditions: waiting,
    cause:
      'An external object moves, or may move, from an object that is deleted to an object that declares it.',
    remedy:
      'None, unless the message asks whether it moves: say so with `holdfast.dev/moved-from` in the new object, or give that another `externalName`.',
  },
  NamespaceNotFound: {
    conditions: waiting,
    cause: 'The service does not have the namespace.',
    remedy:
      'Create the namespace, or correct `namespace` of the connection. Use `holdfast orphan` to let go of an object that is to be deleted and went with its namespace.',
  },
  NeverRotated: {
    conditions: ['RotationVerified'],
    cause: 'The service never rotated the password of the role.',
    remedy: 'Run `holdfast rotate`, or wait for the first rotation.',
  },
  NodeUnreachable: {
    conditions: waiting,
    cause: 'The scheduler can not reach the node.',
    remedy: 'Check the node. Holdfast tries again by itself.',
  },
  NoLeader: {
    conditions: waiting,
    cause: 'The service has no leader.',
    remedy: `Check the servers of the cluster. ${retried}`,
  },
  NonConverging: {
    conditions: stalled,
    cause:
      'A field still differs after it was written three times, or the object still changes after too many steps.',
    remedy:
      'Find out what changes the field back. Write the value as the service returns it, or list the field in `drift.ignore`.',
  },
  NoOutputDirectory: {
    conditions: waiting,
    cause: 'The object publishes an output, and Holdfast has no directory for outputs.',
    remedy: 'Start Holdfast with `--output-dir`.',
  },
  NoPathToRegion: {
    conditions: waiting,
    cause: 'The scheduler can not reach the region.',
    remedy: 'Correct `region` of the connection, or check the federation of the scheduler.',
  },
  NotificationFailed: {
    conditions: [...waiting, 'ConsumersNotified'],
    cause:
      'Some consumers can not be told of the new password, or do not run again since they were told to restart: the message says which, and why.',
    remedy:
      'Correct the job, the connection or its access list; of a workload, its name, or what Holdfast may do with it (docs/kubernetes.md). Holdfast tells them as soon as it can. See why an allocation does not start.',
  },
  NotificationInProgress: {
    conditions: [...waiting, 'ConsumersNotified'],
    cause: 'Holdfast tells the consumers of the new password, one after the other.',
    remedy: nothing,
  },
  Notified: {
    conditions: ['ConsumersNotified'],
    cause: 'Every consumer was told of the last rotation.',
    remedy: nothing,
  },
  NotInitialized: {
    conditions: waiting,
    cause: 'The secrets service is not initialised.',
    remedy: 'Initialise it. Holdfast checks again by itself.',
  },
  NotLeading: {
    conditions: nowhere,
    cause: 'Another Holdfast holds the Lease, or this one could not renew it in time.',
    remedy: `${nothing} The one that holds the Lease goes on. If none does, check the rights to the Lease.`,
  },
  NotOwned: {
    conditions: ['RotationVerified'],
    cause: 'The role that exists belongs to another username.',
    remedy: 'Correct `username`, or declare the role under another name.',
  },
  NotPlanned: {
    conditions: stalled,
    cause: 'Only a saved plan, or one file, was applied, and it does not hold what the object needs now.',
    remedy: 'Apply the directory, or plan again and apply that.',
  },
  NotPublished: {
    conditions: ['Ready', 'RotationVerified'],
    cause: 'The published password is not that of the last rotation.',
    remedy: 'Read the other conditions: they say what prevents the publication.',
  },
  NotRequested: {
    conditions: ['RotationVerified'],
    cause: 'The rotation is complete. The spec requests neither a bind nor an output.',
    remedy: nothing,
  },
  NotVerifiable: {
    conditions: ['RotationVerified'],
    cause:
      'The new password can not be verified by a bind: the directory is an embedded one, or there is no `dn`.',
    remedy: 'Set `dn`, or remove `verify.bind`.',
  },
  NotYetConsistent: {
    conditions: waiting,
    cause: 'The server of the secrets service that responded does not have the latest state yet.',
    remedy: `${nothing} ${retried}`,
  },
  OutputConflict: {
    conditions: waiting,
    cause: 'The name of the output belongs to somebody else.',
    remedy: 'Remove what has that name, or change `output.secretName`.',
  },
  OutputUnusable: {
    conditions: waiting,
    cause: 'The output can not be written.',
    remedy:
      'Check the free space, the owner and the mode of the output directory; in Kubernetes, the rights, quotas and policies for Secrets.',
  },
  PageTokenExpired: {
    conditions: waiting,
    cause: 'A list changed while Holdfast read it page by page.',
    remedy: `${nothing} Holdfast reads the list again.`,
  },
  PasswordFromSecret: {
    conditions: ['RootPasswordOwned'],
    cause: 'The bind password is the one in `bindPasswordSecretRef`.',
    remedy: nothing,
  },
  PasswordNotGenerated: {
    conditions: waiting,
    cause: 'The secrets service can not generate a password.',
    remedy: 'Check the password policy that the `LDAPConfig` names.',
  },
  Pending: {
    conditions: nowhere,
    cause: 'Holdfast has not reconciled the object yet.',
    remedy: `${nothing} If it lasts, check that Holdfast is running.`,
  },
  PermissionDenied: {
    conditions: stalled,
    cause:
      'The token of the connection does not have the permission, or the service does not know the token: some say the same of both. In a cluster, the account of Holdfast may lack a verb as well.',
    remedy:
      'Check the token or account, and grant it the permission that the message names. It is tried again after seconds, then ever more seldom, up to every ten minutes; `holdfast reconcile` tries at once.',
  },
  PermissionsGranted: {
    conditions: ['PermissionsSufficient'],
    cause: 'The service says that the token may do what the declared objects come to.',
    remedy: nothing,
  },
  PermissionsMissing: {
    conditions: ['PermissionsSufficient'],
    cause:
      'The token lacks the capabilities that the message names: calls of the objects named there will be denied.',
    remedy:
      'Grant them: `holdfast policy` prints the whole policy. Holdfast asks again every ten minutes, and when something is declared.',
  },
  PermissionsUnknown: {
    conditions: ['PermissionsSufficient'],
    cause: 'The service does not say what the token may do.',
    remedy:
      'Allow the token `update` on `sys/capabilities-self`, as the policy `default` does. Everything else works without.',
  },
  PluginHealthy: {
    conditions: ['Schedulable'],
    cause: 'The CSI plugin of the volume is healthy.',
    remedy: nothing,
  },
  PluginIncapable: {
    conditions: stalled,
    cause: 'The CSI plugin does not implement the operation.',
    remedy: 'Use another plugin, or remove what requires the operation from the spec.',
  },
  PluginNotFound: {
    conditions: waiting,
    cause: 'The scheduler does not know the CSI plugin.',
    remedy: 'Run the job of the plugin, or correct `pluginID`.',
  },
  PluginUnhealthy: {
    conditions: [...waiting, 'Schedulable'],
    cause: 'The CSI plugin has no healthy controller or node.',
    remedy: 'Check the job of the plugin. Holdfast tries again by itself.',
  },
  ProviderConflict: {
    conditions: stalled,
    cause: 'The storage provider has a volume of this name with other parameters.',
    remedy: 'Change the parameters, or choose another name.',
  },
  ProviderExhausted: {
    conditions: waiting,
    cause: 'The storage provider does not have enough space.',
    remedy: 'Add capacity, or declare less. Holdfast tries again by itself.',
  },
  ProviderRulesBroken: {
    conditions: ['LoginAtRisk'],
    cause:
      'The declaration breaks rules of its identity provider: the message says which fields, and what comes of it.',
    remedy: 'Change the fields. Nothing is wrong with the connection, and Holdfast writes what is declared.',
  },
  ProviderRulesMet: {
    conditions: ['LoginAtRisk'],
    cause: 'The declaration keeps all rules of its identity provider that Holdfast can check.',
    remedy: nothing,
  },
  Published: {
    conditions: ['RotationVerified'],
    cause: 'The new password is published.',
    remedy: nothing,
  },
  Quiesced: {
    conditions: ['Consistent'],
    cause: 'The snapshot was taken while the freeze lasted.',
    remedy: nothing,
  },
  QuiesceDisturbed: {
    conditions: [...stalled, 'Consistent'],
    cause:
      'An allocation started, was restarted or ended while the allocations were frozen for the snapshot, so it may have written.',
    remedy:
      'Take another once the job is steady, or set `hooks.onFailure` to `Continue` to use this one as it is.',
  },
  QuiesceExpired: {
    conditions: [...stalled, 'Consistent'],
    cause: 'The freeze had reached its `hooks.deadline` before the answer came that the snapshot is taken.',
    remedy:
      'Take another with a longer `hooks.deadline`, or set `hooks.onFailure` to `Continue` to use this one as it is.',
  },
  QuiesceFailed: {
    conditions: [...either, 'Consistent'],
    cause:
      'The allocations that write to the volume could not be frozen. Without a freeze there is no snapshot, unless `hooks.onFailure` is `Continue`.',
    remedy:
      'See the message, and correct `hooks`. Holdfast tries three times, at growing intervals; an edit of `hooks` makes it try again.',
  },
  QuiesceInProgress: {
    conditions: waiting,
    cause:
      'A snapshot is being taken, and has frozen the allocations that this object would freeze, signal, restart, stop or run a command in.',
    remedy: nothing,
  },
  QuiesceInterrupted: {
    conditions: [...stalled, 'Consistent'],
    cause:
      'The answer to the create was lost, and the freeze ended before it was repeated. So the snapshot may have been taken after the thaw.',
    remedy: 'Take another, or set `hooks.onFailure` to `Continue` to use this one as it is.',
  },
  ReadyToUse: {
    conditions: ['SnapshotReady'],
    cause: 'The storage provider has completed the snapshot.',
    remedy: nothing,
  },
  Redirected: {
    conditions: either,
    cause: 'The service responded with a redirect. Holdfast follows none.',
    remedy: 'Set the address of the connection to that of the service itself.',
  },
  Rejected: {
    conditions: stalled,
    cause: 'The service rejects the request as invalid.',
    remedy: 'Change what the message names. `holdfast reconcile` tries again at once.',
  },
  RemovalInProgress: {
    conditions: waiting,
    cause: 'The response to a removal was lost, and the removal may still take effect.',
    remedy: `${nothing} Holdfast looks again after a few seconds.`,
  },
  ReplacementBlocked: {
    conditions: waiting,
    cause: 'The external object is to be replaced, and something prevents that: the message says what.',
    remedy:
      'Remove what the message names: stop the allocations, or repair the plugin. A snapshot that is declared of the volume is taken first.',
  },
  ReplacementFailed: {
    conditions: stalled,
    cause: 'The new volume could not be created, so the old one was restored.',
    remedy:
      'Change the spec so that the provider can create the new volume, or restore the old one. If what refused it has passed, restore the old one until the volume is Ready, and edit it again.',
  },
  RestoreVerified: {
    conditions: ['RestoreVerified'],
    cause: 'The last restore drill succeeded. `lastVerifiedRestore` says how it was verified, and when.',
    remedy: nothing,
  },
  RoleNotFound: {
    conditions: waiting,
    cause: 'The secrets service does not know the role.',
    remedy: `${nothing} Holdfast creates the role again.`,
  },
  RoleOfBindDN: {
    conditions: stalled,
    cause:
      'The role is for the entry with which the service binds. Its rotations would set a password that the service does not bind with.',
    remedy:
      'Declare another `dn`, or `username`. For the password of `bindDN`, use `rotate-root` of the `LDAPConfig`; or have the service bind with an account of its own.',
  },
  RootRotationUnknown: {
    conditions: [...stalled, 'RootPasswordOwned'],
    cause:
      'The response to `rotate-root` was lost, and the service does not tell whether it rotated the bind password; or the service shows an earlier rotation than before, as one restored from a backup does.',
    remedy:
      'If the service can still bind, as it may after a lost response, give `rotate-root` a new token. Otherwise set a password in the directory and in the Secret, and give `reseed-root` a new token.',
  },
  Rotated: {
    conditions: ['RootPasswordOwned'],
    cause: 'The secrets service rotated the bind password.',
    remedy: nothing,
  },
  RotationInProgress: {
    conditions: [...waiting, 'RotationVerified'],
    cause: 'A rotation was requested, and the service does not show it yet.',
    remedy: nothing,
  },
  RotationOverdue: {
    conditions: ['RotationVerified'],
    cause:
      'The service should have rotated the password by itself more than ten minutes ago, and has not. A password that is published still works.',
    remedy:
      'See the log of the service: most often the directory refuses it, or has no such entry. `holdfast rotate` asks for a rotation, and then tells what the service says.',
  },
  RunFailed: {
    conditions: ['Ready'],
    cause:
      'The latest snapshot of the schedule that is not under way could not be taken, was lost, or can never be told to be ready, since its plugin lists no snapshots.',
    remedy: 'See the conditions of that CSISnapshot. The next run takes another.',
  },
  RunMissed: {
    conditions: ['Ready'],
    cause: 'A run could not start within `startingDeadline`, and no snapshot was taken since.',
    remedy: 'Wait for the next run, or allow a longer `startingDeadline`.',
  },
  RunWaiting: {
    conditions: waiting,
    cause:
      'A snapshot is due, and the one before is not ready yet; or several were taken, and none is ready yet.',
    remedy: 'Check the one before, or set `concurrencyPolicy` to `Allow`.',
  },
  Sealed: {
    conditions: waiting,
    cause: 'The secrets service is sealed.',
    remedy: 'Unseal it. Holdfast checks again by itself.',
  },
  ServerError: {
    conditions: waiting,
    cause: 'The service failed with an internal error.',
    remedy: `Read the log of the service; where OpenBao or Vault says only \`internal error\`, an audit device that can not write is likely. ${retried}`,
  },
  SnapshotInUse: {
    conditions: waiting,
    cause: 'The storage provider can not delete the snapshot while it is in use.',
    remedy: 'Wait until volumes from the snapshot are complete, or delete them.',
  },
  SnapshotNotFound: {
    conditions: waiting,
    cause: 'The storage provider does not know the snapshot that the volume is to be made from.',
    remedy: 'Correct `create.snapshotID`.',
  },
  SnapshotNotReady: {
    conditions: [...waiting, 'SnapshotReady'],
    cause: 'The storage provider has taken the snapshot, and it can not be used yet.',
    remedy: `${nothing} Holdfast looks again, ever more rarely.`,
  },
  SnapshotPending: {
    conditions: waiting,
    cause: 'The storage provider still works on the snapshot.',
    remedy: nothing,
  },
  SnapshotsNotListed: {
    conditions: ['SnapshotReady'],
    cause:
      'The plugin lists no snapshots, so Holdfast can not see whether one is ready that was not when it was taken.',
    remedy: 'Check the snapshot at the storage provider.',
  },
  StateRestored: {
    conditions: waiting,
    cause:
      'The state of Holdfast comes from a copy or from another machine, so its records may be out of date.',
    remedy:
      'Check that no other Holdfast works on the same objects, then run `holdfast approve` with the digest in the message.',
  },
  StateUnavailable: {
    conditions: waiting,
    cause: 'Holdfast can not write its state.',
    remedy: 'Check the free space and the mode of the state directory. Holdfast tries again by itself.',
  },
  StreamClosed: {
    conditions: nowhere,
    cause: 'The scheduler closed the event stream.',
    remedy: `${nothing} Holdfast connects again.`,
  },
  StreamDenied: {
    conditions: ['EventStream'],
    cause:
      'The token may not read the event stream, or the scheduler has none. Holdfast sees changes by blocking queries.',
    remedy: 'Grant the token the right to read events, if changes are to be seen sooner.',
  },
  Streaming: {
    conditions: ['EventStream'],
    cause: 'Holdfast reads the event stream.',
    remedy: nothing,
  },
  Suspended: {
    conditions: ['Ready', 'Synced'],
    cause:
      'The object, or a connection that it uses, is suspended, and there is something to do. The message names the connection.',
    remedy:
      'Run `holdfast resume` for what is suspended, or take the annotation `holdfast.dev/suspend` or `suspend` in the spec away.',
  },
  TaskNotFound: {
    conditions: stalled,
    cause: 'The allocation has no such task.',
    remedy: 'Correct the name of the task.',
  },
  TaskNotRunning: {
    conditions: waiting,
    cause: 'The task does not run.',
    remedy: 'Check the task. Holdfast tries again by itself.',
  },
  ThawFailed: {
    conditions: ['WorkloadFrozen'],
    cause:
      'An allocation answered three times that it could not be thawed. Holdfast asks it no more. A command that fails where nothing is frozen looks the same.',
    remedy:
      'Look whether it is frozen, and thaw it by hand. List the exit codes that do no harm in `hooks.after.exec.expectedExitCodes`.',
  },
  ThawPending: {
    conditions: waiting,
    cause:
      'An allocation that was frozen, or may be, has not answered that it is thawed, or is thawed once more because what froze it may arrive late. Nothing else is done before.',
    remedy: `Check the scheduler and the allocation that the message names. ${retried} \`force-orphan\` ends that.`,
  },
  Throttled: {
    conditions: waiting,
    cause: 'The service accepts no more requests at present.',
    remedy: `${nothing} Holdfast waits as long as the service asks. If it lasts, raise the limits of the service.`,
  },
  Timeout: {
    conditions: waiting,
    cause: 'The service did not respond in time.',
    remedy: 'Check the load of the service and the network. Holdfast tries again by itself.',
  },
  TokenExpired: {
    conditions: stalled,
    cause: 'The token of the connection has expired.',
    remedy: 'Put a new token into the Secret of the connection.',
  },
  TooManyAllocations: {
    conditions: stalled,
    cause: 'A job that consumes the password has more allocations than Holdfast tells one by one.',
    remedy: 'Split the job, or let it read the output by itself.',
  },
  Unavailable: {
    conditions: waiting,
    cause: 'The service can not be reached.',
    remedy:
      'Check the service, its address, the network and the certificates. Holdfast tries again by itself.',
  },
  UpdateBlocked: {
    conditions: waiting,
    cause: 'The change would disturb what uses the external object: the message names it.',
    remedy: 'Stop the allocations that the message names.',
  },
  ValueKept: {
    conditions: ['FieldsKept'],
    cause:
      'The service can not follow the fields that the message names: they are read only when the external object is made, can not be unset, or never shrink.',
    remedy:
      'Declare the values in `status.kept`. To have others, declare another object, or, where the field can be changed by a replacement, give it another value with `replacePolicy: WhenUnused`.',
  },
  VolumeConditionAbnormal: {
    conditions: ['Abnormal'],
    cause: 'The storage provider reports a problem with the volume.',
    remedy: 'Follow the message of the provider.',
  },
  VolumeElsewhere: {
    conditions: stalled,
    cause: 'The volume that is referred to is on another scheduler, or in another of its namespaces.',
    remedy: 'Declare the object with the connection of the volume.',
  },
  VolumeInUse: {
    conditions: waiting,
    cause: 'An allocation claims the volume.',
    remedy: 'Stop the allocation. Holdfast continues once the volume is free.',
  },
  VolumeNotFound: {
    conditions: waiting,
    cause: 'The scheduler does not know the volume.',
    remedy: `${nothing} Holdfast looks again.`,
  },
  VolumeReplaced: {
    conditions: stalled,
    cause:
      'The snapshot is of another disk than the recorded one, or its create was not answered and would now be of another disk.',
    remedy:
      'If it was not answered, look at the provider for the name in `status.pending`. Declare another snapshot; if the plugin only spells one ID in two ways, by `volumeID` and `pluginID`: nothing is compared then.',
  },
  WorkloadsNotSupported: {
    conditions: ['ConsumersNotified'],
    cause: 'A workload of Kubernetes can be restarted only where the declarations come from Kubernetes.',
    remedy: 'Remove the workload from `consumers`, and restart it by other means.',
  },
  Written: {
    conditions: ['CredentialsWritten'],
    cause:
      'Holdfast wrote the declared credentials. The service shows none of them, and the variables in the message go before them.',
    remedy: `${nothing} If the service uses other credentials, look at its environment.`,
  },
} as const satisfies Readonly<Record<string, Explanation>>;

export type Reason = keyof typeof reasons;

/** The explanation of a stored reason; `undefined` if another version wrote a reason that is unknown here. */
export const explanationOf = (reason: string): Explanation | undefined =>
  isReason(reason) ? reasons[reason] : undefined;

export const isReason = (text: unknown): text is Reason =>
  typeof text === 'string' && Object.hasOwn(reasons, text);
