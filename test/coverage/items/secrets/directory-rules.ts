// secrets-api.md: the rules of the directory credential engine.
import { codeIn, said, testsIn, type Section } from '../../item.ts';

const config = codeIn('embedded/secrets/ldap/config.ts');
const roles = codeIn('embedded/secrets/ldap/roles.ts');
const rotation = codeIn('embedded/secrets/ldap/rotation.ts');
const directory = codeIn('embedded/secrets/ldap/real-directory.ts');
const passwords = codeIn('embedded/secrets/ldap/passwords.ts');
const refusals = codeIn('api/secrets/refusals.ts');

const configs = testsIn('contract/secrets/ldap-config-cases.ts');
const cases = testsIn('contract/secrets/ldap-role-cases.ts');
const rotations = testsIn('embedded/secrets/ldap/rotation.test.ts');
const slapd = testsIn('embedded/secrets/ldap/slapd.test.ts');

const says = '"$says": $why';
const kept = 'a length, and a policy, are kept to';
const period = 'by period: once when it is due, not before, and then a period later';

export const ldapRules: Section = {
  title: 'Directory engine: rules',
  items: [
    said('1. `length` and `password_policy` together are refused', {
      client: refusals('invalidConfig'),
      embedded: config('check'),
      test: configs(says, "cannot set both 'password_policy' and 'length'"),
    }),
    said('2. with neither, the default algorithm', {
      client: { op: 'ldap.config.write' },
      embedded: rotation('lengthDefault'),
      test: rotations(
        'passwords keep to the policy, to the length, to what the schema can hold; a missing policy is an error',
      ),
    }),
    said('2. with `length`, the same with that length', {
      client: { type: 'LDAPConfigBody', field: 'length' },
      embedded: rotation('Rotations'),
      test: cases(kept),
    }),
    said('2. with `password_policy`, by the policy', {
      client: { type: 'LDAPConfigBody', field: 'password_policy' },
      embedded: passwords('parsePolicy'),
      test: cases(kept),
    }),
    said('3. the policy need not be there before a password is made', {
      client: refusals('refusal'),
      embedded: rotation('Rotations'),
      test: cases('a password policy that is not there fails what needs a password, not the configuration'),
    }),
    said('4. `rotate-root` changes the bind password, which nobody is told', {
      client: { op: 'ldap.root.rotate' },
      embedded: rotation('rotateRoot'),
      test: rotations(
        'rotate-root: the old bind password is of no use, the new one is never shown, rotations go on',
      ),
    }),
    said('5. `rotate-role` rotates at once', {
      client: { op: 'ldap.role.rotate' },
      embedded: roles('rotate'),
      test: rotations('rotate-role rotates at once, and the period starts again'),
    }),
    said('a password rotates every `rotation_period`', {
      client: { type: 'RoleRead', field: 'rotation_period' },
      embedded: rotation('Rotations'),
      test: rotations(period),
    }),
    said('the bind entry may search and change passwords', {
      client: refusals('refusal'),
      embedded: directory('LdapDirectory'),
      test: slapd('a wrong bind password and an unknown entry are errors, and no role is stored'),
    }),
  ],
};
