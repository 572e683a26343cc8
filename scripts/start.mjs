/** `npm start`: installs what the demo needs, runs it with the arguments given, and then builds the page of the inspector. */
import { runDemo } from './demo.mjs';
import { runInForeground } from './foreground.mjs';
import { buildInspector, setUpDemo } from './setup.mjs';

console.error('setup: looking at what the demo needs …');
await runInForeground(setUpDemo, () => {
  console.error('setup: starting the demo …');
  return runDemo(process.argv.slice(2), buildInspector);
});
