/** `npm run -s conformance:client -- URL`: sets up, then runs the fixture client against a server of any runner. */
import { spawn } from 'node:child_process';
import { bundleClient } from './conformance/client.mjs';
import { setUp } from './setup.mjs';

try {
  await setUp();
  const program = await bundleClient();
  const child = spawn(process.execPath, [program, ...process.argv.slice(2)], { stdio: 'inherit' });
  child.once('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
