/** `npm run release -- VERSION`: checks that a version can be released, sets it, commits and tags. Publishes nothing. */
import { run } from './command.mjs';
import { generate, install } from './setup.mjs';

try {
  await install();
  await generate();
  const args = ['--import', 'tsx', 'scripts/release/main.ts', ...process.argv.slice(2)];
  const { ok } = await run(process.execPath, args, { output: 'show' });
  if (!ok) process.exitCode = 1;
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
