/** Takes standard output as soon as it is imported, so that no module after it can write there; then serves on it. */
import { guardStdout } from './stdout-guard.ts';

export { type StdioService, serveStdio } from './serve-stdio.ts';
export type { ServeStdioOptions } from './stdio-options.ts';

guardStdout();
