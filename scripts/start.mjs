/** `npm start`: sets up, then runs the demo with the arguments given. */
import { spawn } from 'node:child_process';
import { root } from './command.mjs';
import { runInForeground } from './foreground.mjs';
import { args, env } from './typescript.mjs';

const demo = [...args, 'examples/demo/main.ts', ...process.argv.slice(2)];
const options = { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } };
await runInForeground(() => spawn(process.execPath, demo, options));
