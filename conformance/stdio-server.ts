/** Serves the fixture over stdio, as an upstream of `gateway.ts`. */
import { serveStdio } from 'tenon';
import { createFixture } from './fixture.ts';

serveStdio(await createFixture());
