/** `npm run conformance:server`: sets up, then serves the fixture on `PORT`, 3000 by default, for any runner. */
import { spawnFixture } from './conformance/fixture.mjs';
import { setUp } from './setup.mjs';

try {
  await setUp();
  const child = spawnFixture({ env: { PORT: process.env.PORT ?? '3000' } });
  // A terminal sends SIGINT to both processes; this one only waits for the fixture to end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
