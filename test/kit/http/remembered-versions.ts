/** Clears the protocol versions that the process remembers of servers: the next server may get the same port. */
import { processWide } from '../../../src/node/process/process-wide.ts';

export const forgetVersions = (): void => processWide('remembered versions', () => new Map<string, number>()).clear();
