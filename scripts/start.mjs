/** `npm start`: installs what the demo needs, then runs it with the arguments given. */
import { spawn } from 'node:child_process';
import { root } from './command.mjs';
import { runInForeground } from './foreground.mjs';
import { setUpDemo } from './setup.mjs';

const demo = ['--import', 'tsx', 'examples/demo/main.ts', ...process.argv.slice(2)];
await runInForeground(setUpDemo, () => spawn(process.execPath, demo, { cwd: root, stdio: 'inherit' }));
