// Crashes of volumes.
import { testCrashes } from './crash-tests.ts';

testCrashes((kind) => kind === 'CSIVolume');
