/** Ours, with everything on. */
import { serveStdio } from '../../../dist/node.js';
import { createEverything } from '../../lib/everything.mjs';

serveStdio(createEverything());
