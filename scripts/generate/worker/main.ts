/** Writes the program of the thread that runs scripts of models as a text, which needs no file beside a bundle. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { programFile, programText } from './program-text.ts';

const text = await programText();
if (!existsSync(programFile) || readFileSync(programFile, 'utf8') !== text) writeFileSync(programFile, text);
