/** Ours, with everything on. */
import { serveHttp } from '../../../dist/node.js';
import { createEverything } from '../../lib/everything.mjs';
import { announce, hasSessions } from './announce.mjs';

announce((await serveHttp(createEverything(), { port: 0, sessions: hasSessions ? {} : false })).port);
