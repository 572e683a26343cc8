/** `npm start`: sets up, then runs the demo with the arguments given. */
import { spawn } from 'node:child_process';
import { root } from './command.mjs';
import { runInForeground } from './foreground.mjs';

const demo = ['--import', 'tsx', 'examples/demo/main.ts', ...process.argv.slice(2)];
await runInForeground(() => spawn(process.execPath, demo, { cwd: root, stdio: 'inherit' }));
