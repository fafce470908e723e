// Attributes by which Vault and OpenBao look for users. They take any other, and then set no password. PURE.

export const userAttributes: ReadonlySet<string> = new Set(
  (
    'cn displayName distinguishedName dc dn name objectCategory objectClass objectGUID objectSid ou passwordLastSet ' +
    'racfid racfPassword racfAttributes sAMAccountName unicodePwd uid userPassword userPrincipalName'
  ).split(' '),
);

/** Whose users are found by it is found by `<name>@<domain>` alone, also where the name is that of an entry. */
export const principalName = 'userPrincipalName';
