/** What the process remembers of servers: a test forgets it, because the next server may get the same port. */
import { processWide } from '../../../src/node/process/process-wide.ts';

export const forgetVersions = (): void => processWide('remembered versions', () => new Map<string, number>()).clear();
