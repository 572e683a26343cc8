/** `npm run conformance:server`: sets up, then serves the fixture on `PORT`, 3000 by default, for any runner. */
import { spawnFixture } from './conformance/fixture.mjs';
import { runInForeground } from './foreground.mjs';
import { setUp } from './setup.mjs';

await runInForeground(setUp, () => spawnFixture({ env: { PORT: process.env.PORT ?? '3000' } }));
