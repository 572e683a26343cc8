/** The worker of the playground. */
import { createPlayground, openPlayground } from './backend.ts';
import { serveBackend } from './serve-backend.ts';
import type { Messages } from './worker-port.ts';

const backend = createPlayground();
serveBackend(backend, globalThis as unknown as Messages, openPlayground(backend));
