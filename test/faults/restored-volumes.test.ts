// Restored states of volumes and connections.
import { testRestored } from './restored/tests.ts';

testRestored((kind) => !kind.startsWith('LDAP'));
