/** Starts the page of a program: its backend answers over HTTP. */
import { httpPort } from './api/http-port.ts';
import { start } from './start.tsx';

await start(httpPort);
