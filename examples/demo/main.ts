/** `npm start`: serves the demo on standard input and output, or shows what it says under each revision. */
import { argv } from 'node:process';

if (argv.includes('--stdio')) await import('./stdio.ts');
else await import('./compare.ts');
