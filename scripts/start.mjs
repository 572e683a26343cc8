/** `npm start`: sets up, then runs the demo with the arguments given. */
import { spawn } from 'node:child_process';
import { root } from './command.mjs';
import { setUp } from './setup.mjs';

try {
  await setUp();
  const demo = ['--import', 'tsx', 'examples/demo/main.ts', ...process.argv.slice(2)];
  const child = spawn(process.execPath, demo, { cwd: root, stdio: 'inherit' });
  // A terminal sends SIGINT to both processes; this one only waits for the demo to end.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('exit', (code) => {
    process.exitCode = code ?? 1;
  });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
